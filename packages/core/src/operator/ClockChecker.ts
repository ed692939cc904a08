import { DateTime, Duration, Effect, Layer } from "effect"
import { instantOf } from "../kernel/Ids.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { Storage } from "../ports/Storage.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import { ServiceClock } from "../workers/ServiceClock.ts"

/** Clocks of several machines differ by less, where anybody looks after them. */
const tolerated = Duration.minutes(5)
/** A start waits no longer for it. */
const within = "2 seconds"

const check = Effect.gen(function* () {
  const storage = yield* Storage
  const clock = yield* ServiceClock
  const time = yield* ServiceTime
  yield* clock.follow
  const [newest] = yield* storage.movements({ order: "desc", limit: 1 })
  if (newest === undefined) return
  const now = yield* time.now
  const behind = DateTime.distance(now, instantOf(newest.id))
  if (Duration.isLessThanOrEqualTo(behind, tolerated)) return
  yield* Effect.logError(
    "The clock of this machine is behind the newest entry of the ledger: set it right. Until then charges expire late, tokens last longer and days of limits are wrong."
  ).pipe(Effect.annotateLogs({ behindSeconds: Math.round(Duration.toSeconds(behind)) }))
})

/**
 * Says at the start when the clock has been set back, or the machine woke up with a wrong one. It stops nothing: the ledger
 * does not go by the clock, and one entry of a machine that was ahead must not keep all others from ever starting.
 */
export const clockChecked: Layer.Layer<never, never, Storage | ServiceClock | ServiceTime> =
  Layer.effectDiscard(
    check.pipe(
      Effect.timeoutOption(within),
      Effect.catchCause((cause) =>
        Effect.logWarning("The clock could not be held against the ledger.", safeCause(cause))
      )
    )
  )
