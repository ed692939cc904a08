import { DateTime, Duration, Effect } from "effect"
import type { Uuid } from "../kernel/Ids.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import type { Storage } from "../storage/Storage.ts"
import { refusedFor } from "../storage/DecideAgain.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import type { Queue } from "../units/Unit.ts"
import type { StorageError } from "../units/Refused.ts"

/**
 * What lies further ahead is looked at once more (decision 0064). A return that was refused rests for less, and a PSP that asks
 * to be left alone is for an hour at most. Only questions about a notice can lie further ahead: one more harms nothing.
 */
const putOffMax = Duration.hours(3)
/** Charges and late looks are due in days. What a clock that was ahead has written of them waits for a notice or the comparison with the PSP. */
const queues: ReadonlyArray<Queue> = [
  "payout",
  "return",
  "inbox",
  "report",
  "comparison",
  "infraction",
  "closing",
  "webhook",
  "expiry"
]
const atOnce = 500
const pause = "100 millis"
/** How soon it is seen that the clock of the storage was set. */
const lookEvery = "1 second"

interface Waking {
  readonly storage: Storage["Service"]
  readonly time: ServiceTime["Service"]
}

/**
 * Makes due what lies so far ahead that a clock which was ahead may have written it: it would sleep until then. Answers how
 * many jobs that were. One that is looked at too early is put off again, as after any look.
 */
export const wake = Effect.fn("SleepingJobs.wake")(function* ({
  storage,
  time
}: Waking): Effect.fn.Return<number, StorageError> {
  let woken = 0
  for (const queue of queues) {
    for (let after: Uuid | undefined; ; yield* Effect.sleep(pause)) {
      const jobs = yield* storage.jobs({
        queue,
        limit: atOnce,
        ...(after === undefined ? {} : { after })
      })
      const at = yield* time.now
      const latest = DateTime.addDuration(at, putOffMax)
      const asleep = jobs.filter(({ due }) => DateTime.isGreaterThan(due, latest))
      if (asleep.length > 0) {
        yield* storage
          .commit({
            at,
            jobs: asleep.map(({ group, id }) => ({ _tag: "Schedule", queue, id, group, due: at }))
          })
          .pipe(refusedFor())
        woken += asleep.length
      }
      after = jobs.at(-1)?.id
      if (jobs.length < atOnce) break
    }
  }
  if (woken > 0)
    yield* Effect.logInfo(
      "Jobs that lay more than three hours ahead are due now: a clock that was ahead may have written them."
    ).pipe(Effect.annotateLogs({ jobs: woken }))
  return woken
})

/** Wakes at the start and whenever the clock of the storage was set, once the clock of this machine agrees with it. */
export const waking = (services: Waking): Effect.Effect<never> => {
  const { clock } = services.storage
  let settings: number | undefined
  const turn = Effect.gen(function* () {
    const seen = (yield* clock.skew).settings
    if (seen === settings || !(yield* clock.isSound)) return
    yield* wake(services)
    settings = seen
  }).pipe(
    Effect.catchCause((cause) =>
      Effect.logWarning(
        "It could not be seen whether jobs lie too far ahead; it is tried again.",
        safeCause(cause)
      )
    )
  )
  return Effect.forever(Effect.andThen(turn, Effect.sleep(lookEvery)))
}
