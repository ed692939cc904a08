import { Clock, DateTime, Duration, Effect, Layer } from "effect"
import type { WriteId } from "../kernel/Ids.ts"
import { idsAt } from "../kernel/Ids.ts"
import { isOver } from "../kernel/CounterPeriod.ts"
import { decideAll } from "../units/Decision.ts"
import { factKeys } from "../units/Facts.ts"
import type { MergedUnit } from "../units/MergedUnit.ts"
import type { FailedExpectation, Leaseless, Purgeable } from "../ports/StorageDriver.ts"
import { StorageDriver } from "../ports/StorageDriver.ts"
import { auditReadsOf } from "./StorageMemoryAudit.ts"
import { claimOf, leaselessOf, renewOf } from "./StorageMemoryClaims.ts"
import { readsOf } from "./StorageMemoryReads.ts"
import type { MemoryState } from "./StorageMemoryState.ts"
import { applyUnit, emptyState, factsOf } from "./StorageMemoryState.ts"

/**
 * Keeps everything in the memory of the process: the executable model of what a storage does, which every
 * other one must agree with. It decides each unit of a group by itself, so it also proves that merging them
 * changes nothing. For tests, and for trying things out: what it holds is gone with the process.
 */
export const layerMemory: Layer.Layer<StorageDriver> = Layer.sync(StorageDriver, () =>
  makeDriver(emptyState())
)

/** A driver over a state, which may hold things that the write door would have refused. */
export const makeDriver = (state: MemoryState): StorageDriver["Service"] =>
  StorageDriver.of({
    ...readsOf(state),
    write: (merged) =>
      Effect.map(Clock.currentTimeMillis, (atMillis) => write(state, merged, atMillis)),
    resolveWrite: (id) =>
      Effect.map(Clock.currentTimeMillis, (atMillis) => resolveWrite(state, id, atMillis)),
    forgetWrites: (max) =>
      Effect.map(Clock.currentTimeMillis, (atMillis) =>
        forget(state, atMillis - Duration.toMillis(writesKeptFor), max)
      ),
    facts: (keys) => Effect.sync(() => factsOf(state, keys)),
    clock,
    claim: (claims) =>
      Effect.map(clock, (instant) => claims.flatMap((claim) => claimOf(state, claim, instant))),
    renew: (renewal) => Effect.map(clock, (instant) => renewOf(state, renewal, instant)),
    purge: (what, before, max) => Effect.sync(() => purge(state, what, before, max)),
    audit: auditReadsOf(state)
  })

/** Nobody else is there. */
const clock = Effect.map(Clock.currentTimeMillis, (millis) => DateTime.makeUnsafe(millis))

/** Only when every unit holds, each on what the ones before it leave, is anything written. */
const write = (
  state: MemoryState,
  { id, jobs, units }: MergedUnit,
  atMillis: number
): FailedExpectation | Leaseless | null => {
  if (state.writes.has(id)) return { expectation: "written_once" }
  const refusals = decideAll(factsOf(state, factKeys(units)), units)
  const refused = refusals.find((refusal) => refusal !== undefined)
  if (refused !== undefined) return { expectation: refused._tag }
  const clock = DateTime.makeUnsafe(atMillis)
  const leaseless = leaselessOf(state, jobs, clock)
  for (const unit of units) applyUnit(state, unit, { clock, leaseless })
  state.writes.set(id, { isVoid: false, atMillis })
  return leaseless.length === 0 ? null : { leaseless }
}

const resolveWrite = (state: MemoryState, id: WriteId, atMillis: number): boolean => {
  const known = state.writes.get(id) ?? { isVoid: true, atMillis }
  state.writes.set(id, known)
  return !known.isVoid
}

/** Longer than anybody asks about a write, and than a copy of one can be on its way. */
const writesKeptFor = Duration.days(1)

const forget = (state: MemoryState, beforeMillis: number, max: number): number => {
  let forgotten = 0
  // The oldest come first.
  for (const [id, { atMillis }] of state.writes) {
    if (atMillis >= beforeMillis || forgotten === max) break
    state.writes.delete(id)
    forgotten++
  }
  return forgotten
}

/** When a key that was purged ended: long ago, so that it is not looked at again. */
const purged = DateTime.makeUnsafe(0)

type Purge = (state: MemoryState, before: DateTime.Utc, max: number) => number

const purge = (state: MemoryState, what: Purgeable, before: DateTime.Utc, max: number): number =>
  purges[what](state, before, max)

const purgeCounters: Purge = (state, before, max) => {
  const over = [...state.counters.keys()].filter((key) => isOver(key, before)).slice(0, max)
  for (const key of over) state.counters.delete(key)
  return over.length
}

const purgeKeys: Purge = (state, before, max) => {
  const over = [...state.idempotency]
    .filter(
      ([_, { expiresAt }]) =>
        DateTime.isLessThanOrEqualTo(expiresAt, before) && DateTime.isGreaterThan(expiresAt, purged)
    )
    .sort(([_, one], [__, other]) => DateTime.Order(one.expiresAt, other.expiresAt))
    .slice(0, max)
  for (const [name, record] of over)
    state.idempotency.set(name, { ...record, snapshot: null, expiresAt: purged })
  return over.length
}

const purgeDeliveries: Purge = (state, before, max) => {
  const { first } = idsAt(before)
  const over = new Set(
    [...state.deliveries.values()]
      .filter(({ id, status }) => status !== "queued" && id < first)
      .map(({ id }) => id)
      .toSorted()
      .slice(0, max)
  )
  const tried = [...state.attempts].filter(([_, { delivery }]) => over.has(delivery))
  for (const [name] of tried.slice(0, max)) state.attempts.delete(name)
  for (const [_, { delivery }] of tried.slice(max)) over.delete(delivery)
  for (const id of over) state.deliveries.delete(id)
  return over.size + Math.min(tried.length, max)
}

const purges: Readonly<Record<Purgeable, Purge>> = {
  idempotency: purgeKeys,
  counter: purgeCounters,
  delivery: purgeDeliveries
}
