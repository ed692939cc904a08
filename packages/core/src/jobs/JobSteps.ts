import { DateTime, Duration, Effect } from "effect"
import type { PspShape } from "../ports/Psp.ts"
import { circuitOf } from "../psp-calls/PspCircuit.ts"
import type { Refused, StorageError } from "../units/Refused.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import type { JobWrite } from "../units/Unit.ts"

/** How often a decision is taken anew while neighbours change what it rests on. */
const refusalsMax = 16

/** What one look and one commit came to; `more` asks for another look at once. */
export type Progress = "finished" | "more"

/** The work is done. */
export const finish = ({ id, queue, token }: Claimed): JobWrite => ({
  _tag: "Finish",
  queue,
  id,
  token
})

/** Again at `due`. */
export const retry = ({ id, queue, token }: Claimed, due: DateTime.Utc): JobWrite => ({
  _tag: "Retry",
  queue,
  id,
  token,
  due
})

/** Again at `due`, or never more. */
export const endOrRetry = (job: Claimed, due: DateTime.Utc | undefined): JobWrite =>
  due === undefined ? finish(job) : retry(job, due)

/** How long a job rests whose subject was not found. */
const missingRest = Duration.seconds(30)

/**
 * Again in a while, where its subject was not found. Both are written in one commit, so that it is there: it was read at a
 * server that is not the one of the job, such as a former primary that goes on beside the one that has taken its place. What
 * is not found is never taken for over (decision 0116).
 */
export const lookedForAgain = (
  what: string,
  job: Claimed,
  now: DateTime.Utc
): Effect.Effect<JobWrite> =>
  Effect.as(
    Effect.logError(`A ${what} that stands in line was not found; it is looked for again.`).pipe(
      Effect.annotateLogs({ queue: job.queue, job: job.id })
    ),
    retry(job, DateTime.addDuration(now, missingRest))
  )

interface Asking {
  readonly psp: PspShape
  readonly time: ServiceTime["Service"]
  /** Whether nobody waits for the answer. */
  readonly isPatient?: boolean
}

/**
 * A step that asks a PSP. A PSP that has all the jobs it may have, or is left alone because it does not answer, is not
 * asked: `putOff` brings the job again at a time, and nothing is counted against it (decision 0078).
 */
export const asking = <A, E>(
  { isPatient = false, psp, time }: Asking,
  step: Effect.Effect<A, E>,
  putOff: (due: DateTime.Utc) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  circuitOf(psp)?.admit(
    step,
    (wait) => Effect.flatMap(time.now, (now) => putOff(DateTime.addDuration(now, wait))),
    isPatient
  ) ?? step

/**
 * Works a claimed job off, step by step; each step decides on what is there and commits. A lost lease ends the work:
 * somebody else has it. Any other refusal means to look and decide anew. `what` names it in the log.
 */
export const workOff = Effect.fnUntraced(function* (
  what: string,
  job: Claimed,
  step: (job: Claimed) => Effect.Effect<Progress, Refused | StorageError>
): Effect.fn.Return<void, StorageError> {
  for (let refusals = 0; refusals < refusalsMax;) {
    const progress = yield* Effect.catch(step(job), afterRefusal)
    if (progress === "finished") return
    if (progress === "refused") refusals++
  }
  yield* Effect.logWarning(`A ${what} kept changing; its job waits for the lease to end.`).pipe(
    Effect.annotateLogs({ job: job.id })
  )
})

const afterRefusal = (
  error: Refused | StorageError
): Effect.Effect<"finished" | "refused", StorageError> => {
  if (error._tag === "StorageError") return Effect.fail(error)
  return Effect.succeed(error._tag === "LeaseLost" ? "finished" : "refused")
}
