import { DateTime } from "effect"
import type { Contradiction } from "../discrepancies/DiscrepancyRecords.ts"
import type { PspPayment } from "../ports/Psp.ts"
import type { Charge } from "./Charge.ts"
import type { ChargeConclusion } from "./ChargeVerdict.ts"

/** Some PSPs name another time with each answer. */
const compared = ({ amount, endToEndId }: PspPayment) => ({
  endToEndId,
  amount: amount.toString()
})

const shown = (payment: PspPayment) => ({
  ...compared(payment),
  paidAt: DateTime.formatIso(payment.paidAt)
})

/** How a charge stands, and the payment that it was booked by. */
const bookedOf = ({ amount, e2eId: endToEndId, paidAt: settledAt, reference, status }: Charge) => ({
  status,
  amount,
  reference,
  endToEndId,
  settledAt
})

/** What the PSP says against the payment that a charge was booked by. */
export const contradictionOf = ({
  charge: subject,
  known,
  reason
}: Extract<ChargeConclusion, { readonly _tag: "Contradicted" }>): Contradiction => {
  const status = known?.status ?? "not_found"
  const payments = (known?.payments ?? []).toSorted((a, b) =>
    a.endToEndId < b.endToEndId ? -1 : 1
  )
  return {
    subject,
    subjectType: "charge",
    reason,
    booked: bookedOf(subject),
    evidence: JSON.stringify({ status, payments: payments.map(shown) }),
    gist: JSON.stringify({ status, payments: payments.map(compared) })
  }
}

/** The PSP shows a payment under this charge that was booked under another: its money counts once. */
export const claimedTwice = (subject: Charge, payment: PspPayment): Contradiction => ({
  subject,
  subjectType: "charge",
  reason: "payment_claimed_twice",
  booked: bookedOf(subject),
  evidence: JSON.stringify(shown(payment)),
  gist: JSON.stringify(compared(payment))
})
