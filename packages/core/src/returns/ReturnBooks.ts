import type { DateTime } from "effect"
import { Context, Effect, Layer } from "effect"
import type { DiscrepancyReason } from "../discrepancies/Discrepancy.ts"
import { evidenceOf, recordOnce } from "../discrepancies/DiscrepancyRecords.ts"
import type { LedgerTxId, ReturnId, UnitId } from "../kernel/Ids.ts"
import { Ids } from "../time/Ids.ts"
import * as Kind from "../units/Kind.ts"
import type { Environment, PspRefund } from "../ports/Psp.ts"
import type { Refused, StorageError } from "../units/Refused.ts"
import { Secrets } from "../ports/Secrets.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { JobWrite, Unit } from "../units/Unit.ts"
import { watchEnd } from "../reconciliation/LateLooks.ts"
import { reviewJobs } from "../reviews/ReviewJobs.ts"
import type { Replacement, Return } from "./Return.ts"
import { isOver, isWatched, ReturnKind } from "./Return.ts"
import { begunReturn } from "./ReturnJobs.ts"
import { leave, release } from "./ReturnLedger.ts"
import { ReturnOrigins } from "./ReturnOrigins.ts"

export type LoadedReturn = Kind.Versioned<Return>

type Jobs = ReadonlyArray<JobWrite>
type Write<A = void> = Effect.Effect<A, Refused | StorageError>

/** What the PSP says of a return that cannot be. */
export interface ReturnContradiction {
  readonly money: Return
  readonly reason: DiscrepancyReason
  readonly known: PspRefund | undefined
}

/** Reads returns and writes what was decided about them, each decision in one commit. */
export class ReturnBooks extends Context.Service<
  ReturnBooks,
  {
    readonly load: (id: ReturnId) => Effect.Effect<LoadedReturn | undefined, StorageError>
    /** A change that moves no money. Answers the return as it is afterwards. */
    readonly write: (
      loaded: LoadedReturn,
      next: Return,
      unit: Pick<Unit, "inserts" | "updates" | "jobs" | "idempotency">
    ) => Write<LoadedReturn>
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
    readonly settle: (
      loaded: LoadedReturn,
      next: Return,
      environment: Environment,
      unit: Pick<Unit, "jobs" | "idempotency">
    ) => Write
    /**
     * Records, once, that the PSP contradicts what is known; `change` is what it does to a return beside that. Answers
     * whether it was news.
     */
    readonly contradict: (
      contradiction: ReturnContradiction,
      jobs: Jobs,
      change?: { readonly loaded: LoadedReturn; readonly next: Return }
    ) => Write<boolean>
    /** Changes only jobs. */
    readonly jobs: (jobs: Jobs) => Write
  }
>()("@pagora/core/returns/ReturnBooks") {
  static readonly layer: Layer.Layer<
    ReturnBooks,
    never,
    Storage | Ids | Secrets | ServiceTime | ReturnOrigins
  > = Layer.effect(
    ReturnBooks,
    Effect.gen(function* () {
      const storage = yield* Storage
      const ids = yield* Ids
      const time = yield* ServiceTime
      const origins = yield* ReturnOrigins

      const commit = (unit: Omit<Unit, "id">) =>
        Effect.flatMap(ids.next<UnitId>(), (id) => storage.commit({ ...unit, id }))
      const recording = { ids, secrets: yield* Secrets, commit }

      const write = Effect.fnUntraced(function* (
        loaded: LoadedReturn,
        next: Return,
        unit: Pick<Unit, "inserts" | "updates" | "jobs" | "idempotency">
      ) {
        yield* commit(withChange({ ...unit, at: next.updatedAt }, loaded, next))
        return { value: next, version: loaded.version + 1 }
      })

      const replace = Effect.fn("ReturnBooks.replace")(function* (
        loaded: LoadedReturn,
        { former, next }: Replacement,
        { jobs = [], ...key }: Pick<Unit, "jobs" | "idempotency">
      ) {
        const updates = yield* origins.pointTo(next)
        const begun = begunReturn(next)
        const unit = { ...key, inserts: begun.inserts, updates, jobs: [...jobs, ...begun.jobs] }
        yield* write(loaded, former, unit)
      })

      const settle = Effect.fn("ReturnBooks.settle")(function* (
        loaded: LoadedReturn,
        next: Return,
        environment: Environment,
        { jobs = [], ...key }: Pick<Unit, "jobs" | "idempotency">
      ) {
        const money = yield* ids.next<LedgerTxId>()
        const at = next.updatedAt
        if (next.status === "failed") {
          const ledger = [release(next, money)]
          return yield* commit(withChange({ at, ledger, jobs, ...key }, loaded, next))
        }
        const ledger = leave(next, { money, fee: yield* ids.next<LedgerTxId>() })
        const events = next.purpose === "refund" ? yield* origins.report(next, environment) : []
        const unit = { at, ledger, events, jobs, ...key }
        yield* commit(withChange(unit, loaded, next))
      })

      const contradict = Effect.fn("ReturnBooks.contradict")(function* (
        { known, money, reason }: ReturnContradiction,
        jobs: Jobs,
        change?: { readonly loaded: LoadedReturn; readonly next: Return }
      ) {
        const unit = { at: yield* time.now, jobs }
        return yield* recordOnce(
          recording,
          { subject: money, subjectType: "return", reason, ...evidenceOf(known, inEvidence) },
          change === undefined ? unit : withChange(unit, change.loaded, change.next)
        )
      })

      return ReturnBooks.of({
        load: (id) => storage.find(ReturnKind, id),
        write,
        replace,
        settle,
        contradict,
        jobs: (jobs) => Effect.flatMap(time.now, (at: DateTime.Utc) => commit({ at, jobs }))
      })
    })
  )
}

/** The change of a return, of what waits for a person by it, and of what is looked at again. */
const withChange = (
  unit: Omit<Unit, "id">,
  loaded: LoadedReturn,
  next: Return
): Omit<Unit, "id"> => {
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

const inEvidence = {
  compared: ["reference", "endToEndId", "status", "amount", "returnId"],
  shown: ["settledAt", "rejection"]
} as const
