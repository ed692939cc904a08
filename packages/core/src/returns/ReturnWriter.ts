import { Context, Effect, Layer } from "effect"
import type { Recording } from "../discrepancies/DiscrepancyRecords.ts"
import { evidenceOf, recordOnce } from "../discrepancies/DiscrepancyRecords.ts"
import type { LedgerTxId, ReturnId } from "../kernel/Ids.ts"
import { Ids } from "../time/Ids.ts"
import * as Kind from "../units/Kind.ts"
import type { Environment } from "../ports/Psp.ts"
import type { Refused, StorageError } from "../units/Refused.ts"
import { Secrets } from "../ports/Secrets.ts"
import { Storage } from "../storage/Storage.ts"
import type { JobWrite, NewUnit, Unit } from "../units/Unit.ts"
import { watchEnd } from "../reconciliation/LateLooks.ts"
import type { Concluding } from "../reconciliation/Reconciler.ts"
import { reviewJobs } from "../reviews/ReviewJobs.ts"
import type { Progress } from "../jobs/JobSteps.ts"
import { endOrRetry, finish } from "../jobs/JobSteps.ts"
import type { Replacement, Return } from "./Return.ts"
import { isOver, isWatched, replace as replaced, ReturnKind } from "./Return.ts"
import { begunReturn } from "./ReturnJobs.ts"
import { payBack, release } from "./ReturnPostings.ts"
import { ReturnSources } from "./ReturnSources.ts"
import type { ReturnConclusion } from "./ReturnVerdict.ts"

export type LoadedReturn = Kind.Versioned<Return>

type Jobs = ReadonlyArray<JobWrite>
type Write<A = void> = Effect.Effect<A, Refused | StorageError>

/** Reads returns and writes what was decided about them, each decision in one commit. */
export class ReturnWriter extends Context.Service<
  ReturnWriter,
  {
    readonly load: (id: ReturnId) => Effect.Effect<LoadedReturn | undefined, StorageError>
    /** Writes that it is about to be sent to the PSP. Nothing is sent before. Answers the return as it is afterwards. */
    readonly intend: (loaded: LoadedReturn, intent: Return) => Write<LoadedReturn>
    /** Writes what a look concluded, in one commit with its job. */
    readonly write: (
      loaded: LoadedReturn,
      conclusion: ReturnConclusion,
      by: Concluding
    ) => Write<Progress>
    /** Begins a return in the place of a refused one. */
    readonly replace: (
      loaded: LoadedReturn,
      replacement: Replacement,
      unit: Pick<Unit, "jobs" | "idempotency">
    ) => Write
    /**
     * An end of it: confirmed, with the postings that its money has left and, for a refund, fee, event and deliveries;
     * or failed, with what gives its money back.
     */
    readonly writeEnd: (
      loaded: LoadedReturn,
      next: Return,
      environment: Environment,
      unit: Pick<Unit, "jobs" | "idempotency">
    ) => Write
  }
>()("@pagora/core/returns/ReturnWriter") {
  static readonly layer: Layer.Layer<ReturnWriter, never, Storage | Ids | Secrets | ReturnSources> =
    Layer.effect(
      ReturnWriter,
      Effect.gen(function* () {
        const storage = yield* Storage
        const ids = yield* Ids
        const sources = yield* ReturnSources

        const { commit } = storage

        const intend = Effect.fnUntraced(function* (loaded: LoadedReturn, intent: Return) {
          yield* commit(withChange({ at: intent.updatedAt }, loaded, intent))
          return { value: intent, version: loaded.version + 1 }
        })

        const replace = Effect.fn("ReturnWriter.replace")(function* (
          loaded: LoadedReturn,
          { former, next }: Replacement,
          { jobs = [], ...key }: Pick<Unit, "jobs" | "idempotency">
        ) {
          const updates = yield* sources.pointTo(next)
          const begun = begunReturn(next)
          const at = former.updatedAt
          const unit = {
            ...key,
            at,
            inserts: begun.inserts,
            updates,
            jobs: [...jobs, ...begun.jobs]
          }
          yield* commit(withChange(unit, loaded, former))
        })

        const writeEnd = Effect.fn("ReturnWriter.writeEnd")(function* (
          loaded: LoadedReturn,
          next: Return,
          environment: Environment,
          { jobs = [], ...key }: Pick<Unit, "jobs" | "idempotency">
        ) {
          const money = yield* ids.next<LedgerTxId>()
          const at = next.updatedAt
          const noted = yield* sources.noteEnd(loaded.value, next)
          if (next.status === "failed") {
            const ledger = [release(next, money)]
            return yield* commit(withChange({ at, ...noted, ledger, jobs, ...key }, loaded, next))
          }
          const ledger = payBack(next, { money, fee: yield* ids.next<LedgerTxId>() })
          const events = next.purpose === "refund" ? yield* sources.report(next, environment) : []
          const unit = { at, ...noted, ledger, events, jobs, ...key }
          yield* commit(withChange(unit, loaded, next))
        })

        const recording = { ids, secrets: yield* Secrets, commit }
        return ReturnWriter.of({
          load: (id) => storage.find(ReturnKind, id),
          intend,
          write: writing(recording, { replace, writeEnd }),
          replace,
          writeEnd
        })
      })
    )
}

