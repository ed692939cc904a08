import { Schema } from "effect"
import { paymentMethod } from "../kernel/PaymentMethod.ts"

/** A time in an event: RFC 3339 in UTC with milliseconds. */
const Time = Schema.String.annotate({ format: "date-time" }).check(
  Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u)
)

const Id = Schema.String.annotate({ format: "uuid" }).check(
  Schema.isPattern(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u)
)

/** An amount in an event: a JSON number in BRL from zero up, with at most two decimals. */
const Brl = Schema.Finite.check(
  Schema.makeFilter((amount: number) => amount >= 0 && /^\d+(\.\d{1,2})?$/.test(String(amount)), {
    toJsonSchema: () => ({ minimum: 0, multipleOf: 0.01 })
  })
)

const Nothing = Schema.Literal(0)
const some = Schema.optionalKey
const Text = Schema.String
const Metadata = Schema.Record(Schema.String, Schema.Unknown)
/** How the money of an event travels. */
const Method = Schema.Literal(paymentMethod)

const money = {
  environment: Schema.Literals(["production", "sandbox"]),
  amount: Brl,
  currency: Schema.Literal("BRL")
}

const counterpart = {
  e2eId: some(Text),
  counterpartName: some(Text),
  counterpartDocument: some(Text)
}

const BlockedDeposit = Schema.Struct({
  reason: Text,
  refund: Schema.NullOr(
    Schema.Struct({
      status: Schema.Literals(["pending", "confirmed", "failed"]),
      e2eId: Schema.NullOr(Text),
      settledAt: Schema.NullOr(Time)
    })
  )
})

/** Spec, data of payment_completed. */
const PaymentCompleted = Schema.Struct({
  transactionId: Id,
  ...money,
  feeAmount: Brl,
  netAmount: Brl,
  split: some(Schema.Array(Schema.Struct({ subAccount: Text, amount: Brl }))),
  paymentMethod: Method,
  status: Schema.Literal("completed"),
  completedAt: Time,
  externalReference: some(Text),
  ...counterpart,
  metadata: some(Metadata)
})

/** Spec, data of payment_expired. */
const PaymentExpired = Schema.Struct({
  transactionId: Id,
  ...money,
  feeAmount: Nothing,
  netAmount: Nothing,
  paymentMethod: Method,
  status: Schema.Literal("expired"),
  expiredAt: Time,
  externalReference: some(Text),
  metadata: some(Metadata)
})

/** Spec, payment_failed; the fields beyond `blockedDeposit` follow payment_completed (decision 0027). */
const PaymentFailed = Schema.Struct({
  transactionId: Id,
  ...money,
  feeAmount: Nothing,
  netAmount: Nothing,
  paymentMethod: Method,
  status: Schema.Literal("failed"),
  failureReason: Schema.Literal("deposit_blocked"),
  failedAt: Time,
  externalReference: some(Text),
  ...counterpart,
  metadata: some(Metadata),
  blockedDeposit: BlockedDeposit
})

/** Spec, refund_completed; the other fields follow payment_completed (decision 0027). */
const RefundCompleted = Schema.Struct({
  transactionId: Id,
  originalTransactionId: Id,
  ...money,
  feeAmount: Brl,
  netAmount: Brl,
  paymentMethod: Method,
  status: Schema.Literal("completed"),
  reason: some(Text),
  completedAt: Time,
  externalReference: some(Text),
  returnId: some(Text),
  ...counterpart,
  metadata: some(Metadata)
})

const withdrawal = {
  withdrawalId: Id,
  transactionId: Id,
  ...money,
  feeAmount: Brl,
  netAmount: Brl,
  paymentMethod: Method,
  pixKey: Text,
  pixKeyType: Schema.Literals(["cpf", "cnpj", "email", "phone", "random"]),
  holderName: some(Text),
  holderDocument: some(Text),
  externalReference: some(Text),
  projectId: some(Id),
  pspReference: some(Text),
  ...counterpart
}

