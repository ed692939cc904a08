import { DateTime } from "effect"
import type { Charge, Deposit } from "../charges/Charge.ts"
import type { BlockedDeposit } from "../charges/ChargeEvents.ts"
import { blockedDeposit } from "../charges/ChargeEvents.ts"
import type { Uuid } from "../kernel/Ids.ts"
import { epochMillisOf } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { LedgerKind, LedgerTx } from "../ledger/LedgerTx.ts"
import type { Transfer } from "../transfers/Transfer.ts"
import { bookingOf } from "../transfers/Transfer.ts"
import type { Return } from "../returns/Return.ts"
import type { Withdrawal } from "../withdrawals/Withdrawal.ts"

/** The kinds of transaction that the API knows (spec, Transaction). */
export const transactionTypes = [
  "payment",
  "fee",
  "refund",
  "chargeback",
  "withdrawal",
  "adjustment",
  "referral_commission",
  "internal_transfer"
] as const
export type TransactionType = (typeof transactionTypes)[number]

export const transactionStatuses = ["pending", "completed", "failed", "cancelled"] as const
export type TransactionStatus = (typeof transactionStatuses)[number]

/** One line of a wallet's history as its owner sees it, whatever it is stored as. */
export interface Transaction {
  readonly id: Uuid
  readonly status: TransactionStatus
  readonly type: TransactionType
  readonly amount: Centavos
  readonly createdAt: DateTime.Utc
  readonly description?: string
  readonly externalReference?: string
  readonly customerId?: string
  readonly projectId?: string
  /** JSON text. */
  readonly metadata?: string
  readonly pixCopyPaste?: string
  readonly expiresAt?: DateTime.Utc
  readonly paidAt?: DateTime.Utc
  readonly e2eId?: string
  readonly counterpartName?: string
  readonly counterpartDocument?: string
  readonly failureReason?: string
  readonly blockedDeposit?: BlockedDeposit
  readonly updatedAt?: DateTime.Utc
}

type Present<A> = { readonly [K in keyof A]?: Exclude<A[K], undefined> }

/** Leaves fields without a value out. */
const present = <A extends object>(fields: A): Present<A> => {
  const left: { [K in keyof A]?: A[K] } = {}
  for (const name in fields) if (fields[name] !== undefined) left[name] = fields[name]
  return left as Present<A>
}

/** What the states of a charge read as. */
export const chargeStatusesShown = {
  creating: "pending",
  pending: "pending",
  completed: "completed",
  expired: "cancelled",
  cancelled: "cancelled",
  failed: "failed"
} as const

/** The code and its end show while it can be paid (spec, Transaction); an expired charge reads `cancelled`. */
export const ofCharge = (charge: Charge, returning?: Return): Transaction => {
  const isPayable = charge.status === "pending"
  return {
    id: charge.id,
    status: chargeStatusesShown[charge.status],
    type: "payment",
    amount: charge.amount,
    createdAt: charge.createdAt,
    ...present({
      description: charge.description,
      externalReference: charge.externalReference,
      customerId: charge.customerId,
      projectId: charge.projectId,
      metadata: charge.metadata,
      pixCopyPaste: isPayable ? charge.pixCopyPaste : undefined,
      expiresAt: isPayable ? charge.expiresAt : undefined,
      paidAt: charge.paidAt,
      e2eId: charge.e2eId,
      counterpartName: charge.counterpartName,
      counterpartDocument: charge.counterpartDocument,
      failureReason: charge.failureReason,
      blockedDeposit:
        charge.blockedReason === undefined
          ? undefined
          : blockedDeposit(charge.blockedReason, returning),
      updatedAt: returning?.updatedAt ?? charge.updatedAt
    })
  }
}

export const ofDeposit = (deposit: Deposit, returning?: Return): Transaction => ({
  id: deposit.id,
  status: "failed",
  type: "payment",
  amount: deposit.amount,
  createdAt: deposit.createdAt,
  paidAt: deposit.paidAt,
  e2eId: deposit.e2eId,
  failureReason: "deposit_blocked",
  blockedDeposit: blockedDeposit(deposit.reason, returning),
  updatedAt: returning?.updatedAt ?? deposit.createdAt,
  ...present({
    counterpartName: deposit.counterpartName,
    counterpartDocument: deposit.counterpartDocument
  })
})

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
