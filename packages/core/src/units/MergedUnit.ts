import type { Duration } from "effect"
import { DateTime } from "effect"
import type { LeaseToken, UnitId, Uuid, WalletId, WriteId } from "../kernel/Ids.ts"
import type { LedgerTx } from "../ledger/LedgerTx.ts"
import { counterChanges, walletChanges } from "./Decision.ts"
import { attemptName, eventName, jobName, ledgerName, scopeName, uniqueName } from "./Facts.ts"
import type {
  AttemptRow,
  BirthLease,
  DeliveryRow,
  EventRow,
  Expectation,
  IdempotencyScope,
  IdempotencyWrite,
  JobRef,
  JobWrite,
  Row,
  UniqueKey,
  Unit,
  Version
} from "./Unit.ts"

/** The net change of one wallet over a group, and the lowest point it passes through on the way. */
export interface MergedWallet {
  readonly id: WalletId
  readonly at: DateTime.Utc
  readonly available: bigint
  readonly held: bigint
  readonly promotional: bigint
  readonly lien: bigint
  /** Lowest running sum of each bucket, at most zero: the balance plus this must not be negative. */
  readonly lowestAvailable: bigint
  readonly lowestHeld: bigint
  readonly lowestPromotional: bigint
  readonly lowestLien: bigint
  /** Lowest running sum of available minus lien where something is spent, or null when nothing is. */
  readonly lowestSpendable: bigint | null
}

export interface MergedCounter {
  readonly key: string
  readonly add: bigint
  /** The stored value must not be above this before the group, or null when nothing caps it. */
  readonly highest: bigint | null
}

/** What becomes of one job: the last that a unit says of it, fenced by the token that any of it asks for. */
export interface JobChange extends JobRef {
  readonly op: JobWrite["_tag"]
  /** Null where it stays in its group. */
  readonly group: Uuid | null
  /** Who has to hold it; null where nobody has to. */
  readonly token: LeaseToken | null
  /** When it is due; null where it ends. */
  readonly due: DateTime.Utc | null
  /** What it is born leased by; null where it is anybody's. */
  readonly lease: BirthLease | null
}

type Tagged<Union extends { readonly _tag: string }, Tag extends Union["_tag"]> = Extract<
  Union,
  { readonly _tag: Tag }
>

/**
 * A group of units as one: everything of it is written, or nothing. Lists that lock rows are in a fixed order
 * (by key), so that two groups of two processes never wait for each other in a circle.
 */
export interface MergedUnit {
  /** Stored with all the rest, so that it tells whether this write is in. */
  readonly id: WriteId
  /** How long it waits at most for what somebody else has locked; as long as the storage does otherwise, where undefined. */
  readonly lockWait: Duration.Duration | undefined
  /** The oldest epoch of the primary by which any of it was decided; undefined where none of it says. */
  readonly epoch: number | undefined
  readonly units: ReadonlyArray<Unit>
  readonly begins: ReadonlyArray<Tagged<IdempotencyWrite, "Begin"> & { readonly at: DateTime.Utc }>
  /** One for each key, whose names no two have. */
  readonly completes: ReadonlyArray<Completed>
  readonly keys: ReadonlyArray<UniqueKey>
  readonly jobs: ReadonlyArray<JobChange>
  readonly updates: ReadonlyArray<{
    readonly row: Row
    readonly expected: Version
    readonly unit: UnitId
  }>
  readonly inserts: ReadonlyArray<{ readonly row: Row; readonly unit: UnitId }>
  readonly ledger: ReadonlyArray<LedgerTx>
  readonly events: ReadonlyArray<EventRow>
  readonly deliveries: ReadonlyArray<DeliveryRow & { readonly event: EventRow }>
  readonly attempts: ReadonlyArray<AttemptRow>
  readonly counters: ReadonlyArray<MergedCounter>
  readonly opens: ReadonlyArray<{ readonly wallet: WalletId; readonly at: DateTime.Utc }>
  readonly wallets: ReadonlyArray<MergedWallet>
  readonly empty: ReadonlyArray<WalletId>
  readonly expects: ReadonlyArray<Expectation>
}

/** What a key that waited is answered with from here on. */
export interface Completed extends Omit<Tagged<IdempotencyWrite, "Complete">, "_tag" | "scopes"> {
  readonly scope: IdempotencyScope
}

const completesOf = ({ idempotency }: Unit): ReadonlyArray<Completed> => {
  if (idempotency?._tag !== "Complete") return []
  const { entity, scopes, snapshot } = idempotency
  return scopes.map((scope) => ({ scope, entity, snapshot }))
}

const by =
  <A>(name: (value: A) => string) =>
  (left: A, right: A): number => {
    const a = name(left)
    const b = name(right)
    return a < b ? -1 : a > b ? 1 : 0
  }

/** In the order of their names, each of which is made once. */
const sortedBy = <A>(values: ReadonlyArray<A>, name: (value: A) => string): ReadonlyArray<A> =>
  values.length < 2
    ? values
    : values
        .map((value) => ({ name: name(value), value }))
        .sort(by((named) => named.name))
        .map(({ value }) => value)