const WithdrawalCompleted = Schema.Struct({
  ...withdrawal,
  status: Schema.Literal("completed"),
  completedAt: Time
})

const WithdrawalFailed = Schema.Struct({
  ...withdrawal,
  status: Schema.Literal("failed"),
  failureReason: Text,
  failureMessage: some(Text),
  failedAt: Time
})

const WithdrawalReversed = Schema.Struct({
  ...withdrawal,
  status: Schema.Literal("reversed"),
  failureReason: some(Text),
  failureMessage: some(Text),
  reversedAt: Time,
  reversedAmount: Brl,
  returnId: some(Text)
})

const block = {
  balanceBlockId: Id,
  transactionId: Id,
  ...money,
  blockType: Text,
  reason: some(Text),
  referenceNumber: some(Text),
  e2eId: some(Text),
  externalReference: some(Text),
  responseDueAt: some(Time),
  defenseSubmittedAt: some(Time),
  createdAt: Time
}

const BalanceBlockCreated = Schema.Struct({
  ...block,
  status: Schema.Literal("awaiting_response")
})

const resolved = { resolvedAt: Time, resolutionReason: some(Text) }

const BalanceBlockApproved = Schema.Struct({
  ...block,
  ...resolved,
  approvedAmount: some(Brl),
  status: Schema.Literal("approved")
})

const BalanceBlockRejected = Schema.Struct({
  ...block,
  ...resolved,
  status: Schema.Literal("rejected")
})

/** The body of a delivery (spec, Envelope). */
const event = <Type extends string, Data extends Schema.Top>(type: Type, data: Data) =>
  Schema.Struct({
    event: Schema.Literal(type),
    eventId: Text,
    timestamp: Time,
    subAccount: Schema.NullOr(Text.check(Schema.isPattern(/^[a-z0-9][a-z0-9_-]{1,31}$/u))),
    data
  }).annotate({ identifier: `${type}_event` })

/**
 * Every kind of event that an endpoint can ask for, and what is sent for it, whole: the contract with receivers. Slices build the data as plain objects;
 * the tests hold every body that goes out against these.
 */
export const eventSchemas = {
  payment_completed: event("payment_completed", PaymentCompleted),
  payment_expired: event("payment_expired", PaymentExpired),
  payment_failed: event("payment_failed", PaymentFailed),
  refund_completed: event("refund_completed", RefundCompleted),
  withdrawal_completed: event("withdrawal_completed", WithdrawalCompleted),
  withdrawal_failed: event("withdrawal_failed", WithdrawalFailed),
  withdrawal_reversed: event("withdrawal_reversed", WithdrawalReversed),
  balance_block_created: event("balance_block_created", BalanceBlockCreated),
  balance_block_approved: event("balance_block_approved", BalanceBlockApproved),
  balance_block_rejected: event("balance_block_rejected", BalanceBlockRejected)
} as const

/** Spec, Event kinds: when each is sent. */
export const eventMeanings: Readonly<Record<keyof typeof eventSchemas, string>> = {
  payment_completed: "A payment was confirmed and credited.",
  payment_expired: "A charge came to its end without a payment.",
  payment_failed:
    "A payment arrived and was refused by a policy of the account. Nothing was credited, there is no fee, and the amount goes back to the payer.",
  refund_completed:
    "A refund reached the payer. Its fee is debited beside the amount: the cost in all is amount plus feeAmount.",
  withdrawal_completed: "A withdrawal reached its recipient.",
  withdrawal_failed:
    "A withdrawal was rejected or failed. All that was held for it is available again; the amounts are those that were accepted.",
  withdrawal_reversed:
    "A completed withdrawal came back. Its gross amount, the fee included, is available again.",
  balance_block_created: "Balance was blocked (MED, judicial or administrative).",
  balance_block_approved: "A block was approved: the amount went back to the payer.",
  balance_block_rejected: "A block was rejected: the amount is the merchant's again."
}
