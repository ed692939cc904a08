import { assert, describe, it } from "@effect/vitest"
import { Clock, DateTime, Effect } from "effect"
import { StorageError } from "../units/Refused.ts"
import * as SharedClock from "./SharedClock.ts"

const hour = 3_600_000
const start = Date.parse("2026-11-22T12:00:00.000Z")

/** A machine and a storage, each with a clock; only this test lets time pass. */
const aWorld = Effect.gen(function* () {
  const world = { wall: start, monotonic: 0, storage: start, isAway: false, asked: 0 }
  const clock: Clock.Clock = {
    ...(yield* Clock.clockWith(Effect.succeed)),
    currentTimeMillisUnsafe: () => world.wall,
    currentTimeMillis: Effect.sync(() => world.wall),
    monotonicTimeNanosUnsafe: () => BigInt(world.monotonic) * 1_000_000n,
    monotonicTimeNanos: Effect.sync(() => BigInt(world.monotonic) * 1_000_000n)
  }
  const told = Effect.suspend(() => {
    world.asked++
    return world.isAway
      ? Effect.fail(new StorageError({ reason: "Unavailable" }))
      : Effect.succeed(DateTime.makeUnsafe(world.storage))
  })
  const here = Effect.provideService(Clock.Clock, clock)
  const shared = yield* here(SharedClock.make(told))
  return {
    world,
    /** All clocks go on. */
    pass: (millis: number) =>
      Effect.sync(() => {
        for (const name of ["wall", "monotonic", "storage"] as const) world[name] += millis
      }),
    now: here(Effect.map(shared.now, DateTime.toEpochMillis)),
    ask: here(shared.ask),
    skew: here(shared.skew),
    isSound: here(shared.isSound)
  }
})

describe("the shared clock", () => {
  it.effect("is the storage's, whatever the clock of the machine does, and costs no question", () =>
    Effect.gen(function* () {
      const { now, pass, world } = yield* aWorld
      const { asked } = world
      world.wall += 25 * hour
      assert.strictEqual(yield* now, start)
      yield* pass(1_234)
      world.wall -= 50 * hour
      assert.strictEqual(yield* now, start + 1_234)
      assert.strictEqual(world.asked, asked)
    })
  )

  it.effect("never steps back for a correction, and follows a clock that was set back", () =>
    Effect.gen(function* () {
      const { ask, now, pass, world } = yield* aWorld
      yield* pass(10_000)
      assert.strictEqual(yield* now, start + 10_000)
      world.storage -= 800
      yield* ask
      assert.strictEqual(yield* now, start + 10_000)
      yield* pass(700)
      assert.strictEqual(yield* now, start + 10_000)
      yield* pass(200)
      assert.strictEqual(yield* now, start + 10_100)
      world.storage -= hour
      yield* ask
      assert.strictEqual(yield* now, start + 10_100 - hour)
    })
  )

  it.effect.each([5_100, -5_100])("finds a machine unsound that is wrong by %i ms", (by) =>
    Effect.gen(function* () {
      const { isSound, pass, skew, world } = yield* aWorld
      yield* pass(2_000)
      world.wall += Math.sign(by) * 4_900
      assert.isTrue(yield* isSound)
      world.wall += by - Math.sign(by) * 4_900
      assert.isFalse(yield* isSound)
      const { aheadMillis, isTooMuch } = yield* skew
      assert.deepStrictEqual([aheadMillis, isTooMuch], [by, true])
      world.wall -= by
      assert.isTrue(yield* isSound)
    })
  )

  it.effect("asks before work where what is known is old, and not again at once", () =>
    Effect.gen(function* () {
      const { isSound, pass, world } = yield* aWorld
      const { asked } = world
      yield* pass(4_000)
      yield* Effect.all([isSound, isSound], { concurrency: "unbounded" })
      assert.strictEqual(world.asked, asked)
      yield* pass(2_000)
      yield* Effect.all([isSound, isSound], { concurrency: "unbounded" })
      assert.strictEqual(world.asked, asked + 1)
      yield* pass(6_000)
      world.isAway = true
      assert.strictEqual((yield* Effect.flip(isSound))._tag, "StorageError")
    })
  )

  it.effect("is asked anew by a machine that was suspended, whose own time stood still", () =>
    Effect.gen(function* () {
      const { isSound, now, pass, world } = yield* aWorld
      yield* pass(1_500)
      world.wall += hour
      world.storage += hour
      assert.isTrue(yield* isSound)
      assert.strictEqual(yield* now, world.storage)
      // Where not even the other clock of the machine noticed, the look of the next second does.
      world.storage += hour
      yield* pass(5_000)
      assert.isFalse(yield* isSound)
      assert.strictEqual(yield* now, world.storage)
    })
  )

  it.effect("that jumps away from all machines makes none of them sound", () =>
    Effect.gen(function* () {
      const { ask, isSound, now, skew, world } = yield* aWorld
      world.storage -= hour
      yield* ask
      assert.strictEqual(yield* now, start - hour)
      assert.deepStrictEqual(yield* skew, { aheadMillis: hour, isTooMuch: true, settings: 1 })
      assert.isFalse(yield* isSound)
      assert.include(
        SharedClock.skewText(yield* skew),
        "is 3600 s ahead of the storage's: set it right, or the storage's where every process says so"
      )
    })
  )
})
