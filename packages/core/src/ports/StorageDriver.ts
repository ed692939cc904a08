import type { Duration, Effect } from "effect"
import { Context } from "effect"
import type { DateTime } from "effect"
import type {
  AccountId,
  DeliveryId,
  EndpointId,
  EventRowId,
  LeaseToken,
  LedgerTxId,
  Uuid,
  WalletId,
  WriteId
} from "../kernel/Ids.ts"
import type { LedgerKind, LedgerTx } from "../ledger/LedgerTx.ts"
import type { Wallet } from "../ledger/Wallet.ts"
import type { AuditReads } from "./AuditReads.ts"
import type { FactKeys, Facts } from "../units/Facts.ts"
import type { MergedUnit } from "../units/MergedUnit.ts"
import type { StorageError } from "../units/Refused.ts"
import type {
  AttemptRow,
  DeliveryStatus,
  EventRow,
  IdempotencyScope,
  JobRef,
  Queue,
  RowTable,
  StoredRow
} from "../units/Unit.ts"

/** A question for whatever a name leads to. */
export type Lookup =
  /**
   * By any of the names of a transaction, within a wallet, the first that there is: the operation or the movement under the
   * id; the newest operation with the name as its caller's reference; the entity of the newest record with the name as its
   * Idempotency-Key, whatever its route.
   */
  | {
      readonly _tag: "Name"
      readonly wallet: WalletId
      readonly id?: Uuid
      readonly name?: string
    }
  /** The holder of a name that is unique by itself. */
  | { readonly _tag: "Key"; readonly space: string; readonly key: string }
  /** The row of a kind in the registry that is the only one of its wallet. */
  | { readonly _tag: "Only"; readonly wallet: WalletId; readonly kind: string }

/** What is asked for by a name of its own: an entity by its id, or what a lookup finds. */
export type Question =
  | { readonly _tag: "Row"; readonly table: RowTable; readonly id: Uuid }
  | Lookup

/** What was found, with the row that has its id, where there is one. */
export interface Seen {
  readonly id: Uuid
  readonly row: StoredRow | undefined
}

/** So many rows at most, from just after one of them. */
export interface PageRead {
  readonly after?: Uuid
  readonly limit: number
}

/** Rows of one kind, in the order of their ids, from just after `after`. */
export interface ListQuery extends PageRead {
  readonly table: RowTable
  readonly kind: string
  readonly account?: Uuid
  readonly wallet?: WalletId
  readonly status?: string
  readonly order: "asc" | "desc"
}

/**
 * A page by its position and not by what it comes after: so many are passed over, which costs reading their names, so
 * whoever asks sees to it that there are not too many. Either rows of a wallet in the registry, in the order of their ids;
 * or the holders of the names in a space that begin with `under` and a slash, in the order of the names' code points.
 */
export type PositionQuery = {
  readonly order: "asc" | "desc"
  readonly skip: number
  readonly limit: number
} & (
  | { readonly wallet: WalletId; readonly kind: string }
  | { readonly space: string; readonly under: string }
)

/** Narrows a list to ids from `first` to `last`, both included. */
export interface IdRange {
  readonly first?: Uuid
  readonly last?: Uuid
}

/**
 * Operations of a wallet, or of an account over all its wallets, of several kinds in one order, from just after `after`.
 * Of a kind with `statuses` only rows in one of them; with `ref` only rows that have this caller's reference.
 */
export interface OperationQuery extends IdRange, PageRead {
  readonly wallet?: WalletId
  readonly account?: AccountId
  readonly kinds: ReadonlyArray<{
    readonly kind: string
    readonly statuses?: ReadonlyArray<string>
  }>
  readonly ref?: string
  readonly order: "asc" | "desc"
}

/**
 * Ledger transactions in the order of their ids. Those of a wallet are the ones in its statement, and those between
 * it and another wallet. `kinds` narrows them.
 */
