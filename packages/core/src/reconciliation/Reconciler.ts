import type { DateTime } from "effect"
import { Effect } from "effect"
import type { PspCredentialId } from "../kernel/Ids.ts"
import { Ids } from "../time/Ids.ts"
import type { PspCapabilities, PspOutcome, PspShape } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { environmentAt } from "../psp-calls/DeploymentEnvironment.ts"
import { isAnyOpen } from "../psp-calls/PspCircuit.ts"
import type { Refused, StorageError } from "../units/Refused.ts"
import type { Expectation, JobWrite } from "../units/Unit.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import { spanned } from "../telemetry/SpanGuarder.ts"
import type { Progress } from "../jobs/JobSteps.ts"
import { asking, finish, lookedForAgain, retry, workOff } from "../jobs/JobSteps.ts"
import type { JobWorker } from "../jobs/JobWorker.ts"
import type { WorkerOptions } from "../jobs/JobRunner.ts"
import { make } from "../jobs/JobWorker.ts"
import { isLateLook } from "./LateLooks.ts"
import { afterPause, mayLeave } from "./Requests.ts"

/** A look at something that a PSP does for us. */
export interface Look {
  readonly now: DateTime.Utc
  /** Whether it ended some time ago and nobody waits for the answer. */
  readonly isLate: boolean
  readonly job: Claimed
}

/** A look that can ask. */
export interface LookAt extends Look {
  readonly capabilities: PspCapabilities
  /** Before the PSP was asked, or sent, what is decided on: its answer may be no younger. */
  readonly askedAt: DateTime.Utc
}

/** What a conclusion is written with. */
export interface Concluding {
  readonly look: Look
  readonly environment: PspShape["environment"]
}

/** Nothing was asked yet. */
export interface Due {
  readonly _tag: "Due"
}
const due: Due = { _tag: "Due" }

/** What a PSP answered, as far as it was asked. */
export interface Answer {
  readonly _tag: string
  readonly outcome?: PspOutcome<unknown>
}

/** What ends a look; where it is not over, it is looked at `again`. */
export interface Conclusion {
  readonly _tag: string
  readonly again?: DateTime.Utc | undefined
}

type Commit<A> = Effect.Effect<A, Refused | StorageError>

/**
 * What is told of charges, payouts and returns alike: an intent, a question to the PSP, an answer, a decision, one commit,
 * perhaps another look. `Reconcilable` is what each has of its own (decision 0100).
 *
 * @typeParam Q What it asks a PSP. The answer is decided on anew.
 * @typeParam C What it concludes. It is committed, and ends the look.
 */
export interface Reconcilable<Loaded, A extends Answer, Q extends object, C extends Conclusion> {
  /** Its name in the log. */
  readonly what: string
  readonly load: (job: Claimed) => Effect.Effect<Loaded | undefined, StorageError>
  /** That it is still as it was loaded: nothing is ended by what it is not any more. */
  readonly expectation: (loaded: Loaded) => Expectation
  readonly pspOf: (loaded: Loaded) => PspCredentialId
  /** Whether the PSP could still change how it ended. */
  readonly isWatched: (loaded: Loaded) => boolean
  readonly decide: (loaded: Loaded, answer: A | Due, look: LookAt) => Q | C
  /** Decides where its PSP is not configured any more. */
  readonly withoutPsp: (loaded: Loaded, look: Look) => C
  readonly isQuestion: (verdict: Q | C) => verdict is Q
  /** Asks, and answers what it is by then: an intent may have been written before. */
  readonly ask: (loaded: Loaded, question: Q, psp: PspShape) => Commit<readonly [Loaded, A]>
  readonly commit: (loaded: Loaded, conclusion: C, by: Concluding) => Commit<Progress>
  /** Whether nobody waits for the answer to a job. */
  readonly isPatient?: (job: Claimed) => boolean
  /** Whether others may ask the PSP again before what follows is written. */
  readonly leavesSlot?: (question: Q) => boolean
}

/** Works claimed jobs off: each by looks that load, ask, decide and commit, until a conclusion stands. */
export type Reconcile = (job: Claimed) => Effect.Effect<void, StorageError>

