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
    evidence: JSON.stringify({ status, payments: payments.map(shown) }),
    gist: JSON.stringify({ status, payments: payments.map(compared) })
  }
}

/** The PSP shows a payment under this charge that was booked under another: its money counts once. */
export const claimedTwice = (subject: Charge, payment: PspPayment): Contradiction => ({
  subject,
  subjectType: "charge",
  reason: "payment_claimed_twice",
  evidence: JSON.stringify(shown(payment)),
  gist: JSON.stringify(compared(payment))
})
