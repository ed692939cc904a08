/** Every kind of event that an endpoint can ask for (spec, Event kinds). */
export const eventTypes = [
  "payment_completed",
  "payment_expired",
  "payment_failed",
  "refund_completed",
  "withdrawal_completed",
  "withdrawal_failed",
  "withdrawal_reversed",
  "balance_block_created",
  "balance_block_approved",
  "balance_block_rejected"
] as const
export type EventType = (typeof eventTypes)[number]