export interface LedgerQuery extends IdRange, PageRead {
  readonly wallet?: WalletId
  readonly account?: AccountId
  readonly kinds?: ReadonlyArray<LedgerKind>
  readonly order: "asc" | "desc"
}

export interface Delivery {
  readonly id: DeliveryId
  readonly event: EventRowId
  readonly endpoint: EndpointId
  readonly account: AccountId
  readonly type: string
  readonly status: DeliveryStatus
  /** How many times it was tried. */
  readonly attempts: number
}

/** A delivery with what it sends, and the row in the registry of where to, where there is one. */
export interface Outgoing {
  readonly delivery: Delivery
  readonly event: EventRow
  readonly endpoint: StoredRow | undefined
}

export interface DeliveryQuery extends IdRange {
  readonly account: AccountId
  readonly endpoint?: EndpointId
  readonly status?: DeliveryStatus
  readonly type?: string
  readonly after?: DeliveryId
  readonly order: "asc" | "desc"
  readonly limit: number
}

export interface IdempotencyRecord {
  readonly entity: Uuid
  readonly fingerprint: string
  readonly expiresAt: DateTime.Utc
  readonly snapshot: string | null
}

/**
 * Asks for due work. What is due goes by business time, `now`; leases go by the clock of the storage, so that neither a
 * sandbox that travels a day nor a machine whose clock is wrong takes the work out of somebody's hands.
 */
export interface Claim {
  readonly queue: Queue
  readonly now: DateTime.Utc
  /** The job is nobody else's for so long. */
  readonly lease: Duration.Duration
  readonly max: number
  /** At most so many of one group in flight at once, those already leased included. */
  readonly perGroup: number
  /** Groups that have another bound than `perGroup`; 0: none of it. */
  readonly bounds?: ReadonlyArray<{ readonly group: Uuid; readonly max: number }>
  /**
   * At most so many in flight of all groups of one account, which is that of the registry's row under the group's id. A
   * group without such a row stands for itself. Where not all fit, accounts take turns.
   */
  readonly perAccount?: number
  /** What the claimer holds and has done with but for saying so: it takes no slot of its group or its account any more. */
  readonly spared?: ReadonlyArray<{ readonly id: Uuid; readonly token: LeaseToken }>
  readonly token: LeaseToken
}

export interface Claimed extends JobRef {
  readonly group: Uuid
  readonly token: LeaseToken
  readonly due: DateTime.Utc
}

/** Asks to go on holding a job whose work takes longer than its lease: for so long from now on. */
export interface Renewal extends JobRef {
  readonly token: LeaseToken
  readonly lease: Duration.Duration
}

/** Jobs of one queue, whoever holds them, in the order of their ids; of one group, where it is named. */
export interface JobQuery extends PageRead {
  readonly queue: Queue
  readonly group?: Uuid
}

/** Asks which groups wait longest for one of them, over several queues; so many groups at most. */
export interface HeadQuery {
  readonly queues: ReadonlyArray<Queue>
  readonly now: DateTime.Utc
  readonly limit: number
}

/** Since when the oldest due job of a group waits that nobody holds. */
export interface GroupHead {
  readonly group: Uuid
  readonly due: DateTime.Utc
}

/** A job as it stands in line. */
export interface WaitingJob {
  readonly id: Uuid
  readonly group: Uuid
  readonly due: DateTime.Utc
}

/**
 * Records that have had their day. Purging takes the answer out of an Idempotency-Key that is over; that it was used, and
 * for what, stays, because callers look transactions up by it. Purging a counter deletes it; only those of a period that is
 * over go (`CounterPeriod.isOver`). Purging a delivery deletes it and its attempts; only those that are over go, by the
 * instant in their ids, and the event of one stays.
 */
export type Purgeable = "idempotency" | "counter" | "delivery"

/** A rule that does not hold, of what, and how. */
export interface Violation {
  readonly rule: string
  readonly subject: string
  readonly detail: string
}

