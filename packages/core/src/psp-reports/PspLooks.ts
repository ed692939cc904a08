import { DateTime, Duration, Effect } from "effect"
import type { PspDirectory, PspShape } from "../ports/Psp.ts"
import { refusedFor } from "../storage/DecideAgain.ts"
import type { Storage } from "../storage/Storage.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import { accountAt } from "./PspReport.ts"

interface Beginning {
  readonly directory: PspDirectory["Service"]
  readonly storage: Storage["Service"]
  readonly time: ServiceTime["Service"]
}

/** Puts PSPs in line that have one of these methods, each once however many processes start. */
export const beginLooks = (
  { directory, storage, time }: Beginning,
  queue: "comparison" | "infraction",
  methods: ReadonlyArray<keyof Pick<PspShape, "balance" | "listPayments" | "listInfractions">>,
  { after, every }: { readonly after: Duration.Duration; readonly every: Duration.Duration }
): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (const id of directory.all) {
      const psp = directory.find(id)
      if (methods.every((name) => psp?.[name] === undefined)) continue
      const group = accountAt(id)
      const [waiting] = yield* storage.jobs({ queue, group, limit: 1 })
      const at = yield* time.now
      // One that is due much later than a look can be was written by a clock that was ahead.
      const latest = DateTime.addDuration(at, Duration.times(every, 2))
      if (waiting !== undefined && DateTime.isLessThanOrEqualTo(waiting.due, latest)) continue
      const due = DateTime.addDuration(at, after)
      const jobs = [{ _tag: "Schedule", queue, id, group, due }] as const
      yield* storage.commit({ at, jobs }).pipe(refusedFor())
    }
  }).pipe(
    Effect.catchCause((cause) =>
      Effect.logWarning("Looks at the lists of PSPs could not be begun.", safeCause(cause)).pipe(
        Effect.annotateLogs({ queue })
      )
    )
  )
