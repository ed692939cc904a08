import { journey, layerPagora, RecordingTransport, resumed } from "@pagora/testkit"
import type { TenantOptions } from "@pagora/testkit"
import type { Context } from "effect"
import { Clock, Duration, Effect, Layer } from "effect"
import { postgres } from "../src/index.ts"
import { aDatabase } from "./FreshDatabase.test-data.ts"

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
const aProcess = (url: string, clock: Layer.Layer<never>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const transport = yield* Layer.build(Layer.fresh(RecordingTransport.layer))
      return layerPagora(
        Layer.fresh(postgres({ url, poolMax: 4 })),
        Layer.succeedContext(transport)
      ).pipe(Layer.provideMerge(Layer.succeedContext(transport)))
    })
  ).pipe(Layer.provideMerge(clock))

/** The story of one shop in two processes over one database: the clock of the first is right, the other's is not. */
export const twoClocks = Effect.fnUntraced(function* (
  ahead: Duration.Input,
  options?: TenantOptions
) {
  const { url } = yield* aDatabase
  const wrong = aWrongClock(ahead)
  const right = yield* Layer.build(aProcess(url, aWrongClock(0).layer))
  const other = yield* Layer.build(aProcess(url, wrong.layer))
  const story = yield* Effect.provideContext(journey(options), right)
  const stories = [story, yield* Effect.provideContext(resumed(story.shop), other)] as const
  type Services = typeof right extends Context.Context<infer All> ? All : never
  const inRight = <A, E>(effect: Effect.Effect<A, E, Services>) =>
    Effect.provideContext(effect, right)
  const inOther = <A, E>(effect: Effect.Effect<A, E, Services>) =>
    Effect.provideContext(effect, other)
  return { url, wrong, stories, inRight, inOther }
})