/** Merges units that do not meet (see `Group.ts`), in their order, into a write of this identity. */
export const merge = (
  units: ReadonlyArray<Unit>,
  id: WriteId,
  lockWait?: Duration.Duration
): MergedUnit => {
  const events = units.flatMap((unit) => unit.events ?? [])
  return {
    id,
    lockWait,
    epoch: oldestOf(units),
    units,
    begins: sortedBy(
      units.flatMap((unit) =>
        unit.idempotency?._tag === "Begin"
          ? [{ ...unit.idempotency, at: unit.idempotency.asOf ?? unit.at }]
          : []
      ),
      (begin) => scopeName(begin.scope)
    ),
    completes: sortedBy(units.flatMap(completesOf), (complete) => scopeName(complete.scope)),
    keys: sortedBy(
      units.flatMap((unit) => unit.keys ?? []),
      uniqueName
    ),
    jobs: mergeJobs(units),
    updates: units
      .flatMap((unit) => (unit.updates ?? []).map((update) => ({ ...update, unit: unit.id })))
      .toSorted(by((update) => update.row.id)),
    inserts: units
      .flatMap((unit) => (unit.inserts ?? []).map((row) => ({ row, unit: unit.id })))
      .toSorted(by((insert) => insert.row.id)),
    ledger: sortedBy(
      units.flatMap((unit) => unit.ledger ?? []),
      ledgerName
    ),
    events: sortedBy(
      events.map((entry) => entry.event),
      eventName
    ),
    deliveries: [
      ...events.flatMap((entry) =>
        entry.deliveries.map((delivery) => ({ ...delivery, event: entry.event }))
      ),
      ...units.flatMap((unit) =>
        (unit.redeliveries ?? []).map(({ delivery, event }) => ({ ...delivery, event }))
      )
    ],
    attempts: sortedBy(
      units.flatMap((unit) => unit.attempts ?? []),
      attemptName
    ),
    counters: mergeCounters(units),
    opens: units
      .flatMap((unit) => (unit.opens ?? []).map((wallet) => ({ wallet, at: unit.at })))
      .toSorted(by((open) => open.wallet)),
    wallets: mergeWallets(units),
    empty: units.flatMap((unit) => unit.empty ?? []).toSorted(),
    expects: mergeExpects(units)
  }
}

const oldestOf = (units: ReadonlyArray<Unit>): number | undefined => {
  let oldest: number | undefined
  for (const { epoch } of units)
    if (epoch !== undefined && (oldest === undefined || epoch < oldest)) oldest = epoch
  return oldest
}

const mergeJobs = (units: ReadonlyArray<Unit>): ReadonlyArray<JobChange> => {
  const changes = new Map<string, JobChange>()
  for (const unit of units) {
    for (const job of unit.jobs ?? []) {
      const name = jobName(job)
      changes.set(name, changeBy(job, changes.get(name)))
    }
  }
  return [...changes].sort(by(([name]) => name)).map(([, change]) => change)
}

const changeBy = (job: JobWrite, before: JobChange | undefined): JobChange => ({
  queue: job.queue,
  id: job.id,
  // What is put in line and put off by one unit is put in line for later.
  op: job._tag === "Retry" && before?.op === "Schedule" ? "Schedule" : job._tag,
  group: job._tag === "Schedule" ? job.group : (before?.group ?? null),
  token: "token" in job ? bothOf(before?.token ?? job.token, job.token) : (before?.token ?? null),
  due: "due" in job ? job.due : null,
  lease: job._tag === "Schedule" ? (job.lease ?? null) : null
})

/** Nobody holds a job by two tokens. */
const bothOf = (one: LeaseToken, other: LeaseToken): LeaseToken =>
  one === other ? one : ("00000000-0000-0000-0000-000000000000" as LeaseToken)

const mergeExpects = (units: ReadonlyArray<Unit>): ReadonlyArray<Expectation> => {
  const seen = new Map<string, Expectation>()
  for (const unit of units) {
    for (const expect of unit.expects ?? []) seen.set(`${expect.id}\0${expect.version}`, expect)
  }
  return [...seen.values()].toSorted(by((expect) => expect.id))
}

const mergeCounters = (units: ReadonlyArray<Unit>): ReadonlyArray<MergedCounter> => {
  const merged = new Map<string, { key: string; add: bigint; highest: bigint | null }>()
  for (const unit of units) {
    for (const [key, { add, max }] of counterChanges(unit)) {
      const known = merged.get(key) ?? { key, add: 0n, highest: null }
      known.add += add
      if (max !== undefined) {
        const highest = max - known.add
        known.highest = known.highest === null || highest < known.highest ? highest : known.highest
      }
      merged.set(key, known)
    }
  }
  return [...merged.values()].toSorted(by((counter) => counter.key))
}

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

const lower = (left: bigint, right: bigint): bigint => (left < right ? left : right)

const mergeWallets = (units: ReadonlyArray<Unit>): ReadonlyArray<MergedWallet> => {
  const merged = new Map<WalletId, Mutable<MergedWallet>>()
  for (const unit of units) {
    for (const [id, change] of walletChanges(unit)) {
      const wallet = merged.get(id) ?? still(id, unit.at)
      wallet.at = DateTime.max(wallet.at, unit.at)
      wallet.available += change.available
      wallet.held += change.held
      wallet.promotional += change.promotional
      wallet.lien += change.lien
      wallet.lowestAvailable = lower(wallet.lowestAvailable, wallet.available)
      wallet.lowestHeld = lower(wallet.lowestHeld, wallet.held)
      wallet.lowestPromotional = lower(wallet.lowestPromotional, wallet.promotional)
      wallet.lowestLien = lower(wallet.lowestLien, wallet.lien)
      if (change.spends) {
        const spendable = wallet.available - wallet.lien
        wallet.lowestSpendable =
          wallet.lowestSpendable === null ? spendable : lower(wallet.lowestSpendable, spendable)
      }
      merged.set(id, wallet)
    }
  }
  return [...merged.values()].toSorted(by((wallet) => wallet.id))
}

const still = (id: WalletId, at: DateTime.Utc): Mutable<MergedWallet> => ({
  id,
  at,
  available: 0n,
  held: 0n,
  promotional: 0n,
  lien: 0n,
  lowestAvailable: 0n,
  lowestHeld: 0n,
  lowestPromotional: 0n,
  lowestLien: 0n,
  lowestSpendable: null
})
