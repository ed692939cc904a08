import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { givingWayAt, stepsMax } from "./GivingWay.test-data.ts"
import { oneFlight } from "./OneFlight.ts"

describe("work that is under way once", () => {
  it.live("lands for the others, wherever whoever asked first is cut off", () =>
    Effect.gen(function* () {
      for (let step = 1; step < stepsMax; step++) {
        const asked = oneFlight(Effect.as(Effect.yieldNow, "token"))
        const first = yield* Effect.forkChild(givingWayAt(step)(asked), {
          startImmediately: true
        })
        yield* Fiber.interrupt(first)
        const second = yield* Effect.timeoutOption(asked, "2 seconds")
        assert.strictEqual(second._tag, "Some", `before step ${step}`)
      }
    })
  )

  it.effect("lets those who wait leave, and goes on", () =>
    Effect.gen(function* () {
      let begun = 0
      const asked = oneFlight(
        Effect.andThen(
          Effect.sync(() => begun++),
          Effect.never
        )
      )
      const waiting = yield* Effect.forEach([1, 2], () =>
        Effect.forkChild(asked, { startImmediately: true })
      )
      yield* Effect.yieldNow
      yield* Fiber.interruptAll(waiting)
      const late = yield* Effect.forkChild(asked, { startImmediately: true })
      yield* Fiber.interrupt(late)
      assert.strictEqual(begun, 1)
    })
  )
})
