import { DateTime, Duration, Effect } from "effect"
import { finish, retry } from "../jobs/JobSteps.ts"
import type { PspCredentialId, Uuid } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import type { PspDirectory, PspInfraction, PspShape } from "../ports/Psp.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import { callPsp } from "../psp-calls/PspCall.ts"
import type { Storage } from "../storage/Storage.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import type { Refused, StorageError } from "../units/Refused.ts"
import { isNewsOf, isName, PspReportKind, reportKey } from "./PspReport.ts"
import type { PspReports } from "./PspReports.ts"

/**
 * How infractions are looked for where no notice tells of them. Each look reads all that may still be undecided, so that
 * there is no bookmark to be lost at a restart or to be wrong by a clock: what a clock or a slow bank hides from one look is
 * in the next (decision 0110).
 */
export const infractionLooks = {
  /** Between two looks. A report is to be answered within 7 days. */
  every: Duration.minutes(15),
  /** After one that the PSP did not answer. */
  again: Duration.minutes(2),
  /** A payment can be reported for 80 days, and the report is answered and decided within a fortnight (BACEN, MED). */
  reach: Duration.days(100)
} as const

/** How many infractions of a list are looked up at once. */
const atOnce = 16
/** A list that has so many pages does not end. */
const pagesMax = 10_000

interface Looking {
  readonly directory: PspDirectory["Service"]
  readonly storage: Storage["Service"]
  readonly time: ServiceTime["Service"]
  readonly reports: PspReports["Service"]
}

/** Reads the list of infractions of a PSP, and has asked about whatever is news in it, as if it had been notified. */
export const lookingForInfractions = (services: Looking) => {
  const { directory, storage, time } = services

  return Effect.fnUntraced(function* (
    job: Claimed
  ): Effect.fn.Return<"finished", Refused | StorageError> {
    const id = job.id as Uuid as PspCredentialId
    const psp = directory.find(id)
    const list = psp?.listInfractions?.bind(psp)
    // One that is not there any more, or cannot list, is begun anew at the next start where that has changed.
    if (list === undefined) {
      yield* storage.commit({ at: yield* time.now, jobs: [finish(job)] })
      return "finished"
    }
    const begun = yield* time.now
    const untold = yield* look(services, id, list, begun)
    const now = yield* time.now
    if (untold !== undefined)
      yield* Effect.logWarning(
        "A PSP does not tell what was reported to it; it is asked again."
      ).pipe(Effect.annotateLogs({ psp: id, outcome: untold }))
    const wait = untold === undefined ? infractionLooks.every : infractionLooks.again
    yield* storage.commit({ at: now, jobs: [retry(job, DateTime.addDuration(now, wait))] })
    return "finished"
  })
}

const look = Effect.fnUntraced(function* (
  services: Looking,
  psp: PspCredentialId,
  list: NonNullable<PspShape["listInfractions"]>,
  to: DateTime.Utc
): Effect.fn.Return<string | undefined, StorageError> {
  const period = { from: DateTime.subtractDuration(to, infractionLooks.reach), to }
  let cursor: string | undefined
  for (let pages = 0; pages < pagesMax; pages++) {
    const outcome = yield* callPsp("listInfractions", list({ ...period, ...present({ cursor }) }))
    if (outcome._tag !== "Done") return outcome._tag
    const { infractions, next } = outcome.value
    yield* Effect.forEach(infractions, (infraction) => takeNews(services, psp, infraction), {
      concurrency: atOnce,
      discard: true
    })
    cursor = next
    if (cursor === undefined) return undefined
  }
  return "a list without an end"
})

const takeNews = Effect.fnUntraced(function* (
  { reports, storage }: Looking,
  psp: PspCredentialId,
  infraction: PspInfraction
): Effect.fn.Return<void, StorageError> {
  const { id: name } = infraction
  if (!isName(name)) return
  const key = reportKey({ pspCredentialId: psp, subject: "infraction", name })
  const found = yield* storage.look([PspReportKind], { _tag: "Key", ...key })
  if (isNewsOf(found?.entity?.value, infraction))
    yield* reports.take(psp, { _tag: "Infraction", id: name })
})