export const reconciler = Effect.fnUntraced(function* <
  Loaded,
  A extends Answer,
  Q extends object,
  C extends Conclusion
>(
  reconcilable: Reconcilable<Loaded, A, Q, C>
): Effect.fn.Return<Reconcile, never, PspDirectory | ServiceTime | Storage> {
  const directory = yield* PspDirectory
  const time = yield* ServiceTime
  const { commit } = yield* Storage

  const write = Effect.fnUntraced(function* (change: JobWrite, ...expects: Array<Expectation>) {
    yield* commit({ at: yield* time.now, expects, jobs: [change] })
    return "finished" as const
  })

  /** Asks and decides, until there is nothing more to ask. */
  const concluded = Effect.fnUntraced(function* (
    first: readonly [Loaded, Q],
    psp: PspShape,
    { isLate, job }: Look
  ): Effect.fn.Return<Commit<Progress>, Refused | StorageError> {
    for (let [loaded, question] = first; ;) {
      const askedAt = yield* time.now
      const [current, answer] = yield* reconcilable.ask(loaded, question, psp)
      const { capabilities, environment } = psp
      const look = { now: yield* time.now, askedAt, isLate, job, capabilities }
      const verdict = reconcilable.decide(current, answer, look)
      if (!reconcilable.isQuestion(verdict)) {
        const { again } = verdict
        const paused = again && { again: afterPause(again, answer.outcome, look.now) }
        return reconcilable.commit(current, { ...verdict, ...paused }, { look, environment })
      }
      loaded = current
      question = verdict
    }
  })

  const step = Effect.fnUntraced(function* (
    job: Claimed
  ): Effect.fn.Return<Progress, Refused | StorageError> {
    const loaded = yield* reconcilable.load(job)
    const isLate = isLateLook(job)
    if (loaded === undefined)
      return yield* write(yield* lookedForAgain(reconcilable.what, job, yield* time.now))
    if (isLate && !reconcilable.isWatched(loaded))
      return yield* write(finish(job), reconcilable.expectation(loaded))
    const pspCredentialId = reconcilable.pspOf(loaded)
    const psp = directory.find(pspCredentialId)
    const look = { now: yield* time.now, isLate, job }
    if (psp === undefined) {
      yield* Effect.logError(`The PSP of a ${reconcilable.what} is not configured.`).pipe(
        Effect.annotateLogs({ id: job.id, psp: pspCredentialId })
      )
      const conclusion = reconcilable.withoutPsp(loaded, look)
      const environment = environmentAt(directory, pspCredentialId)
      return yield* reconcilable.commit(loaded, conclusion, { look, environment })
    }
    const { capabilities, environment } = psp
    const first = reconcilable.decide(loaded, due, { ...look, askedAt: look.now, capabilities })
    if (!reconcilable.isQuestion(first))
      return yield* reconcilable.commit(loaded, first, { look, environment })
    const at = { psp, time, isPatient: reconcilable.isPatient?.(job) ?? false }
    const asked = concluded([loaded, first], psp, look)
    const putOff = (until: DateTime.Utc) => write(retry(job, until))
    if (reconcilable.leavesSlot?.(first) !== true)
      return yield* asking(at, Effect.flatten(asked), putOff)
    return yield* yield* asking(at, asked, (until) => Effect.succeed(putOff(until)))
  })

  return (job) => spanned(workOff(reconcilable.what, job, step), "Reconciler.work", {})
})

/** A worker that reconciles, and what it does with a job: whoever has one of the same kind from elsewhere does so too. */
export interface ReconcilingWorker extends JobWorker {
  readonly reconcile: Reconcile
}

/** A worker of these queues, which begins what is put in line here where it can be sure that its PSP is asked. */
export const pspWorker = (
  options: Omit<WorkerOptions, "mayBear">
): Effect.Effect<JobWorker, never, PspDirectory | ServiceTime | Storage | Ids> =>
  Effect.gen(function* () {
    const services = { storage: yield* Storage, time: yield* ServiceTime, ids: yield* Ids }
    const directory = yield* PspDirectory
    return make(services, { ...options, mayBear: () => !isAnyOpen(directory) })
  })

/**
 * Sends a request once its intent is written; whoever holds an older version cannot send any more. One that was held up
 * for too long after that does not leave: somebody may rely by now on nothing being on its way.
 */
export const sendIntended = Effect.fnUntraced(function* <Loaded, A>(
  time: ServiceTime["Service"],
  intend: (sentAt: DateTime.Utc) => Commit<Loaded>,
  send: (intended: Loaded) => Effect.Effect<A>
) {
  const sentAt = yield* time.now
  const intended = yield* intend(sentAt)
  const answer = mayLeave(sentAt, yield* time.now) ? yield* send(intended) : heldUp
  return [intended, answer] as const
})

/** A request that did not leave, because that took too long. */
export interface HeldUp {
  readonly _tag: "HeldUp"
}
const heldUp: HeldUp = { _tag: "HeldUp" }
