import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { groupCommit } from "./GroupCommit.ts"
import type { MergedUnit } from "../units/MergedUnit.ts"
import { StorageError } from "../units/Refused.ts"
import { makeDriver } from "../storage-memory/StorageMemory.ts"
import { emptyState } from "../storage-memory/StorageMemoryState.ts"
import { assertRefused, rowOf, unitOf } from "./Units.test-data.ts"

/** A storage that loses the answer of a write, and then is silent for so long at each look. */
const silentFor = (seconds: number) =>
  Effect.gen(function* () {
    let looks = 0
    // Not closed: what hangs would be waited for.
    const scope = yield* Scope.make()
    const lane = groupCommit({
      ...makeDriver(emptyState()),
      write: () => Effect.fail(new StorageError({ reason: "OutcomeUnknown" })),
      resolveWrite: () =>
        Effect.suspend(() => {
          looks++
          return Effect.andThen(
            Effect.sleep(`${seconds} seconds`),
            Effect.fail(new StorageError({ reason: "Unavailable" }))
          )
        })
    })
    const commit = yield* Scope.provide(lane, scope)
    return { commit, looks: () => looks }
  })

it.effect.each([
  // Eight looks, and three seconds of waits between them.
  { each: 0, looks: 8, within: 4 },
  // None is begun once fifteen seconds are over.
  { each: 5, looks: 3, within: 16 }
])(
  "what became of a write is looked for $looks times where each look takes $each s",
  ({ each, looks, within }) =>
    Effect.gen(function* () {
      const storage = yield* silentFor(each)
      const told = yield* Effect.forkChild(
        Effect.flip(storage.commit(unitOf({ inserts: [rowOf()] }))),
        { startImmediately: true }
      )
      for (let step = 0; step < within * 20; step++) yield* TestClock.adjust("50 millis")
      assert.isDefined(told.pollUnsafe(), `not told within ${within} s`)
      const error = yield* Fiber.join(told)
      assert.deepStrictEqual(error, new StorageError({ reason: "OutcomeUnknown" }))
      assert.strictEqual(storage.looks(), looks)
    })
)

const insertion = () => unitOf({ inserts: [rowOf()] })
const fork = Effect.forkChild({ startImmediately: true })
const pass = (millis: number) =>
  Effect.replicateEffect(TestClock.adjust("50 millis"), millis / 50, { discard: true })

/** A lane on a storage where a neighbour gets in before each write that `isOutrun` says so of, and what was tried. */
const outrunBy = Effect.fnUntraced(function* (isOutrun: (merged: MergedUnit) => boolean) {
  const memory = makeDriver(emptyState())
  const tried: Array<MergedUnit> = []
  const scope = yield* Scope.make()
  const lane = groupCommit({
    ...memory,
    write: (merged) =>
      Effect.suspend((): ReturnType<typeof memory.write> => {
        tried.push(merged)
        return isOutrun(merged) ? Effect.succeed({ expectation: "update" }) : memory.write(merged)
      })
  })
  return { commit: yield* Scope.provide(lane, scope), memory, tried }
})

describe("where neighbours get in before it four times", () => {
  it.effect("a group is written in smaller ones", () =>
    Effect.gen(function* () {
      const { commit, tried } = yield* outrunBy(({ units }) => units.length > 2)
      const units = Array.from({ length: 8 }, insertion)
      yield* Effect.forEach(units, commit, { concurrency: "unbounded" })
      const sizes = tried.map((merged) => merged.units.length)
      assert.deepStrictEqual(sizes, [8, 8, 8, 8, 4, 4, 4, 4, 2, 2, 4, 4, 4, 4, 2, 2])
    })
  )

  it.effect("a unit goes on aside, and holds up nobody", () =>
    Effect.gen(function* () {
      const unlucky = insertion()
      // Four times as one of six, of three and of two, four times alone, and twice aside.
      let neighbours = 18
      const { commit, tried } = yield* outrunBy(
        ({ units }) => units.includes(unlucky) && neighbours-- > 0
      )
      const others = Array.from({ length: 5 }, insertion)
      const waiting = yield* fork(Effect.exit(commit(unlucky)))
      yield* Effect.forEach(others, commit, { concurrency: "unbounded" })
      yield* commit(insertion())
      assert.isUndefined(waiting.pollUnsafe())
      // Nobody has met a lock, so that nobody is to give up on one early.
      assert.deepStrictEqual(new Set(tried.map(({ lockWait }) => lockWait)), new Set([undefined]))
      yield* pass(200)
      assertRefused(waiting.pollUnsafe(), Exit.succeed(Exit.void))
      assert.isBelow(neighbours, 0)
      assert.deepStrictEqual(new Set(tried.map(({ lockWait }) => lockWait)), new Set([undefined]))
    })
  )

  it.effect("a unit hears after five seconds that it was not written", () =>
    Effect.gen(function* () {
      const row = rowOf()
      let isOver = false
      const { commit, memory, tried } = yield* outrunBy(() => !isOver)
      const waiting = yield* fork(Effect.flip(commit(unitOf({ inserts: [row] }))))
      yield* pass(4_900)
      assert.isUndefined(waiting.pollUnsafe())
      yield* pass(600)
      assert.deepStrictEqual(yield* Fiber.join(waiting), new StorageError({ reason: "Contended" }))
      assert.isAbove(tried.length, 40)
      isOver = true
      yield* pass(5_000)
      assert.deepStrictEqual(yield* memory.rows("operation", [row.id]), [])
    })
  )
})
