import { Clock, Context, DateTime, Duration, Effect, Layer } from "effect"
import { Storage } from "../storage/Storage.ts"

/** Where one of two clocks may be wrong, it is surely not before the one and not after the other. */
export interface TimeBounds {
  readonly earliest: DateTime.Utc
  readonly latest: DateTime.Utc
}

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
    /**
     * What the clocks of the storage and of this machine tell, the earlier and the later: what must not be over too early
     * ends only when it is over by both (decision 0064).
     */
    readonly bounds: Effect.Effect<TimeBounds>
    /** The same as `now` without the offset, for what others compare with clocks of their own. */
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
        bounds: Clock.clockWith((local) =>
          Effect.sync(() => {
            const [shared, machine] = [clock.millisBy(local), local.currentTimeMillisUnsafe()]
            return {
              earliest: DateTime.makeUnsafe(Math.min(shared, machine) + offsetMillis),
              latest: DateTime.makeUnsafe(Math.max(shared, machine) + offsetMillis)
            }
          })
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