/** Where a conclusion becomes a unit. */
const writing = (
  recording: Recording,
  { replace, writeEnd }: Pick<ReturnWriter["Service"], "replace" | "writeEnd">
): ReturnWriter["Service"]["write"] => {
  const { commit, ids } = recording

  const concluded = (
    loaded: LoadedReturn,
    conclusion: ReturnConclusion,
    { environment, look: { job, now: at } }: Concluding
  ): Write => {
    const { account: group, id } = loaded.value
    switch (conclusion._tag) {
      case "Ended":
        return writeEnd(loaded, conclusion.money, environment, { jobs: [finish(job)] })
      case "Replaced":
        return Effect.flatMap(ids.next<ReturnId>(), (next) =>
          replace(loaded, replaced(conclusion.money, next, at), { jobs: [finish(job)] })
        )
      case "Waiting": {
        const jobs = [endOrRetry(job, conclusion.again)]
        return commit(withChange({ at, jobs }, loaded, conclusion.money))
      }
      case "Reopened": {
        const jobs: Jobs = [
          { _tag: "Schedule", queue: "return", id, group, due: at },
          endOrRetry(job, conclusion.again)
        ]
        return commit(withChange({ at, jobs }, loaded, loaded.value))
      }
      case "Contradicted":
        return contradict(recording, loaded, conclusion, { job, now: at })
    }
  }
  return Effect.fnUntraced(function* (loaded, conclusion, by) {
    yield* logDoubt(loaded.value, conclusion)
    yield* concluded(loaded, conclusion, by)
    yield* logRefusal(loaded.value, conclusion)
    return "finished" as const
  })
}

/** Records, once, that the PSP contradicts what is known. */
const contradict = Effect.fn("ReturnWriter.contradict")(function* (
  recording: Recording,
  loaded: LoadedReturn,
  { again, by, money: next }: Extract<ReturnConclusion, { readonly _tag: "Contradicted" }>,
  { job, now: at }: Pick<Concluding["look"], "job" | "now">
) {
  const { known, money, reason } = by
  const isNews = yield* recordOnce(
    recording,
    {
      subject: money,
      subjectType: "return",
      reason,
      booked: bookedOf(money),
      ...evidenceOf(known, inEvidence)
    },
    withChange({ at, jobs: [endOrRetry(job, again)] }, loaded, next)
  )
  if (!isNews) return
  yield* Effect.logError(
    isOver(money)
      ? "A PSP contradicts the end of a return; nothing was moved."
      : "A PSP answers with another return under our reference."
  ).pipe(
    Effect.annotateLogs({
      return: money.id,
      status: money.status,
      psp: money.pspCredentialId,
      told: known?.status ?? "NotFound"
    })
  )
})

/** Tells the log that nothing could be learnt, while nobody was asked to look at it. */
const logDoubt = (before: Return, conclusion: ReturnConclusion): Effect.Effect<void> => {
  if (conclusion._tag !== "Waiting" || before.review !== undefined) return Effect.void
  const { doubt: outcome, money } = conclusion
  const { id, pspCredentialId: psp, purpose, status } = money
  const doubt =
    outcome === undefined
      ? Effect.void
      : Effect.logWarning(
          "The state of a return could not be learnt; the PSP is asked again."
        ).pipe(Effect.annotateLogs({ return: id, psp, outcome }))
  return money.review?.reason === "unanswered"
    ? Effect.andThen(
        doubt,
        Effect.logError("A return does not come to its end; a person has to look at it.").pipe(
          Effect.annotateLogs({ return: id, purpose, status })
        )
      )
    : doubt
}

/** Tells the log that it was refused once more. */
const logRefusal = (before: Return, conclusion: ReturnConclusion): Effect.Effect<void> => {
  if (conclusion._tag === "Reopened") return Effect.void
  const { failureReason: code, id, purpose, rejections = 0, review } = conclusion.money
  if (rejections === (before.rejections ?? 0)) return Effect.void
  return (
    review === undefined
      ? Effect.logWarning("A PSP refused a return.")
      : Effect.logError("A PSP keeps refusing to bring money back; it stays in suspense.")
  ).pipe(Effect.annotateLogs({ return: id, purpose, code }))
}

/** The change of a return, where there is one, of what waits for a person by it, and of what is looked at again. */
export const withChange = (unit: NewUnit, loaded: LoadedReturn, next: Return): NewUnit => {
  // Where nothing of it changes, it must be as it was judged all the same.
  if (next === loaded.value)
    return { ...unit, expects: [...(unit.expects ?? []), Kind.expectation(ReturnKind, loaded)] }
  const { account, id, review } = next
  const line = reviewJobs(loaded.value.review?.since, { id, account, since: review?.since })
  const hasEnded =
    isWatched(next) && (!isWatched(loaded.value) || isOver(next) !== isOver(loaded.value))
  return {
    ...unit,
    updates: [...(unit.updates ?? []), Kind.update(ReturnKind, loaded, next)],
    jobs: [...(unit.jobs ?? []), ...line, ...(hasEnded ? [watchEnd(next)] : [])]
  }
}

const bookedOf = ({ amount, endToEndId, reference, returnId, settledAt, status }: Return) => ({
  status,
  amount,
  reference,
  endToEndId,
  returnId,
  settledAt
})

const inEvidence = {
  compared: ["reference", "endToEndId", "status", "amount", "returnId"],
  shown: ["settledAt", "rejection"]
} as const
