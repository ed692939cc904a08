import { assert } from "@effect/vitest"
import type { Unit } from "@pagora/core"
import { GroupCommit, Storage, StorageDriver, StorageError } from "@pagora/core"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { aFullUnit, tracesOf } from "./StorageAtomicityLaws.ts"
import type { StorageLaw } from "./StorageLaws.ts"
import { assertSame, commit, exits, rowOf, times, unitOf } from "./StorageLaws.ts"
import { refusals } from "./StorageRefusals.ts"

/** What happens to one unit of a group is no affair of the others. */
export const neighbourLaws: ReadonlyArray<StorageLaw> = [
  {
    title: "a refused unit never harms its neighbours in a group, and hears its own refusal",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const sent = yield* Effect.forEach(Object.values(refusals), (breaking) =>
        Effect.gen(function* () {
          const good = yield* aFullUnit
          const full = yield* aFullUnit
          const { parts, refused } = yield* breaking(full.wallet)
          return { good: good.unit, bad: unitOf(full.unit, parts), full: full.unit, refused }
        })
      )
      const before = yield* tracesOf(...sent.map(({ full }) => full))
      const answers = yield* exits(
        sent.flatMap(({ bad, good }) => [storage.commit(good), storage.commit(bad)])
      )
      assertSame(
        answers,
        sent.flatMap(({ refused }) => [Exit.void, Exit.fail(refused)])
      )
      assertSame(yield* tracesOf(...sent.map(({ full }) => full)), before)
      const written = yield* tracesOf(...sent.map(({ good }) => good))
      assert.strictEqual(written.ledger.length, sent.length)
      assert.strictEqual(written.rows.length, 2 * sent.length)
      assert.strictEqual(written.events.length, sent.length)
    })
  },
  {
    title:
      "a caller who gives up leaves all of his unit or none of it, and his neighbours unharmed",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const units = yield* Effect.forEach(
        times(24, (index) => index),
        () => aFullUnit
      )
      const before = yield* Effect.forEach(units, ({ unit }) => tracesOf(unit))
      const fibers = yield* Effect.forEach(units, ({ unit }) =>
        Effect.forkChild(storage.commit(unit), { startImmediately: true })
      )
      for (const [index, fiber] of fibers.entries()) {
        if (index % 3 === 0) yield* Fiber.interrupt(fiber)
        if (index % 8 === 7) yield* Effect.yieldNow
      }
      const answers = yield* Effect.forEach(fibers, Fiber.await)
      // Whoever is written by then was in flight before this one; nothing follows after it.
      yield* commit({ inserts: [rowOf()] })
      for (const [index, { unit }] of units.entries()) {
        const answer = answers[index]
        assert.isDefined(answer)
        if (index % 3 !== 0) assertSame(answer, Exit.void)
        const after = yield* tracesOf(unit)
        if (after.ledger.length === 0) assertSame(after, before[index])
        else yield* assertWhole(unit)
      }
    })
  },
  {
    title: "a write door that closes writes what waits, and answers Closed to what comes",
    proof: Effect.gen(function* () {
      const scope = yield* Scope.make()
      const driver = yield* StorageDriver
      const begun = yield* Deferred.make<void>()
      const write: typeof driver.write = (merged) =>
        Effect.andThen(Deferred.succeed(begun, undefined), driver.write(merged))
      const lane = yield* Scope.provide(GroupCommit.groupCommit({ ...driver, write }), scope)
      const rows = times(150, () => rowOf())
      const waiting = yield* Effect.forkChild(
        Effect.forEach(rows, (row) => lane(unitOf({ inserts: [row] })), {
          concurrency: "unbounded"
        }),
        { startImmediately: true }
      )
      yield* Deferred.await(begun)
      yield* Scope.close(scope, Exit.void)
      yield* Fiber.join(waiting)
      assert.strictEqual(
        (yield* driver.rows(
          "operation",
          rows.map(({ id }) => id)
        )).length,
        150
      )
      const late = yield* Effect.flip(lane(unitOf({ inserts: [rowOf()] })))
      assertSame(late, new StorageError({ reason: "Closed" }))
    })
  }
]

/** Every part of a full unit is there. */
const assertWhole = Effect.fnUntraced(function* (unit: Unit) {
  const traces = yield* tracesOf(unit)
  assert.deepStrictEqual(traces.rows.map(({ version }) => version).toSorted(), [1, 2])
  assert.strictEqual(traces.events.length, 1)
  assert.deepStrictEqual(
    traces.attempts.map((attempts) => attempts.length),
    [1]
  )
  assert.strictEqual(traces.facts.keys.size, 1)
  assert.strictEqual(traces.facts.idempotency.size, 1)
  assert.deepStrictEqual([...traces.facts.jobs.values()], [null])
  assert.deepStrictEqual([...traces.facts.counters.values()], [3n])
  const [wallet] = traces.facts.wallets.values()
  assert.deepStrictEqual([wallet?.available, wallet?.lien], [90n, 5n])
})
