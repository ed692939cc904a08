import type { DateTime, Duration } from "effect"
import type {
  AccountId,
  DeliveryId,
  EndpointId,
  EventRowId,
  LeaseToken,
  UnitId,
  Uuid,
  WalletId
} from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { LedgerTx } from "../ledger/LedgerTx.ts"
import type { DeliveryStatus } from "./DeliveryStatus.ts"

export type { DeliveryStatus } from "./DeliveryStatus.ts"

/** `operation`: what happens to money, by the million. `registry`: who takes part and how it is configured. */
export type RowTable = "operation" | "registry"

/** Counts the writes of a row, from 1. */
export type Version = number

/**
 * One entity as it is stored: a few columns to guard, filter and sort by, and a document. A new kind of
 * entity needs no new table. `ref` is the caller's own reference: not unique, the newest wins.
 */
export interface Row {
  readonly table: RowTable
  readonly id: Uuid
  readonly kind: string
  readonly account: Uuid
  readonly wallet: WalletId | null
  readonly status: string
  readonly amount: Centavos | null
  readonly ref: string | null
  /** JSON text, kept as it is to the byte. */
  readonly document: string
}

export interface StoredRow extends Row {
  readonly version: Version
}

export interface Expectation {
  readonly table: RowTable
  readonly id: Uuid
  readonly version: Version
}

/** A name that only one entity may hold for ever, within its space. */
export interface UniqueKey {
  readonly space: string
  readonly key: string
  readonly holder: Uuid
}

/** Where an Idempotency-Key counts: one wallet, one concrete path. */
export interface IdempotencyScope {
  readonly wallet: WalletId
  readonly route: string
  readonly key: string
}

export type IdempotencyWrite =
  | {
      readonly _tag: "Begin"
      readonly scope: IdempotencyScope
      /** Digest of the request, to tell a repeat from a misuse. */
      readonly fingerprint: string
      readonly entity: Uuid
      /** From this instant on the key may be begun anew. */
      readonly expiresAt: DateTime.Utc
      /** Where the key was somebody's before, it must have been over by then; by the unit's `at`, where undefined. */
      readonly asOf?: DateTime.Utc
      readonly snapshot: string | null
    }
  | {
      readonly _tag: "Complete"
      /** All that wait for this outcome of one entity, each named once. None of them has an answer: a key is answered once. */
      readonly scopes: ReadonlyArray<IdempotencyScope>
      readonly entity: Uuid
      readonly snapshot: string
    }

/**
 * The lines in which due work stands.
 *
 * - `charge`: deadlines of charges; `inbox`: charges that a PSP notified (decision 0004);
 * - `payout`: withdrawals that the PSP has to be told of, or asked about;
 * - `return`: money that goes back to its payer, likewise;
 * - `report`: payments and infractions that a PSP names by an id of its own, likewise;
 * - `comparison`: PSPs whose payments of the last hour, and whose balance, are to be held against what is booked;
 * - `infraction`: PSPs whose list of infractions is to be looked through, and blocks whose defence is to be handed in;
 * - `reconciliation`: what has ended at the PSP, and is looked at again because that could still change;
 * - `closing`: accounts and sub-accounts that are closed and may have open charges;
 * - `block`: balance blocks that still wait for money of their wallet;
 * - `webhook`: deliveries to endpoints; `expiry`: those of events that tell of an expiry;
 * - `recovery`: endpoints whose missed deliveries are sent again;
 * - `review`: what only a person can decide. No worker takes from it; whoever decides takes it out;
 * - `subscriber:<id>`: deliveries to one subscriber, a line of its own, for the processes that have it.
 */
export type Queue = (typeof workQueues)[number] | "review" | `subscriber:${string}`

/** Those that workers take from, in every deployment. Those of subscribers come and go. */
export const workQueues = [
  "charge",
  "inbox",
  "payout",
  "return",
  "report",
  "comparison",
  "infraction",
  "reconciliation",
  "closing",
  "block",
  "webhook",
  "expiry",
  "recovery"
] as const

export interface JobRef {
  readonly queue: Queue
  readonly id: Uuid
}

