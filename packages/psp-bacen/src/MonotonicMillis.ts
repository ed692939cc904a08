import { Clock, Effect } from "effect"

/** For whatever waits or lasts: a clock that is set makes nothing of it longer. */
export const monotonicMillis: Effect.Effect<number> = Effect.map(
  Clock.monotonicTimeNanos,
  (nanos) => Number(nanos) / 1_000_000
)
