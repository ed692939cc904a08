import { Clock, Context, DateTime, Duration, Effect, Layer } from "effect"

/**
 * The time of the business: expiry, tokens, windows, day limits and ids go by it. It is Effect's clock plus an
 * offset, so that a sandbox can travel while pools, sockets, deadlines and leases stay on real time.
 */
export class ServiceTime extends Context.Service<
  ServiceTime,
  {
    readonly now: Effect.Effect<DateTime.Utc>
    readonly offset: Effect.Effect<Duration.Duration>
    /** Sets how far business time is ahead of the clock. Persisting it is the caller's affair. */
    readonly setOffset: (offset: Duration.Duration) => Effect.Effect<void>
  }
>()("@pagora/core/ports/ServiceTime") {
  static readonly layer: Layer.Layer<ServiceTime> = Layer.sync(ServiceTime, () => {
    let offsetMillis = 0
    return ServiceTime.of({
      now: Effect.map(Clock.currentTimeMillis, (millis) =>
        DateTime.makeUnsafe(millis + offsetMillis)
      ),
      offset: Effect.sync(() => Duration.millis(offsetMillis)),
      setOffset: (offset) =>
        Effect.sync(() => {
          offsetMillis = Duration.toMillis(offset)
        })
    })
  })
}