/**
 * A lease that a job is born with: whoever puts it in line works it off himself. It is given only while fewer than
 * `perGroup` jobs of the group are leased, this one not counted; else the job is in line like any other.
 */
export interface BirthLease {
  readonly token: LeaseToken
  /** From the write on, by the clock of the storage. */
  readonly lease: Duration.Duration
  readonly perGroup: number
}

export type JobWrite =
  /**
   * Puts the job in line for `due`, new or not. A lease that somebody holds on it is lost: what they saw may
   * be older than the reason for this call.
   */
  | (JobRef & {
      readonly _tag: "Schedule"
      readonly group: Uuid
      readonly due: DateTime.Utc
      readonly lease?: BirthLease
    })
  /** The work is done; only the holder of the lease may say so. */
  | (JobRef & { readonly _tag: "Finish"; readonly token: LeaseToken })
  /** Again at `due`; only the holder of the lease may say so. */
  | (JobRef & { readonly _tag: "Retry"; readonly token: LeaseToken; readonly due: DateTime.Utc })
  /** Not needed any more, whoever holds it. */
  | (JobRef & { readonly _tag: "Cancel" })

/** A webhook event: the exact text that every delivery of it sends. `key` is its eventId, unique per account. */
export interface EventRow {
  readonly id: EventRowId
  readonly account: AccountId
  readonly wallet: WalletId
  readonly key: string
  readonly type: string
  readonly body: string
  readonly at: DateTime.Utc
}

export interface DeliveryRow {
  readonly id: DeliveryId
  readonly endpoint: EndpointId
}

/**
 * What came of one try to deliver. `status` is the delivery's state after it. The last row of one that was resent is no
 * try: as the number is taken only once, a delivery is resent only once.
 */
export interface AttemptRow {
  readonly delivery: DeliveryId
  readonly number: number
  readonly at: DateTime.Utc
  readonly outcome: string
  readonly httpStatus: number | null
  readonly durationMillis: number
  readonly status: DeliveryStatus
}

export interface CounterWrite {
  /** One that ends with `/daily/2026-11-22` or `/monthly/2026-11` counts in that period alone, and goes after it. */
  readonly key: string
  /** Centavos where money is counted, else things. */
  readonly add: bigint
  /** The counter may not pass this after the unit. Releases have none. */
  readonly max?: bigint
}

/** What one decision changes, under the id that the door gave it: as long as it tries, it writes the same unit. */
export interface Unit extends NewUnit {
  readonly id: UnitId
  /** The epoch of the primary by which it was decided, where there is one; it is not stored. */
  readonly epoch?: number | undefined
}

/**
 * What one decision changes: all of it is written, or nothing. It carries every expectation the decision
 * rests on, so no lock is needed between reading and writing.
 */
export interface NewUnit {
  readonly at: DateTime.Utc
  /** Wallets that begin to exist, empty. */
  readonly opens?: ReadonlyArray<WalletId>
  readonly inserts?: ReadonlyArray<Row>
  readonly updates?: ReadonlyArray<{
    readonly row: Row
    readonly expected: Version
    /** The status until now, for those who count; the storage does not need it. */
    readonly was?: string
  }>
  /** Rows that were read, are not written, and must still be what they were. */
  readonly expects?: ReadonlyArray<Expectation>
  readonly keys?: ReadonlyArray<UniqueKey>
  readonly idempotency?: IdempotencyWrite
  readonly ledger?: ReadonlyArray<LedgerTx>
  readonly liens?: ReadonlyArray<{ readonly wallet: WalletId; readonly delta: Centavos }>
  /** Wallets that must hold nothing, lien included, after the unit. */
  readonly empty?: ReadonlyArray<WalletId>
  readonly counters?: ReadonlyArray<CounterWrite>
  readonly jobs?: ReadonlyArray<JobWrite>
  readonly events?: ReadonlyArray<{
    readonly event: EventRow
    readonly deliveries: ReadonlyArray<DeliveryRow>
  }>
  /** Further deliveries of events that are there already. */
  readonly redeliveries?: ReadonlyArray<{
    readonly event: EventRow
    readonly delivery: DeliveryRow
  }>
  readonly attempts?: ReadonlyArray<AttemptRow>
}