/** The ledger proof: figures recomputed from the postings. */
export interface AuditReport {
  /** How many accounts of the ledger were summed, and how many of their postings. */
  readonly accounts: number
  readonly entries: number
  readonly violations: ReadonlyArray<Violation>
}

/** Which expectation of a merged unit failed, in the storage's own words, for the log. */
export interface FailedExpectation {
  readonly expectation: string
  /**
   * Given when the write waited too long for what somebody else has locked: the names of that (`RowLocks.ts`), as far as
   * the storage can tell.
   */
  readonly locked?: ReadonlyArray<string>
}

/** The leases that a write did not give, because their group had no room. All else of it is written. */
export interface Leaseless {
  readonly leaseless: ReadonlyArray<LeaseToken>
}

/** Whether that is the answer to a write that is in. */
export const isWritten = (
  answer: FailedExpectation | Leaseless | null
): answer is Leaseless | null => answer === null || "leaseless" in answer

/**
 * What the author of a storage writes. `write` is the only method that changes business state; it is all or
 * nothing, never decides between units, and answers instead of failing when an expectation does not hold.
 * Core groups, decides and repeats around it (`GroupCommit.ts`).
 *
 * Each write has an identity, which is stored with it and refuses it where it is stored already: as that of a write that
 * is in, or as void. It is the only witness of a write whose answer was lost.
 *
 * Laws, all of them checked by the storage contract suite:
 * - an order always ends in the id, and ids are compared by their characters;
 * - text comes back byte for byte;
 * - `facts` and every read answer from one snapshot that includes every write acknowledged before the call.
 */
