import type { Charge, ChargeStatus } from "../charges/Charge.ts"
import { ChargeKind, DepositKind } from "../charges/Charge.ts"
import { chargeStatusesShown, ofCharge, ofDeposit } from "../charges/ChargeTransaction.ts"
import type { ChargeId, ReturnId, WalletId } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import type { Kind, ReadableKind, Versioned } from "../units/Kind.ts"
import type { Return } from "../returns/Return.ts"
import { ReturnKind } from "../returns/Return.ts"
import { TransferKind } from "../transfers/Transfer.ts"
import type {
  Transaction,
  TransactionStatus,
  TransactionType
} from "../transactions/Transaction.ts"
import { WithdrawalKind } from "../withdrawals/Withdrawal.ts"
import {
  ofRefund,
  ofTransfer,
  ofWithdrawal,
  refundStatusesShown,
  withdrawalStatusesShown
} from "./ShownTransaction.ts"

/** The other operations that one has to be shown with. */
export interface Related {
  readonly returning?: ReturnId
  readonly charge?: ChargeId
}

/** Those of them that were found. */
export interface Found {
  readonly returning: Return | undefined
  readonly charge: Charge | undefined
}

/** An operation as its wallet's owner sees it; without a transaction where it is none of its own. */
export interface ShownOperation {
  readonly id: Transaction["id"]
  readonly wallet: WalletId | null
  readonly related: Related
  readonly transaction: (found: Found) => Transaction | undefined
}

/** How one kind of operation is read as a transaction. */
export interface TransactionKind extends ReadableKind<ShownOperation> {
  readonly type: TransactionType
  /** What each status of its rows reads as. */
  readonly statuses: Readonly<Record<string, TransactionStatus>>
}

type Row = Parameters<ReadableKind<unknown>["read"]>[0]

/** Declares how a kind shows. `toTransaction` answers undefined for one that is part of something else. */
const shows = <A, Status extends string>(options: {
  readonly kind: Kind<A>
  readonly type: TransactionType
  readonly statuses: Readonly<Record<Status, TransactionStatus>>
  readonly related?: (value: A) => Related
  readonly toTransaction: (value: A, found: Found) => Transaction | undefined
}): TransactionKind => {
  const { kind, related = (): Related => ({}), statuses, toTransaction, type } = options
  const shown = (row: Row, { value, version }: Versioned<A>): Versioned<ShownOperation> => {
    const shownWith = related(value)
    const isAlone = shownWith.returning === undefined && shownWith.charge === undefined
    let alone: Transaction | undefined
    const transaction = (found: Found): Transaction | undefined =>
      isAlone ? (alone ??= toTransaction(value, found)) : toTransaction(value, found)
    return { version, value: { id: row.id, wallet: row.wallet, related: shownWith, transaction } }
  }
  // What is shown by itself is the same value as long as its row is (decision 0092).
  const known = new WeakMap<Versioned<A>, Versioned<ShownOperation>>()
  return {
    name: kind.name,
    table: kind.table,
    type,
    statuses,
    read: (row) => {
      const read = kind.read(row)
      const before = known.get(read)
      if (before !== undefined) return before
      const now = shown(row, read)
      known.set(read, now)
      return now
    }
  }
}

/** What a charge or a deposit that was not credited is shown with. */
const returningOf = ({ returning }: { readonly returning?: ReturnId }): Related =>
  present({ returning })

/** Every kind of operation that is a transaction. A new one is one entry here. */
export const transactionKinds: ReadonlyArray<TransactionKind> = [
  shows<Charge, ChargeStatus>({
    kind: ChargeKind,
    type: "payment",
    statuses: chargeStatusesShown,
    related: returningOf,
    toTransaction: (charge, { returning }) => ofCharge(charge, returning)
  }),
  shows({
    kind: DepositKind,
    type: "payment",
    statuses: { returning: "failed" },
    related: returningOf,
    toTransaction: (deposit, { returning }) => ofDeposit(deposit, returning)
  }),
  shows({
    kind: ReturnKind,
    type: "refund",
    statuses: refundStatusesShown,
    related: ({ purpose, source }) => (purpose === "refund" ? { charge: source as ChargeId } : {}),
    // Of the returns, only a refund is a transaction: the others show with what they bring back.
    toTransaction: (money, { charge }) => charge && ofRefund(money, charge)
  }),
  shows({
    kind: TransferKind,
    type: "internal_transfer",
    statuses: { completed: "completed" },
    toTransaction: ofTransfer
  }),
  shows({
    kind: WithdrawalKind,
    type: "withdrawal",
    statuses: withdrawalStatusesShown,
    toTransaction: ofWithdrawal
  })
]
