import { DateTime } from "effect"
import type { Charge } from "../charges/Charge.ts"
import { epochMillisOf } from "../kernel/Ids.ts"
import type { LedgerKind, LedgerTx } from "../ledger/LedgerTx.ts"
import type { Return } from "../returns/Return.ts"
import type { Transaction, TransactionType } from "../transactions/Transaction.ts"
import { present } from "../kernel/Present.ts"
import type { Transfer } from "../transfers/Transfer.ts"
import { bookingOf } from "../transfers/Transfer.ts"
import type { Withdrawal } from "../withdrawals/Withdrawal.ts"

/** What the status of a refund reads as. */
export const refundStatusesShown = {
  requested: "pending",
  processing: "pending",
  confirmed: "completed",
  failed: "failed",
  replaced: "failed"
} as const

/** A refund; its counterpart is who paid `charge`, and now gets it back. */
export const ofRefund = (refund: Return, charge: Charge): Transaction => ({
  id: refund.id,
  status: refundStatusesShown[refund.status],
  type: "refund",
  amount: refund.amount,
  createdAt: refund.createdAt,
  updatedAt: refund.updatedAt,
  ...present({
    description: refund.reason,
    e2eId: refund.returnId,
    counterpartName: charge.counterpartName,
    counterpartDocument: charge.counterpartDocument,
    failureReason: refund.failureReason
  })
})

export const withdrawalStatusesShown = {
  pending: "pending",
  processing: "pending",
  manual_review: "pending",
  completed: "completed",
  failed: "failed",
  // What came back is a transaction of its own, an adjustment.
  reversed: "completed"
} as const

/** While it is being processed there is no booking of it yet, and it is found all the same (spec, Endpoint rules 2). */
export const ofWithdrawal = (withdrawal: Withdrawal): Transaction => ({
  id: withdrawal.id,
  status: withdrawalStatusesShown[withdrawal.status],
  type: "withdrawal",
  amount: withdrawal.amount,
  createdAt: withdrawal.createdAt,
  updatedAt: withdrawal.updatedAt,
  ...present({
    externalReference: withdrawal.externalReference,
    projectId: withdrawal.projectId,
    paidAt: withdrawal.status === "failed" ? undefined : withdrawal.processedAt,
    e2eId: withdrawal.e2eId,
    counterpartName: withdrawal.counterpartName,
    counterpartDocument: withdrawal.counterpartDocument,
    failureReason: withdrawal.failureReason
  })
})

/** What a ledger transaction may carry for reading. */
interface LedgerText {
  readonly description?: string
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** Bookings that are transactions by themselves, under their own type; others are shown by what they belong to. */
export const bookedTypes = [
  "fee",
  "internal_transfer",
  "chargeback",
  "adjustment",
  "referral_commission"
] as const satisfies ReadonlyArray<TransactionType & LedgerKind>

export const ofLedgerTx = (tx: LedgerTx): Transaction | undefined => {
  const type = bookedTypes.find((candidate) => candidate === tx.kind)
  if (type === undefined) return undefined
  const { description, metadata }: LedgerText = tx.document === null ? {} : JSON.parse(tx.document)
  return {
    id: tx.id,
    status: "completed",
    type,
    amount: tx.amount,
    createdAt: DateTime.makeUnsafe(epochMillisOf(tx.id)),
    ...present({
      description,
      metadata: metadata === undefined ? undefined : JSON.stringify(metadata)
    })
  }
}

/** As the wallet that it leaves has it: its booking, and the reference that its caller gave it there. */
export const ofTransfer = (transfer: Transfer): Transaction | undefined => {
  const booked = ofLedgerTx(bookingOf(transfer))
  return booked && { ...booked, ...present({ externalReference: transfer.externalReference }) }
}
