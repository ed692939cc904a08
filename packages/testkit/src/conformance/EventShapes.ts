// The events of the specification, as data.
import { anObject, brl, exactly, instant, listOf, orNull, record, someText, uuid } from "./Shape.ts"
import type { Shape } from "./Shape.ts"
import { blockedDepositShape } from "./SpecShapes.ts"

export const eventKinds = [
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
export type EventKind = (typeof eventKinds)[number]

const environment = exactly("production", "sandbox")
const pix = { currency: exactly("BRL"), paymentMethod: exactly("pix") }
const ofPayment = { externalReference: someText, metadata: anObject }
const ofPayer = { e2eId: someText, counterpartName: someText, counterpartDocument: someText }

/** A leg of what was distributed; one that the fee has used up is 0. */
const legs = listOf(record({ required: { subAccount: someText, amount: brl } }))

// Open where the specification does not show every field.
const dataShapes: Readonly<Record<EventKind, Shape>> = {
  payment_completed: record({
    required: {
      transactionId: uuid,
      environment,
      amount: brl,
      feeAmount: brl,
      netAmount: brl,
      ...pix,
      status: exactly("completed"),
      completedAt: instant
    },
    optional: { split: legs, ...ofPayment, ...ofPayer }
  }),
  payment_expired: record({
    required: {
      transactionId: uuid,
      environment,
      amount: brl,
      feeAmount: exactly(0),
      netAmount: exactly(0),
      ...pix,
      status: exactly("expired"),
      expiredAt: instant
    },
    optional: ofPayment
  }),
  payment_failed: record({
    required: {
      transactionId: uuid,
      environment,
      amount: brl,
      feeAmount: exactly(0),
      ...pix,
      blockedDeposit: blockedDepositShape
    },
    optional: { ...ofPayment, ...ofPayer },
    open: true
  }),
  refund_completed: record({
    required: {
      transactionId: uuid,
      originalTransactionId: uuid,
      environment,
      amount: brl,
      feeAmount: brl,
      netAmount: brl,
      ...pix,
      status: exactly("completed"),
      completedAt: instant
    },
    optional: { ...ofPayment, ...ofPayer },
    open: true
  }),
  withdrawal_completed: ofWithdrawal("completed", "completedAt"),
  withdrawal_failed: ofWithdrawal("failed", "failedAt"),
  withdrawal_reversed: ofWithdrawal("reversed", "reversedAt"),
  balance_block_created: ofBlock("awaiting_response"),
  balance_block_approved: ofBlock("approved"),
  balance_block_rejected: ofBlock("rejected")
}

function ofWithdrawal(status: string, endedAt: string): Shape {
  return record({
    required: {
      transactionId: uuid,
      environment,
      amount: brl,
      feeAmount: brl,
      netAmount: brl,
      ...pix,
      status: exactly(status),
      [endedAt]: instant
    },
    optional: { ...ofPayer, externalReference: someText, projectId: uuid },
    open: true
  })
}

function ofBlock(status: string): Shape {
  return record({
    required: {
      balanceBlockId: uuid,
      transactionId: uuid,
      environment,
      amount: brl,
      currency: exactly("BRL"),
      status: exactly(status),
      blockType: exactly("med", "judicial", "administrative"),
      createdAt: instant
    },
    optional: { resolvedAt: instant, resolutionReason: someText },
    open: true
  })
}

/** The envelope with the data of this kind of event. */
export const eventShape = (kind: EventKind): Shape =>
  record({
    required: {
      event: exactly(kind),
      eventId: someText,
      timestamp: instant,
      subAccount: orNull(someText),
      data: dataShapes[kind]
    }
  })
