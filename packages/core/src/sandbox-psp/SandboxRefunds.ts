import { Effect } from "effect"
import type { PspCredentialId } from "../kernel/Ids.ts"
import { negated } from "../kernel/Money.ts"
import * as Kind from "../units/Kind.ts"
import type { NewPspRefund, PspRefund, PspShape } from "../ports/Psp.ts"
import type { SandboxAccount } from "./SandboxAccount.ts"
import { amountRefusal, nothingThere, referenceRefusal, reject, spoiled } from "./SandboxAnswers.ts"
import type { SandboxBook } from "./SandboxBooks.ts"
import { forEachListed, makeBook } from "./SandboxBooks.ts"
import { giveBack, SandboxChargeKind } from "./SandboxCharge.ts"
import type { SandboxCharges } from "./SandboxCharges.ts"
import type { SandboxFaults } from "./SandboxFaults.ts"
import type { SandboxNotice, UntoldNotices } from "./SandboxNotices.ts"
import { writeRefund } from "./SandboxNotification.ts"
import { SandboxRefund, SandboxRefundKind, told, toPspRefund } from "./SandboxRefund.ts"

/** The returns that the simulated PSP makes. */
export type SandboxRefunds = SandboxBook<SandboxRefund>

export const makeRefunds = (credential: PspCredentialId) =>
  makeBook({ credential, kind: SandboxRefundKind, space: "sandbox_refund_reference" })

/** The calls about returns, each of which the faults may spoil. */
export const makeRefundCalls = (options: {
  readonly credential: PspCredentialId
  readonly charges: SandboxCharges
  readonly refunds: SandboxRefunds
  readonly faults: SandboxFaults
  readonly account: SandboxAccount
}): Pick<PspShape, "refund" | "findRefund"> => {
  const { account, charges, credential, faults, refunds } = options

  /** The return, and in the same unit what it takes of the payment: together they never take more than was paid. */
  const open = (asked: NewPspRefund) =>
    refunds.open(asked.reference, (id, now) =>
      Effect.gen(function* () {
        const { amount, endToEndId, purpose, reference } = asked
        const charge = yield* charges.paidBy(endToEndId)
        const payment = charge?.value.payments.find((one) => one.endToEndId === endToEndId)
        if (charge === undefined || payment === undefined) return yield* unknownPayment
        if ((payment.returned ?? 0n) + amount > payment.amount) return yield* tooMuch
        return {
          entry: new SandboxRefund({
            id,
            credential,
            reference,
            endToEndId: payment.endToEndId,
            charge: charge.value.reference,
            status: "processing",
            purpose,
            amount,
            createdAt: now,
            isTold: false
          }),
          updates: [
            Kind.update(
              SandboxChargeKind,
              charge,
              giveBack(charge.value, { endToEndId, amount, reference })
            )
          ]
        }
      })
    )

  const refund = (asked: NewPspRefund) =>
    Effect.gen(function* () {
      const refused = referenceRefusal(asked.reference) ?? amountRefusal(asked.amount)
      if (refused !== undefined) return yield* refused
      const isKept = (yield* account.current) !== undefined
      const isNew = isKept && (yield* refunds.find(asked.reference)) === undefined
      const opened = yield* open(asked)
      if (isNew) yield* account.moved(`return ${asked.reference}`, negated(asked.amount))
      return toPspRefund(opened)
    })

  const find = (reference: string) =>
    Effect.map(refunds.find(reference), (found) =>
      found === undefined ? undefined : toPspRefund(found.value)
    )

  return {
    refund: Effect.fn("SandboxPsp.refund")((asked) =>
      spoiled<PspRefund>(faults, "refund", refund(asked))
    ),
    findRefund: Effect.fn("SandboxPsp.findRefund")(({ reference }) =>
      spoiled<PspRefund | undefined>(faults, "findRefund", find(reference), nothingThere)
    )
  }
}

/** The notice of the status that a return has. */
export const noticeOf = (refunds: SandboxRefunds, refund: SandboxRefund): SandboxNotice => ({
  amount: refund.amount,
  write: (amount) => writeRefund({ ...refund, amount }),
  accepted: refunds.change(refund.reference, (now) =>
    Effect.succeed({ entry: told(now, refund.status) })
  )
})

/** Of every return whose notice was not accepted yet. */
export const untoldOf =
  (refunds: SandboxRefunds): UntoldNotices =>
  (send) =>
    forEachListed(refunds, "untold", (page) =>
      send(page.map(({ value }) => noticeOf(refunds, value)))
    )

const unknownPayment = reject(
  "PAYMENT_NOT_FOUND",
  "No payment was received under this end-to-end id."
)

const tooMuch = reject("AMOUNT_EXCEEDED", "The returns of a payment cannot exceed the payment.")
