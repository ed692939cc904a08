import type { DateTime } from "effect"
import { Effect, Schema } from "effect"
import type { PspCredentialId, Uuid } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { min, minus, negated, zero } from "../kernel/Money.ts"
import * as TxId from "../kernel/TxId.ts"
import type { PspInfraction, PspPayment, PspReceivedReturn } from "../ports/Psp.ts"
import { Ids } from "../time/Ids.ts"
import * as Kind from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import type { SandboxAccount } from "./SandboxAccount.ts"
import type { SandboxRejected } from "./SandboxAnswers.ts"
import { giveBack, pay, SandboxCharge, SandboxChargeKind, toPspPayment } from "./SandboxCharge.ts"
import type { SandboxChargeNotFound } from "./SandboxCharges.ts"
import * as Charges from "./SandboxCharges.ts"
import { decided, SandboxInfraction, toPspInfraction } from "./SandboxInfraction.ts"
import type { SandboxInfractions } from "./SandboxInfractions.ts"
import * as Infractions from "./SandboxInfractions.ts"
import { endToEndKey, newReturnId, returnIdKey } from "./SandboxNetwork.ts"
import type { SandboxNotices } from "./SandboxNotices.ts"
import type { SandboxPaymentOptions, SandboxPaymentRefused } from "./SandboxPayments.ts"
import * as Payments from "./SandboxPayments.ts"
import { SandboxReceipt, SandboxReceiptKind } from "./SandboxReceipt.ts"
import { SandboxRefund } from "./SandboxRefund.ts"
import type { SandboxRefunds } from "./SandboxRefunds.ts"
import * as Refunds from "./SandboxRefunds.ts"

/** The simulated PSP has received no such payment, or has not so much of it left. */
export class SandboxPaymentNotThere extends Schema.TaggedError<SandboxPaymentNotThere>()(
  "SandboxPaymentNotThere",
  { endToEndId: Schema.String, reason: Schema.Literals(["unknown", "returned"]) }
) {
  override get message(): string {
    return this.reason === "unknown"
      ? "The PSP has received no payment under this end-to-end id."
      : "The returns of a payment cannot exceed the payment."
  }
}

/** What happens at the simulated PSP that nobody asked it for. */
export interface SandboxBank {
  /** Somebody pays: what was asked for, once, unless told otherwise. Late or not, the money is taken. */
  readonly pay: (
    reference: string,
    options?: SandboxPaymentOptions
  ) => Effect.Effect<
    ReadonlyArray<PspPayment>,
    SandboxChargeNotFound | SandboxPaymentRefused | StorageError
  >
  /** Somebody pays to the key itself, for no charge: the amount that is told, or 10.00. */
  readonly payKey: (
    options: SandboxPaymentOptions
  ) => Effect.Effect<PspPayment, SandboxPaymentRefused | StorageError>
  /** The PSP gives a payment back by itself, whole or in part, as it does for the MED. */
  readonly returnPayment: (
    endToEndId: string,
    amount?: Centavos
  ) => Effect.Effect<PspReceivedReturn, SandboxPaymentNotThere | StorageError>
  /** Somebody reports fraud about a payment, or about a part of it. */
  readonly reportInfraction: (
    endToEndId: string,
    reason?: string,
    amount?: Centavos
  ) => Effect.Effect<PspInfraction, SandboxPaymentNotThere | StorageError>
  /** The report is decided. Where it is accepted, the PSP gives back by itself what is left of the money. */
  readonly decideInfraction: (
    id: string,
    status: Exclude<PspInfraction["status"], "open">
  ) => Effect.Effect<PspInfraction | undefined, StorageError>
}

/** What is paid to the key where nobody says how much. */
const usualAmount = 1_000n as Centavos

interface BankParts {
  readonly account: SandboxAccount
  readonly credential: PspCredentialId
  readonly charges: Charges.SandboxCharges
  readonly refunds: SandboxRefunds
  readonly infractions: SandboxInfractions
  readonly notices: SandboxNotices
}

