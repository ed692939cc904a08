import { DateTime, Duration, Effect } from "effect"
import { instantOf } from "../kernel/Ids.ts"
import type { StorageError } from "../units/Refused.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import type { Skew } from "../storage/SharedClock.ts"
import { skewText } from "../storage/SharedClock.ts"
import type { Storage } from "../storage/Storage.ts"
import { clockSkew } from "../telemetry/Metrics.ts"
import { safeCause } from "../telemetry/SafeCause.ts"

/** How far the storage's clock may be behind the newest entry of the ledger, which another host may have stamped. */
const behindMax = Duration.minutes(5)
/** The ledger is waited for no longer. */
const ledgerMax = "2 seconds"

interface Watched {
  readonly storage: Storage["Service"]
  readonly time: ServiceTime["Service"]
}

/**
 * Says once when the clock of this machine goes wrong and once when it is right again, and holds the storage's clock against
 * the ledger at the first look and whenever it was set. That stops nothing: the ledger does not go by a clock.
 */
export const makeClockWatcher = ({ storage, time }: Watched): Effect.Effect<void> => {
  let wasTooMuch = false
  let settings: number | undefined

  return Effect.gen(function* () {
    const skew = yield* storage.clock.skew
    yield* clockSkew.record(skew.aheadMillis / 1_000)
    if (skew.isTooMuch !== wasTooMuch) {
      wasTooMuch = skew.isTooMuch
      yield* tell(skew)
    }
    if (skew.settings === settings) return
    settings = skew.settings
    yield* againstLedger({ storage, time }).pipe(
      Effect.timeoutOption(ledgerMax),
      Effect.catchCause((cause) =>
        Effect.logWarning("The clock could not be held against the ledger.", safeCause(cause))
      )
    )
  })
}

const tell = (skew: Skew): Effect.Effect<void> =>
  (skew.isTooMuch
    ? Effect.logError(skewText(skew))
    : Effect.logWarning("The clock of this machine is right again: work goes on.")
  ).pipe(Effect.annotateLogs({ aheadSeconds: Math.round(skew.aheadMillis / 1_000) }))

const againstLedger = Effect.fnUntraced(function* ({
  storage,
  time
}: Watched): Effect.fn.Return<void, StorageError> {
  const [newest] = yield* storage.movements({ order: "desc", limit: 1 })
  if (newest === undefined) return
  const behind = DateTime.distance(yield* time.now, instantOf(newest.id))
  if (Duration.isLessThanOrEqualTo(behind, behindMax)) return
  yield* Effect.logError(
    "The clock of the storage is behind the newest entry of the ledger: set it right. Until then charges expire late, tokens last longer and days of limits are wrong."
  ).pipe(Effect.annotateLogs({ behindSeconds: Math.round(Duration.toSeconds(behind)) }))
})
