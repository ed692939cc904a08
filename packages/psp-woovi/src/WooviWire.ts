import type {
  Payer,
  PspCharge,
  PspInfraction,
  PspPayment,
  PspPayout,
  PspReceivedReturn
} from "@pagora/core"
import { EndToEndId, Money } from "@pagora/core"
import { DateTime, Result, Schema } from "effect"

// Woovi's JSON, as its openapi has it, in values of Pagora. It leaves out what it does not know, or writes null.

const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optional(Schema.NullOr(schema))
const Text = maybe(Schema.String)
const Time = Schema.DateTimeUtcFromString
/** Its amounts are whole centavos (docs/apis/api-common-fields). */
const Cents = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const centavos = (cents: number): Money.Centavos => Money.Centavos.make(BigInt(cents))

type Told = string | null | undefined
export const isEndToEndId = (text: Told): text is string =>
  Result.isSuccess(EndToEndId.parse(text ?? ""))
const isReturnId = (text: Told): text is string =>
  Result.isSuccess(EndToEndId.parseReturn(text ?? ""))
/** References stand in paths, and are the keys by which Woovi knows a repeat. */
export const isReference = (text: Told): text is string => /^[A-Za-z0-9]{26,35}$/.test(text ?? "")

const payerOf = (name: Told, taxID: Told): Payer => {
  const document = (taxID ?? "").replaceAll(/[^0-9A-Za-z]/g, "").toUpperCase()
  const isDocument = /^(\d{11}|[0-9A-Z]{12}\d{2})$/.test(document)
  return { ...(name && { name }), ...(isDocument && { document }) }
}

/** Codes of Woovi (docs/payment/payment-failed-errors) and of the network (docs/flows/error-codes-payment), by our word. */
const reasons: ReadonlyArray<readonly [word: string, codes: RegExp]> = [
  [
    "insufficient_psp_balance",
    /^(NOT_ENOUGH_BALANCE|AM04)$|enough balance|saldo (o )?(in)?suficiente/i
  ],
  ["invalid_pix_key", /^INVALID_PIX_KEY$/],
  ["pix_key_not_found", /^PIX_KEY_INFO_NOT_FOUND$/],
  ["holder_mismatch", /^(BE01|CH11)$/],
  ["account_blocked", /^(ACCOUNT_TRANSACTION_BLOCKED_BY_MED|AC06)$/],
  ["account_closed", /^AC07$/],
  ["invalid_account", /^(ACCOUNT_NOT_FOUND|AC03|AC14)$/],
  ["limit_exceeded", /^((ALIAS|ACCOUNT)_LIMIT_ERROR|REACH_TRANSFER_LIMIT|AM02)$/],
  ["rejected_by_recipient_psp", /^(AB09|DS04)$/],
  ["fraud_suspected", /^(FRAD|ENTRY_ASSOCIATED_WITH_RESTRICTED_ACCOUNT_OR_USER)$/],
  ["compliance", /^RR04$/],
  ["duplicate", /^DUPL$/]
]
/** A code that is not here is passed on as it is. */
export const reasonOf = (code: string, message = ""): string =>
  reasons.find(([, codes]) => codes.test(code) || codes.test(message))?.[0] ?? code

export const Charge = Schema.Struct({
  charge: Schema.Struct({
    correlationID: Schema.String,
    paymentLinkID: Schema.String,
    status: Schema.Literals(["ACTIVE", "COMPLETED", "EXPIRED"]),
    value: Cents,
    brCode: Schema.String,
    createdAt: Time,
    expiresDate: Time,
    additionalInfo: maybe(Schema.Array(Schema.Struct({ key: Text, value: Text })))
  })
})
const chargeStatuses = { ACTIVE: "active", COMPLETED: "paid", EXPIRED: "removed" } as const

/** How long a charge was asked to live stands beside it: at Woovi it lives for five minutes at least, and ends when cancelled. */
export const lifetime = (seconds: number) => ({ key: "Validade", value: `${seconds} s` })

export const chargeOf = (
  { charge }: typeof Charge.Type,
  payments: ReadonlyArray<PspPayment>
): PspCharge => {
  const told = charge.additionalInfo?.find(({ key }) => key === lifetime(0).key)?.value
  const seconds = Number.parseInt(told ?? "", 10)
  return {
    reference: charge.correlationID,
    pspPaymentId: charge.paymentLinkID,
    status: payments.length > 0 ? "paid" : chargeStatuses[charge.status],
    amount: centavos(charge.value),
    pixCopyPaste: charge.brCode,
    createdAt: charge.createdAt,
    expiresAt: seconds > 0 ? DateTime.add(charge.createdAt, { seconds }) : charge.expiresDate,
    payments
  }
}

/** Money that moved: in or out, a return, a fee (docs/webhook/examples/transaction-received-payload). */
const Transaction = Schema.Struct({
  type: Text,
  status: Text,
  endToEndId: Text,
  value: Schema.Int,
  time: Time,
  charge: maybe(Schema.Struct({ correlationID: Text })),
  withdraw: maybe(Schema.Struct({ endToEndId: Text })),
  payer: maybe(Schema.Struct({ name: Text, taxID: maybe(Schema.Struct({ taxID: Text })) }))
})
type Transaction = typeof Transaction.Type
export const OneTransaction = Schema.Struct({ transaction: Transaction })
export const Transactions = Schema.Struct({
  transactions: Schema.Array(Transaction),
  pageInfo: Schema.Struct({ skip: Cents, limit: Cents, hasNextPage: maybe(Schema.Boolean) })
})