export interface StorageDriverShape {
  /**
   * Waits for what somebody else has locked as long as the unit says, and where it does not say, no longer than about a
   * second; then it answers `locked`.
   */
  readonly write: (
    merged: MergedUnit
  ) => Effect.Effect<FailedExpectation | Leaseless | null, StorageError>
  /**
   * How many writes of one process gain by being under way at the same time. They share wallets and counters, and what
   * one of them reads; nothing else. Left out where there is one session, or nobody waits for a disk: one.
   */
  readonly writesAtOnce?: number
  /**
   * Ends the doubt about a write: true when it is in. Otherwise its identity is void from now on, so that it never comes
   * in, however late it arrives, and the answer is false. What is in cannot be made void, and the other way round.
   */
  readonly resolveWrite: (id: WriteId) => Effect.Effect<boolean, StorageError>
  /**
   * Done once all that was shown before it is as safe as what was acknowledged as written: for who acknowledges what he has
   * read. A server that has crashed shows what its synchronous standby may not have. Left out where nothing is shown
   * before it is that safe.
   */
  readonly sync?: Effect.Effect<void, StorageError>
  /**
   * Which primary this process is with: another number once it has met a server that took the place of the one before. From
   * then on nothing is answered by the former one, which may go on and show what is over; and a write is refused with
   * `Unavailable` whose decision began in another epoch (`MergedUnit.epoch`, decision 0117). Left out where no server can take
   * the place of another.
   */
  readonly epoch?: () => number
  /** Forgets so many identities at most that are over a day old by the storage's own clock; answers how many. */
  readonly forgetWrites: (max: number) => Effect.Effect<number, StorageError>
  readonly facts: (keys: FactKeys) => Effect.Effect<Facts, StorageError>
  readonly rows: (
    table: RowTable,
    ids: ReadonlyArray<Uuid>
  ) => Effect.Effect<ReadonlyArray<StoredRow>, StorageError>
  /** An answer to each question, in its place. Questions of many callers come together, so one must not cost another. */
  readonly look: (
    questions: ReadonlyArray<Question>
  ) => Effect.Effect<ReadonlyArray<Seen | undefined>, StorageError>
  /** The record of each scope, in its place. */
  readonly idempotency: (
    scopes: ReadonlyArray<IdempotencyScope>
  ) => Effect.Effect<ReadonlyArray<IdempotencyRecord | undefined>, StorageError>
  readonly wallets: (
    ids: ReadonlyArray<WalletId>
  ) => Effect.Effect<ReadonlyArray<Wallet>, StorageError>
  readonly list: (query: ListQuery) => Effect.Effect<ReadonlyArray<StoredRow>, StorageError>
  /** The ids on one page of a list that is counted from its beginning. */
  readonly positions: (query: PositionQuery) => Effect.Effect<ReadonlyArray<Uuid>, StorageError>
  readonly operations: (
    query: OperationQuery
  ) => Effect.Effect<ReadonlyArray<StoredRow>, StorageError>
  readonly ledgerTxs: (
    ids: ReadonlyArray<LedgerTxId>
  ) => Effect.Effect<ReadonlyArray<LedgerTx>, StorageError>
  readonly movements: (query: LedgerQuery) => Effect.Effect<ReadonlyArray<LedgerTx>, StorageError>
  readonly events: (
    ids: ReadonlyArray<EventRowId>
  ) => Effect.Effect<ReadonlyArray<EventRow>, StorageError>
  readonly deliveries: (
    query: DeliveryQuery | { readonly ids: ReadonlyArray<DeliveryId> }
  ) => Effect.Effect<ReadonlyArray<Delivery>, StorageError>
  /** What is needed to send these deliveries, in the order of their ids. */
  readonly outgoing: (
    ids: ReadonlyArray<DeliveryId>
  ) => Effect.Effect<ReadonlyArray<Outgoing>, StorageError>
  /** Those of all these deliveries, each delivery's in the order of their numbers. */
  readonly attempts: (
    deliveries: ReadonlyArray<DeliveryId>
  ) => Effect.Effect<ReadonlyArray<AttemptRow>, StorageError>
  /**
   * What time it is by the clock that everybody who shares the store has in common: the store's own, or, where one process
   * alone can use it, that of the process, which is Effect's. Leases go by it, too.
   */
  readonly clock: Effect.Effect<DateTime.Utc, StorageError>
  /**
   * Several claims as one, in one go. Each has a token of its own, and what it was given bears that: in the order of the
   * claims, and of each what is due longest first.
   */
  readonly claim: (
    claims: ReadonlyArray<Claim>
  ) => Effect.Effect<ReadonlyArray<Claimed>, StorageError>
  /** Whether the job is still held under this token, and so for the new lease too. One that has run out is held until somebody takes it. */
  readonly renew: (renewal: Renewal) => Effect.Effect<boolean, StorageError>
  readonly jobs: (query: JobQuery) => Effect.Effect<ReadonlyArray<WaitingJob>, StorageError>
  /** The group whose job has been due longest comes first. Groups of which nothing is due are not among them. */
  readonly heads: (query: HeadQuery) => Effect.Effect<ReadonlyArray<GroupHead>, StorageError>
  /** When the next job that nobody holds is due, in business time. */
  readonly nextDue: (
    queues: ReadonlyArray<Queue>
  ) => Effect.Effect<DateTime.Utc | undefined, StorageError>
  /**
   * Purges so many at most that were over at `before`, the oldest first, each once; answers how many. Of deliveries so many
   * at most, and so many of their attempts, each of which counts: one that has more goes with the last of them.
   */
  readonly purge: (
    what: Purgeable,
    before: DateTime.Utc,
    max: number
  ) => Effect.Effect<number, StorageError>
  /** What the audit reads; its rules are not the storage's. */
  readonly audit: AuditReads
  /**
   * Asks the store itself whether it has all that this code needs: for probes, so it must be cheap. Left out where
   * there is nothing that could be away or behind.
   */
  readonly isCurrent?: Effect.Effect<boolean, StorageError>
}

export class StorageDriver extends Context.Service<StorageDriver, StorageDriverShape>()(
  "@pagora/core/ports/StorageDriver"
) {}
