import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { withinOf } from "./Within.ts"

/** A clock that counts the sleeps that were begun, and those that go on. */
const counting = (clock: Clock.Clock) => {
  const sleeps = { begun: 0, running: 0 }
  const counted: Clock.Clock = Object.assign(Object.create(clock) as Clock.Clock, {
    sleep: (duration: Duration.Duration) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          sleeps.begun++
          sleeps.running++
        }),
        () => clock.sleep(duration),
        () => Effect.sync(() => void sleeps.running--)
      )
  })
  return { counted, sleeps }
}

const started = Effect.map(Clock.Clock, (clock) => {
  const { counted, sleeps } = counting(clock)
  return { within: withinOf(counted), sleeps }
})

const ten = Duration.seconds(10)

describe("what has a time", () => {
  it.effect("is what it comes to, and costs no timer where it ends at once", () =>
    Effect.gen(function* () {
      const { sleeps, within } = yield* started
      assert.strictEqual(yield* within(Effect.succeed(1), ten), 1)
      assert.strictEqual(yield* Effect.flip(within(Effect.fail("no"), ten)), "no")
      assert.strictEqual(sleeps.begun, 0)
    })
  )

  it.effect("is given up when it is over, to the millisecond, and each in its turn", () =>
    Effect.gen(function* () {
      const { sleeps, within } = yield* started
      const first = yield* Effect.forkChild(within(Effect.never, ten))
      yield* TestClock.adjust("4 seconds")
      const second = yield* Effect.forkChild(within(Effect.never, ten))
      const quick = yield* Effect.forkChild(within(Effect.never, Duration.seconds(2)))
      yield* TestClock.adjust("1999 millis")
      assert.isUndefined(quick.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.isUndefined(yield* Fiber.join(quick))
      yield* TestClock.adjust("3999 millis")
      assert.isUndefined(first.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.isUndefined(yield* Fiber.join(first))
      assert.isUndefined(second.pollUnsafe())
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(yield* Fiber.join(second))
      // One for the two seconds, and two for the ten, whose second sleep was for the one that began later.
      assert.strictEqual(sleeps.begun, 3)
      assert.strictEqual(sleeps.running, 0)
    })
  )

  it.effect("shares one timer, which ends with the last of them", () =>
    Effect.gen(function* () {
      const { sleeps, within } = yield* started
      const gate = yield* Deferred.make<string>()
      const all = yield* Effect.forEach(Array.from({ length: 100 }), () =>
        Effect.forkChild(within(Deferred.await(gate), ten))
      )
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(sleeps, { begun: 1, running: 1 })
      yield* Deferred.succeed(gate, "open")
      for (const one of all) assert.strictEqual(yield* Fiber.join(one), "open")
      yield* Effect.yieldNow
      assert.strictEqual(sleeps.running, 0)
    })
  )

  it.effect("is interrupted with whoever asked for it, and when it is given up", () =>
    Effect.gen(function* () {
      const { sleeps, within } = yield* started
      let ended = 0
      const work = Effect.onInterrupt(Effect.never, () => Effect.sync(() => void ended++))
      const asked = yield* Effect.forkChild(within(work, ten))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(asked)
      assert.strictEqual(ended, 1)
      yield* Effect.yieldNow
      assert.strictEqual(sleeps.running, 0)
      const late = yield* Effect.forkChild(within(work, ten))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(late)
      assert.strictEqual(ended, 2)
    })
  )

  it.effect("is not waited for once it is given up", () =>
    Effect.gen(function* () {
      const { within } = yield* started
      const gate = yield* Deferred.make<void>()
      const stubborn = Effect.uninterruptible(Deferred.await(gate))
      const asked = yield* Effect.forkChild(within(stubborn, ten))
      yield* TestClock.adjust("10 seconds")
      assert.isUndefined(yield* Fiber.join(asked))
      yield* Deferred.succeed(gate, undefined)
    })
  )
})
