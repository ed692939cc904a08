import type { Duration } from "effect"
import { DateTime } from "effect"
import type { UnitId, WalletId, WriteId } from "../kernel/Ids.ts"
import type { LedgerTx } from "../ledger/LedgerTx.ts"
import { counterChanges, walletChanges } from "./Decision.ts"
import { attemptName, eventName, jobName, ledgerName, scopeName, uniqueName } from "./Facts.ts"
import type {
  AttemptRow,
  DeliveryRow,
  EventRow,
  Expectation,
  IdempotencyWrite,
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
  readonly units: ReadonlyArray<Unit>
  readonly begins: ReadonlyArray<Tagged<IdempotencyWrite, "Begin"> & { readonly at: DateTime.Utc }>
  readonly completes: ReadonlyArray<Tagged<IdempotencyWrite, "Complete">>
  readonly keys: ReadonlyArray<UniqueKey>
  readonly schedules: ReadonlyArray<Tagged<JobWrite, "Schedule">>
  readonly retries: ReadonlyArray<Tagged<JobWrite, "Retry">>
  readonly finishes: ReadonlyArray<Tagged<JobWrite, "Finish">>
  readonly cancels: ReadonlyArray<Tagged<JobWrite, "Cancel">>
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

const by =
  <A>(name: (value: A) => string) =>
  (left: A, right: A): number => {
    const a = name(left)
    const b = name(right)
    return a < b ? -1 : a > b ? 1 : 0
  }

const tagged = <U extends { readonly _tag: string }, Tag extends U["_tag"]>(
  values: ReadonlyArray<U>,
  tag: Tag
): ReadonlyArray<Extract<U, { readonly _tag: Tag }>> =>
  values.filter((value): value is Extract<U, { readonly _tag: Tag }> => value._tag === tag)

/** Merges units that do not meet (see `Group.ts`), in their order, into a write of this identity. */
export const merge = (
  units: ReadonlyArray<Unit>,
  id: WriteId,
  lockWait?: Duration.Duration
): MergedUnit => {
  const jobs = units.flatMap((unit) => unit.jobs ?? []).toSorted(by(jobName))
  const events = units.flatMap((unit) => unit.events ?? [])
  return {
    id,
    lockWait,
    units,
    begins: units
      .flatMap((unit) =>
        unit.idempotency?._tag === "Begin" ? [{ ...unit.idempotency, at: unit.at }] : []
      )
      .toSorted(by((begin) => scopeName(begin.scope))),
    completes: units
      .flatMap((unit) => (unit.idempotency?._tag === "Complete" ? [unit.idempotency] : []))
      .toSorted(by((complete) => scopeName(complete.scope))),
    keys: units.flatMap((unit) => unit.keys ?? []).toSorted(by(uniqueName)),
    schedules: tagged(jobs, "Schedule"),
    retries: tagged(jobs, "Retry"),
    finishes: tagged(jobs, "Finish"),
    cancels: tagged(jobs, "Cancel"),
    updates: units
      .flatMap((unit) => (unit.updates ?? []).map((update) => ({ ...update, unit: unit.id })))
      .toSorted(by((update) => update.row.id)),
    inserts: units
      .flatMap((unit) => (unit.inserts ?? []).map((row) => ({ row, unit: unit.id })))
      .toSorted(by((insert) => insert.row.id)),
    ledger: units.flatMap((unit) => unit.ledger ?? []).toSorted(by(ledgerName)),
    events: events.map((entry) => entry.event).toSorted(by(eventName)),
    deliveries: [
      ...events.flatMap((entry) =>
        entry.deliveries.map((delivery) => ({ ...delivery, event: entry.event }))
      ),
      ...units.flatMap((unit) =>
        (unit.redeliveries ?? []).map(({ delivery, event }) => ({ ...delivery, event }))
      )
    ],
    attempts: units.flatMap((unit) => unit.attempts ?? []).toSorted(by(attemptName)),
    counters: mergeCounters(units),
    opens: units
      .flatMap((unit) => (unit.opens ?? []).map((wallet) => ({ wallet, at: unit.at })))
      .toSorted(by((open) => open.wallet)),
    wallets: mergeWallets(units),
    empty: units.flatMap((unit) => unit.empty ?? []).toSorted(),
    expects: mergeExpects(units)
  }
}

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
