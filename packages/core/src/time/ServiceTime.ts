import { Clock, Context, DateTime, Duration, Effect, Layer } from "effect"
import { Storage } from "../storage/Storage.ts"

/**
 * The time of the business: expiry, tokens, windows, day limits and ids go by it. It is the clock of the storage, so that
 * all processes have one, plus an offset, so that a sandbox can travel while pools, sockets, deadlines and leases stay
 * on real time (decision 0011).
 */
export class ServiceTime extends Context.Service<
  ServiceTime,
  {
    /** From memory: it costs no question. */
    readonly now: Effect.Effect<DateTime.Utc>
    /** The same without the offset, for what others compare with clocks of their own. */
    readonly real: Effect.Effect<DateTime.Utc>
    readonly offset: Effect.Effect<Duration.Duration>
    /** Sets how far business time is ahead of the clock. Persisting it is the caller's affair. */
    readonly setOffset: (offset: Duration.Duration) => Effect.Effect<void>
  }
>()("@pagora/core/time/ServiceTime") {
  static readonly layer: Layer.Layer<ServiceTime, never, Storage> = Layer.effect(
    ServiceTime,
    Effect.gen(function* () {
      const { clock } = yield* Storage
      let offsetMillis = 0
      return ServiceTime.of({
        now: Clock.clockWith((local) =>
          Effect.succeed(DateTime.makeUnsafe(clock.millisBy(local) + offsetMillis))
        ),
        real: clock.now,
        offset: Effect.sync(() => Duration.millis(offsetMillis)),
        setOffset: (offset) =>
          Effect.sync(() => {
            offsetMillis = Duration.toMillis(offset)
          })
      })
    })
  )
}
