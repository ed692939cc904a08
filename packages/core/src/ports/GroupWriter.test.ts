import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { groupCommit } from "./GroupCommit.ts"
import { StorageError } from "./Refused.ts"
import { makeDriver } from "./StorageMemory.ts"
import { emptyState } from "./StorageMemoryState.ts"
import { rowOf, unitOf } from "./Units.test-data.ts"

/** A storage that loses the answer of a write, and then is silent for so long at each look. */
const silentFor = (seconds: number) =>
  Effect.gen(function* () {
    let looks = 0
    // Not closed: what hangs would be waited for.
    const scope = yield* Scope.make()
    const lane = groupCommit({
      ...makeDriver(emptyState()),
      write: () => Effect.fail(new StorageError({ reason: "OutcomeUnknown" })),
      settleWrite: () =>
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
