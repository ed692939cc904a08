import type { EventType } from "./EventTypes.ts"

/** Spec, Event kinds: when each is sent. */
export const eventMeanings: Readonly<Record<EventType, string>> = {
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
