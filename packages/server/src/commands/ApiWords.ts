import type { OperatorAnswer, OperatorBody } from "@pagora/core/client"

// The words that flags take. They are the API's own: a list that has one too few or too many does not compile. Taken as
// types alone (decision 0056), because the values of `@pagora/core` come with the whole service, for which `--help` would
// wait.

/** The words of a type, every one of them. */
const every = <Word extends string>(words: Readonly<Record<Word, true>>): ReadonlyArray<Word> =>
  Object.keys(words) as ReadonlyArray<string> as ReadonlyArray<Word>

export const accountStatuses = every<OperatorAnswer<"accounts", "get">["status"]>({
  pending: true,
  approved: true,
  rejected: true,
  suspended: true,
  closed: true
})

export const blockTypes = every<OperatorBody<"blocks", "create">["blockType"]>({
  med: true,
  judicial: true,
  administrative: true
})

type Delivery = OperatorAnswer<"deliveries", "get">

export const deliveryStatuses = every<Delivery["status"]>({
  queued: true,
  delivered: true,
  exhausted: true,
  cancelled: true,
  resent: true
})

type Transaction = OperatorAnswer<"history", "transactions">["data"][number]

export const transactionTypes = every<Transaction["type"]>({
  payment: true,
  fee: true,
  refund: true,
  chargeback: true,
  withdrawal: true,
  adjustment: true,
  referral_commission: true,
  internal_transfer: true
})

export const transactionStatuses = every<Transaction["status"]>({
  pending: true,
  completed: true,
  failed: true,
  cancelled: true
})

export const discrepancyStatuses = every<
  OperatorAnswer<"discrepancies", "list">["data"][number]["status"]
>({ open: true, resolved: true })

export const permissions = every<OperatorBody<"credentials", "issue">["permissions"][number]>({
  "TRANSACTION:READ": true,
  "PIX:WRITE": true,
  "WITHDRAWAL:WRITE": true,
  "REFUND:WRITE": true,
  "PROJECT:READ": true,
  "PROJECT:WRITE": true,
  "SUBACCOUNT:READ": true,
  "SUBACCOUNT:WRITE": true,
  "ACCOUNT:READ": true,
  "BALANCE_BLOCK:READ": true,
  "WEBHOOK:READ": true,
  "WEBHOOK:WRITE": true,
  FULL_ACCESS: true
})

/** What an endpoint can subscribe to. */
export const eventTypes = every<NonNullable<OperatorBody<"webhooks", "create">["events"]>[number]>({
  payment_completed: true,
  payment_expired: true,
  payment_failed: true,
  refund_completed: true,
  withdrawal_completed: true,
  withdrawal_failed: true,
  withdrawal_reversed: true,
  balance_block_created: true,
  balance_block_approved: true,
  balance_block_rejected: true
})