export const makeBank = (parts: BankParts): Effect.Effect<SandboxBank, never, Ids> =>
  Effect.map(Ids, (ids) => ({
    pay: paying(parts, ids),
    payKey: payingKey(parts, ids),
    returnPayment: returning(parts, ids),
    reportInfraction: reporting(parts, ids),
    decideInfraction: deciding(parts, ids)
  }))

const newReference = (ids: Ids["Service"]) => Effect.map(ids.next(), TxId.fromUuid)

/** A payment that was received, and where it stands in the book. */
const paidOf = (charges: Charges.SandboxCharges) =>
  Effect.fnUntraced(function* (endToEndId: string) {
    const charge = yield* charges.paidBy(endToEndId)
    const payment = charge?.value.payments.find((one) => one.endToEndId === endToEndId)
    return charge === undefined || payment === undefined
      ? yield* new SandboxPaymentNotThere({ endToEndId, reason: "unknown" })
      : { charge, payment }
  })

const paying = (
  { account, charges, credential, notices }: BankParts,
  ids: Ids["Service"]
): SandboxBank["pay"] =>
  Effect.fn("SandboxPsp.pay")(function* (reference, options = {}) {
    const order = yield* Effect.fromResult(Payments.check(options))
    const paid = yield* charges.change(reference, (charge, now) =>
      Effect.gen(function* () {
        const payments = yield* Payments.make(order, charge, now)
        return {
          entry: pay(charge, payments),
          keys: payments.map(({ endToEndId }) => endToEndKey(endToEndId)),
          inserts: yield* receiptsOf(payments, credential, ids)
        }
      })
    )
    if (paid === undefined) return yield* new Charges.SandboxChargeNotFound({ reference })
    const payments = paid.value.payments.slice(-order.times)
    yield* received(account, payments)
    yield* notices.notify(Charges.noticesOf(charges, paid.value, payments, paid))
    return payments.map(toPspPayment)
  })

const received = (account: SandboxAccount, payments: SandboxCharge["payments"]) =>
  Effect.forEach(
    payments,
    ({ amount, endToEndId }) => account.moved(`payment ${endToEndId}`, amount),
    { discard: true }
  )

/** Puts payments in the order in which they came. */
const receiptsOf = (
  payments: SandboxCharge["payments"],
  credential: PspCredentialId,
  ids: Ids["Service"]
) =>
  Effect.forEach(payments, ({ endToEndId }) =>
    Effect.map(ids.next(), (id) =>
      SandboxReceiptKind.row(new SandboxReceipt({ id, credential, endToEndId }))
    )
  )

const payingKey = ({ account, charges, credential, notices }: BankParts, ids: Ids["Service"]) =>
  Effect.fn("SandboxPsp.payKey")(function* (asked: SandboxPaymentOptions) {
    const order = yield* Effect.fromResult(
      Payments.check({ ...asked, amount: asked.amount ?? usualAmount, times: 1 })
    )
    const amount = order.amount ?? usualAmount
    const made = yield* charges.open(yield* newReference(ids), (id, now) =>
      Effect.gen(function* () {
        const payments = yield* Payments.make(order, { amount }, now)
        return {
          entry: direct({ id, credential, amount, now, payments }),
          keys: payments.map(({ endToEndId }) => endToEndKey(endToEndId)),
          inserts: yield* receiptsOf(payments, credential, ids)
        }
      })
    )
    const [payment] = made.payments
    if (payment === undefined) return yield* Effect.die(new Error("Nobody paid."))
    yield* received(account, [payment])
    yield* notices.notify(Charges.noticesOf(charges, made, [payment]))
    return toPspPayment(payment)
  }, impossible)

