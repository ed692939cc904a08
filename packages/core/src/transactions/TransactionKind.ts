import type { ChargeStatus } from "../charges/Charge.ts"
import { ChargeKind, DepositKind } from "../charges/Charge.ts"
import type { WalletId } from "../kernel/Ids.ts"
import type { Kind, ReadableKind } from "../ports/Kind.ts"
import type { Transaction, TransactionStatus, TransactionType } from "./Transaction.ts"
import { TransferKind } from "../transfers/Transfer.ts"
import { chargeStatusesShown, ofCharge, ofDeposit, ofTransfer } from "./Transaction.ts"

/** An operation as its wallet's owner sees it; without a transaction where it is none of its own. */
export interface ShownOperation {
  readonly id: Transaction["id"]
  readonly wallet: WalletId | null
  readonly transaction: Transaction | undefined
}

/** How one kind of operation is read as a transaction. */
export interface TransactionKind extends ReadableKind<ShownOperation> {
  readonly type: TransactionType
  /** What each status of its rows reads as. */
  readonly statuses: Readonly<Record<string, TransactionStatus>>
}

/** Declares how a kind shows. `toTransaction` answers undefined for one that is part of something else. */
const shows = <A, Status extends string>(options: {
  readonly kind: Kind<A>
  readonly type: TransactionType
  readonly statuses: Readonly<Record<Status, TransactionStatus>>
  readonly toTransaction: (value: A) => Transaction | undefined
}): TransactionKind => {
  const { kind, statuses, toTransaction, type } = options
  return {
    name: kind.name,
    table: kind.table,
    type,
    statuses,
    read: (row) => {
      const { value, version } = kind.read(row)
      return {
        version,
        value: { id: row.id, wallet: row.wallet, transaction: toTransaction(value) }
      }
    }
  }
}

/** Every kind of operation that is a transaction. A new one is one entry here. */
export const transactionKinds: ReadonlyArray<TransactionKind> = [
  shows<Parameters<typeof ofCharge>[0], ChargeStatus>({
    kind: ChargeKind,
    type: "payment",
    statuses: chargeStatusesShown,
    toTransaction: ofCharge
  }),
  shows({
    kind: DepositKind,
    type: "payment",
    statuses: { returning: "failed" },
    toTransaction: ofDeposit
  }),
  shows({
    kind: TransferKind,
    type: "internal_transfer",
    statuses: { completed: "completed" },
    toTransaction: ofTransfer
  })
]
