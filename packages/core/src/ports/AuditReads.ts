import type { Effect } from "effect"
import type { AccountId, LedgerTxId, Uuid, WalletId } from "../kernel/Ids.ts"
import type { LedgerKind, LedgerTx } from "../ledger/LedgerTx.ts"
import type { SystemBucket, WalletBucket } from "../ledger/LedgerAccount.ts"
import type { StorageError } from "../units/Refused.ts"
import type { Wallet } from "../ledger/Wallet.ts"
import type { PageRead } from "./StorageDriver.ts"
import type { Queue, StoredRow } from "../units/Unit.ts"

/** Certain things, or so many in the order of their ids. */
export type AuditPage<Id extends Uuid> = { readonly ids: ReadonlyArray<Id> } | PageRead

/** An operation with all that is kept under its id. */
export interface AuditSubject {
  readonly row: StoredRow
  /**
   * The ledger transactions whose `source` it is, in the order of their ids. Their documents, what a posting `spends` and
   * the order of postings may be left out.
   */
  readonly booked: ReadonlyArray<LedgerTx>
  /** Whether its account has an event under its id. */
  readonly hasEvent: boolean
  /** In which of the lines that were asked for it stands; asked for of those in certain states only. */
  readonly lines: ReadonlyArray<Queue>
}

/** What the postings to one account of the ledger sum to. */
export interface AuditSum {
  readonly owner: Uuid
  readonly bucket: WalletBucket | SystemBucket
  readonly amount: bigint
}

/** A stretch of the ledger: all postings of the transactions after one and up to another. */
export interface AuditStretch {
  /** Its last transaction; undefined where there is none. */
  readonly last: LedgerTxId | undefined
  /** Whether it goes to the end of what was asked for. */
  readonly isEnd: boolean
  /** How many postings. */
  readonly entries: number
  readonly sums: ReadonlyArray<AuditSum>
  /** What its transactions were booked for, each once. */
  readonly sources: ReadonlyArray<Uuid>
  /** Its transactions whose source is no operation. */
  readonly unsourced: ReadonlyArray<LedgerTxId>
  /** Ids of transactions that have postings here and do not exist. */
  readonly orphans: ReadonlyArray<LedgerTxId>
}

/** Sums of postings to the buckets of a wallet. */
export type WalletSums = Readonly<Record<WalletBucket, bigint>>

/** What an audit proved of a wallet: that its postings up to a transaction sum to this. */
export interface ProvedWallet extends WalletSums {
  readonly id: WalletId
  readonly through: LedgerTxId
}

export interface AuditWallet {
  readonly wallet: Omit<Wallet, "updatedAt">
  /** As it was kept last. */
  readonly proved: ProvedWallet | undefined
  /** What its postings sum to: of the transactions after `from` up to `mark`, and of those after `mark`. */
  readonly before: WalletSums
  readonly after: WalletSums
  /** Its operations of the kinds and states that were asked for. */
  readonly open: ReadonlyArray<StoredRow>
}

/** States of kinds. */
export type AuditStates = ReadonlyArray<{
  readonly kind: string
  readonly statuses: ReadonlyArray<string>
}>

/**
 * What the audit asks of a storage: plain reads without a rule in them. Each is answered from one snapshot, and is
 * bounded by what is asked for; the rules are core's (`audit/`, and `*Audit.ts` beside each kind).
 */
export interface AuditReads {
  /** Operations, of every kind. The lines of those in one of `statuses` are looked up, among `queues`. */
  readonly subjects: (
    page: AuditPage<Uuid>,
    lines: { readonly queues: ReadonlyArray<Queue>; readonly statuses: ReadonlyArray<string> }
  ) => Effect.Effect<ReadonlyArray<AuditSubject>, StorageError>
  /** The next `limit` transactions after `after`, up to `upTo`. */
  readonly stretch: (page: {
    readonly after?: LedgerTxId
    readonly upTo?: LedgerTxId
    readonly limit: number
  }) => Effect.Effect<AuditStretch, StorageError>
  /**
   * Wallets, each with what moved it. `from`: where its postings begin to be summed; `proved`: after what was proved of
   * it, or from the beginning where nothing was; undefined: from the beginning.
   */
  readonly wallets: (
    page: AuditPage<WalletId>,
    asked: {
      readonly from?: LedgerTxId | "proved"
      readonly mark: LedgerTxId
      readonly open: AuditStates
    }
  ) => Effect.Effect<ReadonlyArray<AuditWallet>, StorageError>
  /** What of these accounts is in suspense by transactions of these kinds, and their operations in these states. */
  readonly suspense: (
    accounts: ReadonlyArray<AccountId>,
    asked: { readonly kinds: ReadonlyArray<LedgerKind>; readonly open: AuditStates }
  ) => Effect.Effect<
    ReadonlyArray<{
      readonly account: AccountId
      readonly posted: bigint
      readonly open: ReadonlyArray<StoredRow>
    }>,
    StorageError
  >
  /** Looks at the next `limit` deliveries, and answers those whose event does not exist. */
  readonly deliveries: (page: PageRead) => Effect.Effect<
    {
      /** The last one that was looked at; undefined where there are no more. */
      readonly last: Uuid | undefined
      readonly loose: ReadonlyArray<{ readonly id: Uuid; readonly event: Uuid }>
    },
    StorageError
  >
  /** Keeps what was proved of wallets, in the place of what was kept before. No business state. */
  readonly keep: (proved: ReadonlyArray<ProvedWallet>) => Effect.Effect<void, StorageError>
}