const returning = (
  { account, charges, credential, notices, refunds }: BankParts,
  ids: Ids["Service"]
) =>
  Effect.fn("SandboxPsp.returnPayment")(function* (endToEndId: string, part?: Centavos) {
    const { charge, payment } = yield* paidOf(charges)(endToEndId)
    const rest = (payment.amount - (payment.returned ?? 0n)) as Centavos
    const amount = part ?? rest
    if (amount < 1n || amount > rest)
      return yield* new SandboxPaymentNotThere({ endToEndId, reason: "returned" })
    const reference = `PSP${(yield* newReference(ids)).slice(3)}`
    const refund = yield* refunds.open(reference, (id, now) =>
      Effect.map(newReturnId(now), (returnId) => ({
        entry: new SandboxRefund({
          id,
          credential,
          reference,
          endToEndId: payment.endToEndId,
          charge: charge.value.reference,
          status: "confirmed",
          purpose: "automatic",
          amount,
          createdAt: now,
          isTold: false,
          returnId,
          settledAt: now
        }),
        keys: [returnIdKey(returnId)],
        updates: [
          Kind.update(
            SandboxChargeKind,
            charge,
            giveBack(charge.value, { endToEndId, amount, reference })
          )
        ]
      }))
    )
    yield* account.moved(`return ${reference}`, negated(amount))
    yield* notices.notify([Refunds.noticeOf(refunds, refund)])
    const { returnId, settledAt = refund.createdAt, status } = refund
    return { reference, status, amount, settledAt, ...(returnId && { returnId }) }
  }, impossible)

const reporting = ({ charges, credential, infractions, notices }: BankParts, ids: Ids["Service"]) =>
  Effect.fn("SandboxPsp.reportInfraction")(function* (
    endToEndId: string,
    reason = "Fraud was reported.",
    part?: Centavos
  ) {
    const { payment } = yield* paidOf(charges)(endToEndId)
    const reference = yield* newReference(ids)
    const infraction = yield* infractions.open(reference, (id, reportedAt) =>
      Effect.succeed({
        entry: new SandboxInfraction({
          id,
          credential,
          reference,
          endToEndId: payment.endToEndId,
          status: "open",
          amount: part ?? payment.amount,
          reportedAt,
          reason,
          isTold: false
        })
      })
    )
    yield* notices.notify([Infractions.noticeOf(infractions, infraction)])
    return toPspInfraction(infraction)
  }, impossible)

const deciding = (parts: BankParts, ids: Ids["Service"]): SandboxBank["decideInfraction"] => {
  const { charges, infractions, notices } = parts
  const sendBack = returning(parts, ids)

  return Effect.fn("SandboxPsp.decideInfraction")(function* (id, status) {
    const next = yield* infractions.change(id, (infraction) =>
      Effect.succeed({ entry: decided(infraction, status) })
    )
    if (next === undefined) return undefined
    yield* notices.notify([Infractions.noticeOf(infractions, next.value)])
    const { amount, endToEndId } = next.value
    if (status === "accepted")
      yield* paidOf(charges)(endToEndId).pipe(
        Effect.flatMap(({ payment }) =>
          sendBack(endToEndId, min(amount, minus(payment.amount, payment.returned ?? zero)))
        ),
        Effect.catchTag("SandboxPaymentNotThere", () => Effect.void)
      )
    return toPspInfraction(next.value)
  })
}

/** Nobody else knows the references that are made here. */
const impossible = <A, E, R>(made: Effect.Effect<A, E | SandboxRejected, R>) =>
  Effect.catchTag(made as Effect.Effect<A, E | SandboxRejected, R>, "SandboxRejected", Effect.die)

/** What is paid to the key itself stands in the book like a charge that was paid at once. */
const direct = ({
  amount,
  credential,
  id,
  now,
  payments
}: {
  readonly id: SandboxCharge["id"]
  readonly credential: PspCredentialId
  readonly amount: Centavos
  readonly now: DateTime.Utc
  readonly payments: SandboxCharge["payments"]
}): SandboxCharge =>
  new SandboxCharge({
    id,
    credential,
    reference: TxId.fromUuid(id as Uuid),
    isDirect: true,
    status: "paid",
    amount,
    pixCopyPaste: "",
    createdAt: now,
    expiresAt: now,
    payments
  })