/** What came in names the charge that it pays, or who paid. Undefined for whatever else moved, and what has not yet. */
export const paymentOf = ({
  charge,
  endToEndId,
  payer,
  status,
  time,
  type,
  value
}: Transaction) => {
  const isUnderWay = ["CREATED", "IN_PROCESSING", "REJECTED"].includes(status ?? "")
  if (type !== "PAYMENT" || !(charge ?? payer) || value <= 0 || isUnderWay) return undefined
  if (!isEndToEndId(endToEndId)) return undefined
  const reference = charge?.correlationID
  return {
    endToEndId,
    amount: centavos(value),
    paidAt: time,
    payer: payerOf(payer?.name, payer?.taxID?.taxID),
    ...(reference && { reference })
  }
}

/** `ChargeRefund` and `Refund` name their ends, and the network's id of a return, each in its way. */
const Refund = Schema.Struct({
  correlationID: Schema.String,
  value: Cents,
  status: Schema.String,
  endToEndId: Text,
  returnIdentification: Text,
  time: maybe(Time)
})
export const MadeRefund = Schema.Struct({ refund: Refund })
export const FoundRefund = Schema.Struct({ pixTransactionRefund: Refund })
export const Refunds = Schema.Struct({ refunds: Schema.Array(Refund) })

export const returnOf = (refund: typeof Refund.Type): PspReceivedReturn => {
  const isDone = ["CONFIRMED", "REFUNDED"].includes(refund.status)
  const isRefused = ["REJECTED", "NOT_ACCOMPLISHED"].includes(refund.status)
  const returnId = [refund.returnIdentification, refund.endToEndId].find(isReturnId)
  return {
    reference: refund.correlationID,
    amount: centavos(refund.value),
    status: isDone ? "confirmed" : isRefused ? "rejected" : "processing",
    ...(returnId && { returnId }),
    ...(isDone && refund.time && { settledAt: refund.time })
  }
}

/** A payout: `Payment`, `PaymentTransaction` and `PaymentDestination`. */
export const Payment = Schema.Struct({
  payment: Schema.Struct({
    correlationID: Schema.String,
    value: Cents,
    status: Schema.String,
    destinationAlias: Text
  }),
  transaction: maybe(
    Schema.Struct({
      endToEndId: Text,
      time: maybe(Time),
      providerErrorCode: Text,
      providerRejectedReason: Text
    })
  ),
  destination: maybe(Schema.Struct({ name: Text, taxID: Text, pixKey: Text })),
  error: maybe(Schema.Struct({ code: Text, description: Text }))
})
export type Payment = typeof Payment.Type

/** A status of another name is of one under way. It has no id of its own for a payout. */
export const payoutOf = ({ destination, error, payment, transaction }: Payment): PspPayout => {
  const isDone = payment.status === "CONFIRMED"
  const isRefused = ["FAILED", "DENIED", "REJECTED"].includes(payment.status)
  const told = transaction?.providerRejectedReason ?? error?.description ?? ""
  const ofNetwork = transaction?.providerErrorCode ?? /^([A-Z0-9]{4}) - /.exec(told)?.[1]
  const code = reasonOf(ofNetwork ?? error?.code ?? "psp_rejected", told)
  return {
    reference: payment.correlationID,
    pspReference: payment.correlationID,
    status: isDone ? "completed" : isRefused ? "rejected" : "processing",
    amount: centavos(payment.value),
    recipient: payerOf(destination?.name, destination?.taxID),
    ...(isEndToEndId(transaction?.endToEndId) && { endToEndId: transaction.endToEndId }),
    ...(isDone && transaction?.time && { settledAt: transaction.time }),
    ...(isRefused && { rejection: { code, message: told || "Woovi does not say why." } })
  }
}

/**
 * `CONFIRMED` is not the end (event `OPENPIX:MOVEMENT_FAILED`): what came back shows by the transaction of its return, which must
 * name the payout. Another of the same amount would credit a wallet with money that is gone.
 */
export const afterReturn = (payout: PspPayout, related: ReadonlyArray<Transaction>): PspPayout => {
  const back = related.find(
    ({ endToEndId, type, value, withdraw }) =>
      type === "REFUND" &&
      isReturnId(endToEndId) &&
      withdraw?.endToEndId === payout.endToEndId &&
      BigInt(Math.abs(value)) === payout.amount
  )
  if (!back?.endToEndId) return payout
  const { rejection, ...rest } = payout
  const reversal = { returnId: back.endToEndId, at: back.time, code: rejection?.code ?? "returned" }
  return { ...rest, status: "reversed", reversal }
}

/** Of a MED neither the amount nor the time is told (docs/disputa/dispute-get-payload). */
export const Dispute = Schema.Struct({
  dispute: Schema.Struct({
    endToEndId: Schema.String,
    status: Schema.String,
    id: Text,
    value: maybe(Schema.Unknown),
    disputeReason: Text
  })
})
const disputeStatuses: Readonly<Record<string, PspInfraction["status"]>> = {
  ACCEPTED: "accepted",
  REJECTED: "rejected",
  CANCELED: "cancelled"
}

/** Its id is MongoDB's, which begins with the second in which it was made. */
export const infractionOf = (
  { dispute }: typeof Dispute.Type,
  payment: PspPayment
): PspInfraction => {
  const [, second] = /^([0-9a-f]{8})[0-9a-f]{16}$/.exec(dispute.id ?? "") ?? []
  const cents = Number(dispute.value)
  return {
    id: dispute.endToEndId,
    endToEndId: dispute.endToEndId,
    status: disputeStatuses[dispute.status] ?? "open",
    amount: Number.isSafeInteger(cents) && cents > 0 ? centavos(cents) : payment.amount,
    reportedAt: second ? DateTime.makeUnsafe(Number.parseInt(second, 16) * 1_000) : payment.paidAt,
    ...(dispute.disputeReason && { reason: dispute.disputeReason })
  }
}
