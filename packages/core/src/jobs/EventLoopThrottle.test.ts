import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { makeEventLoopThrottle } from "./EventLoopThrottle.ts"

describe("turns of the event loop", () => {
  it.effect("let so many go on in each, in their order, and others in between", () =>
    Effect.gen(function* () {
      const turn = makeEventLoopThrottle(8)
      const gone: Array<number> = []
      const all = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => index),
        (index) =>
          Effect.forkChild(
            Effect.andThen(
              turn,
              Effect.sync(() => void gone.push(index))
            )
          )
      )
      const seen: Array<number> = []
      while (gone.length < 20) {
        yield* Effect.yieldNow
        seen.push(gone.length)
      }
      yield* Fiber.joinAll(all)
      assert.deepStrictEqual(
        [...new Set(seen)].filter((count) => count > 0),
        [8, 16, 20]
      )
      assert.deepStrictEqual(
        gone,
        Array.from({ length: 20 }, (_, index) => index)
      )
    })
  )

  it.effect(
    "let everybody go on, also who is held up by the scheduler on the way into the line",
    () =>
      Effect.gen(function* () {
        // A fiber gives way after 2,048 steps, wherever that is.
        for (let steps = 2_000; steps < 2_060; steps++) {
          const turn = makeEventLoopThrottle(1)
          const before = Effect.replicateEffect(
            Effect.sync(() => 0),
            steps,
            { discard: true }
          )
          const fiber = yield* Effect.forkChild(Effect.andThen(before, turn))
          for (let turns = 0; turns < 12; turns++) yield* Effect.yieldNow
          assert.isDefined(fiber.pollUnsafe(), `${steps} steps before`)
        }
      })
  )

  it.effect("go on after all have gone, and pass over who has left the line", () =>
    Effect.gen(function* () {
      const turn = makeEventLoopThrottle(1)
      yield* turn
      const [first, second, third] = yield* Effect.all([
        Effect.forkChild(turn, { startImmediately: true }),
        Effect.forkChild(turn, { startImmediately: true }),
        Effect.forkChild(turn, { startImmediately: true })
      ])
      yield* Fiber.interrupt(second)
      yield* Fiber.join(first)
      yield* Fiber.join(third)
      yield* turn
    })
  )
})
