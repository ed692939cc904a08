import type { TenantOptions } from "@pagora/testkit"
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { aDatabase } from "./FreshDatabase.test-data.ts"
import { inBoth, processAt } from "./Processes.test-data.ts"

/** Tells this time of day, and sleeps and measures as the real clock. */
export const clockTelling = (millis: (real: number) => number): Clock.Clock => {
  const real = Effect.runSync(Clock.clockWith(Effect.succeed))
  const currentTimeMillisUnsafe = () => millis(real.currentTimeMillisUnsafe())
  const currentTimeNanosUnsafe = () => BigInt(currentTimeMillisUnsafe()) * 1_000_000n
  return {
    currentTimeMillisUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
    currentTimeNanosUnsafe,
    currentTimeNanos: Effect.sync(currentTimeNanosUnsafe),
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: Effect.sync(() => real.monotonicTimeNanosUnsafe()),
    sleep: (duration) => real.sleep(duration)
  }
}

/** The clock of a machine that is wrong by so much; it ticks as it should, and can be set. */
const aWrongClock = (ahead: Duration.Input) => {
  let millis = Duration.toMillis(ahead)
  return {
    layer: Layer.succeed(
      Clock.Clock,
      clockTelling((real) => real + millis)
    ),
    set: (next: Duration.Input) =>
      Effect.sync(() => {
        millis = Duration.toMillis(next)
      })
  }
}

/** A process of the service on the machine whose clock that is. */
const aProcess = Effect.fnUntraced(function* (url: string, clock: Layer.Layer<never>) {
  const machine = yield* Layer.build(clock)
  return Context.merge(yield* Effect.provideContext(processAt(url), machine), machine)
})

/** The story of one shop in two processes over one database: the clock of the first is right, the other's is not. */
export const twoClocks = Effect.fnUntraced(function* (
  ahead: Duration.Input,
  options?: TenantOptions
) {
  const { url } = yield* aDatabase
  const wrong = aWrongClock(ahead)
  const right = yield* aProcess(url, aWrongClock(0).layer)
  const other = yield* aProcess(url, wrong.layer)
  const stories = yield* inBoth(right, other, options)
  type Services = typeof right extends Context.Context<infer All> ? All : never
  const inRight = <A, E>(effect: Effect.Effect<A, E, Services>) =>
    Effect.provideContext(effect, right)
  const inOther = <A, E>(effect: Effect.Effect<A, E, Services>) =>
    Effect.provideContext(effect, other)
  return { url, wrong, stories, inRight, inOther }
})
