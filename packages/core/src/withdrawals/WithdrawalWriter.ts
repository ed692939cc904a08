import { Context, Effect, Layer } from "effect"
import { AccountKind } from "../accounts/Account.ts"
import type { ActingWallet } from "../accounts/ActingWallet.ts"
import { expectationsOf } from "../accounts/ActingWallet.ts"
import { SubAccountKind } from "../accounts/SubAccount.ts"
import type { Recording } from "../discrepancies/DiscrepancyRecords.ts"
import { evidenceOf, recordOnce } from "../discrepancies/DiscrepancyRecords.ts"
import type { LedgerTxId, WithdrawalId } from "../kernel/Ids.ts"
import { Recent } from "../kernel/Recent.ts"
import { Ids } from "../time/Ids.ts"
import * as Kind from "../units/Kind.ts"
import type { PspShape } from "../ports/Psp.ts"
import type { Refused, StorageError } from "../units/Refused.ts"
import { Secrets } from "../ports/Secrets.ts"
import { findNamed } from "../storage/FindNamed.ts"
import { Storage } from "../storage/Storage.ts"
import type { JobWrite, Unit } from "../units/Unit.ts"
import { isLateLook, watchEnd } from "../reconciliation/LateLooks.ts"
import type { Concluding, Look } from "../reconciliation/Reconciler.ts"
import { outOfLine, reviewJobs } from "../reviews/ReviewJobs.ts"
import type { NewEvent } from "../webhooks/NewEvent.ts"
import { publish } from "../webhooks/Publisher.ts"
import type { Progress } from "../jobs/JobSteps.ts"
import { endOrRetry, finish } from "../jobs/JobSteps.ts"
import type { PayoutConclusion } from "./PayoutConclusion.ts"
import { isNameTaken, namesOf } from "./PayoutNames.ts"
import { claimedTwice } from "./PayoutVerdict.ts"
import type { Withdrawal } from "./Withdrawal.ts"
import { isWatched, operatorsSince, WithdrawalKind } from "./Withdrawal.ts"
import { withdrawalCompleted, withdrawalFailed, withdrawalReversed } from "./WithdrawalEvents.ts"
import { uncounted } from "./WithdrawalLimits.ts"
import { payOut, release, takeBack } from "./WithdrawalPostings.ts"
import { spannedFn } from "../telemetry/SpanGuarder.ts"

/** A withdrawal with what decides about it, at the versions it was read. */
export interface LoadedWithdrawal extends ActingWallet {
  readonly withdrawal: Kind.Versioned<Withdrawal>
}

type Jobs = ReadonlyArray<JobWrite>
type Write<A> = Effect.Effect<A, Refused | StorageError>

/** Reads withdrawals and writes what was decided about them, each decision in one commit. */
export class WithdrawalWriter extends Context.Service<
  WithdrawalWriter,
  {
    readonly load: (id: WithdrawalId) => Effect.Effect<LoadedWithdrawal | undefined, StorageError>
    /** Keeps one that was just written, so that whoever works it off next here need not read it (decision 0096). */
    readonly keep: (loaded: LoadedWithdrawal) => void
    /**
     * As it was just written here, or else as it is. What was kept may be outdated by now: a decision on it says so when it
     * is written, and the next look reads.
     */
    readonly kept: (id: WithdrawalId) => Effect.Effect<LoadedWithdrawal | undefined, StorageError>
    /**
     * Writes that it is about to be sent to the PSP, as long as nobody else has decided about it and its owner may pay. Nothing
     * is sent before it is written. Answers the withdrawal as it is afterwards.
     */
    readonly intend: (loaded: LoadedWithdrawal, intent: Withdrawal) => Write<LoadedWithdrawal>
    /** Writes what a look concluded, in one commit with its job. */
    readonly write: (
      loaded: LoadedWithdrawal,
      conclusion: PayoutConclusion,
      by: Concluding
    ) => Write<Progress>
    /** Writes an outcome: state, postings, counters, event and deliveries. */
    readonly writeEnd: (
      loaded: LoadedWithdrawal,
      next: Withdrawal,
      environment: PspShape["environment"],
      unit: Pick<Unit, "jobs" | "idempotency">
    ) => Write<void>
  }
>()("@pagora/core/withdrawals/WithdrawalWriter") {
  static readonly layer: Layer.Layer<WithdrawalWriter, never, Storage | Ids | Secrets> =
    Layer.effect(
      WithdrawalWriter,
      Effect.gen(function* () {
        const storage = yield* Storage
        const ids = yield* Ids
        const { commit } = storage
        const recording = { ids, secrets: yield* Secrets, commit }
        const writeEnd = endWriter(recording)
        const load = loader(storage)

        const intend = Effect.fnUntraced(function* (loaded: LoadedWithdrawal, intent: Withdrawal) {
          const change = changeOf(loaded, intent, [])
          yield* commit({ at: intent.updatedAt, ...change, expects: expectationsOf(loaded) })
          const withdrawal = { value: intent, version: loaded.withdrawal.version + 1 }
          return { ...loaded, withdrawal }
        })
        return WithdrawalWriter.of({
          load,
          ...keeping(load),
          intend,
          write: writing(recording, writeEnd),
          writeEnd
        })
      })
    )
}

/** Withdrawals that were just written, at most twice as many. */
const keptMax = 1_000

const keeping = (
  load: WithdrawalWriter["Service"]["load"]
): Pick<WithdrawalWriter["Service"], "keep" | "kept"> => {
  const recent = new Recent<WithdrawalId, LoadedWithdrawal>(keptMax)
  return {
    keep: (loaded) => recent.set(loaded.withdrawal.value.id, loaded),
    kept: (id) =>
      Effect.suspend(() => {
        const loaded = recent.take(id)
        return loaded === undefined ? load(id) : Effect.succeed(loaded)
      })
  }
}

const loader = (storage: Storage["Service"]) =>
  Effect.fnUntraced(function* (id: WithdrawalId) {
    const withdrawal = yield* storage.find(WithdrawalKind, id)
    if (withdrawal === undefined) return undefined
    const { account: owner, wallet } = withdrawal.value
    const account = yield* findNamed(storage, AccountKind, owner)
    const subAccount =
      wallet === owner ? undefined : yield* findNamed(storage, SubAccountKind, wallet)
    return { withdrawal, account, subAccount }
  })

/**
 * The change of a withdrawal, where there is one, of what waits for a person by it, and of what is looked at again. The
 * PSP's names of the payout are taken when they are first told, so that no payout pays two withdrawals.
 */
const changeOf = (
  { withdrawal }: LoadedWithdrawal,
  next: Withdrawal,
  jobs: Jobs
): Pick<Unit, "updates" | "jobs" | "keys" | "expects"> => {
  // Where nothing of it changes, it must be as it was judged all the same.
  if (next === withdrawal.value)
    return { jobs, expects: [Kind.expectation(WithdrawalKind, withdrawal)] }
  const { account, id } = next
  const line = reviewJobs(operatorsSince(withdrawal.value), {
    id,
    account,
    since: operatorsSince(next)
  })
  const hasEnded = isWatched(next) && next.status !== withdrawal.value.status
  return {
    updates: [Kind.update(WithdrawalKind, withdrawal, next)],
    keys: namesOf(withdrawal.value, next),
    jobs: [...jobs, ...line, ...(hasEnded ? [watchEnd(next)] : [])]
  }
}

/**
 * A program of before, beside this one, knows nothing of money that is waited for: it sends what waits, and leaves it in the
 * operator's line. What has ended is taken out of that by its first late look (decision 0106).
 */
const leftInLine = ({ id }: Withdrawal, job: Look["job"]): Jobs =>
  isLateLook(job) ? [outOfLine(id)] : []

type Concluded<Tag> = Extract<PayoutConclusion, { readonly _tag: Tag }>

/** Where a conclusion becomes a unit. */
const writing = (
  recording: Recording,
  writeEnd: WithdrawalWriter["Service"]["writeEnd"]
): WithdrawalWriter["Service"]["write"] => {
  const note = Effect.fnUntraced(function* (
    loaded: LoadedWithdrawal,
    { _tag, again, withdrawal }: Concluded<"Waiting" | "Unanswered">,
    { job, now }: Look
  ) {
    if (_tag === "Unanswered")
      yield* Effect.logError(
        "The outcome of a withdrawal could not be learnt; the operator has to decide it."
      ).pipe(Effect.annotateLogs({ withdrawal: withdrawal.id }))
    if (withdrawal.unsentSince !== loaded.withdrawal.value.unsentSince)
      yield* Effect.logError(
        "A withdrawal could not be sent for a day, because its PSP is away or takes nothing; it goes on being sent until the operator decides it."
      ).pipe(Effect.annotateLogs({ withdrawal: withdrawal.id }))
    const jobs = [endOrRetry(job, again), ...leftInLine(withdrawal, job)]
    yield* recording.commit({ at: now, ...changeOf(loaded, withdrawal, jobs) })
    return "finished" as const
  })

  const write: WithdrawalWriter["Service"]["write"] = (
    loaded,
    conclusion,
    { environment, look }
  ) => {
    switch (conclusion._tag) {
      case "Waiting":
      case "Unanswered":
        return note(loaded, conclusion, look)
      case "Ended": {
        const { more, withdrawal } = conclusion
        const written = writeEnd(loaded, withdrawal, environment, {
          jobs: more ? [] : [finish(look.job), ...leftInLine(withdrawal, look.job)]
        })
        return Effect.as(written, more ? "more" : "finished")
      }
      case "Contradicted":
        return contradict(recording, loaded, conclusion, look)
      case "Again":
        return Effect.succeed("more")
    }
  }
  return (loaded, conclusion, by) =>
    Effect.catchIf(write(loaded, conclusion, by), isNameTaken, (taken) =>
      "withdrawal" in conclusion
        ? write(loaded, claimedTwice(loaded.withdrawal.value, conclusion.withdrawal, by.look), by)
        : Effect.fail(taken)
    )
}

const endWriter = ({ commit, ids }: Recording): WithdrawalWriter["Service"]["writeEnd"] =>
  spannedFn("WithdrawalWriter.writeEnd")(function* (
    loaded,
    next,
    environment,
    { jobs = [], ...key }
  ) {
    const at = next.updatedAt
    const ledgerIds = {
      withdrawal: yield* ids.next<LedgerTxId>(),
      fee: yield* ids.next<LedgerTxId>()
    }
    const { event, ...effects } = effectsOf(loaded, next, environment, ledgerIds)
    const { events } = yield* publish(ids, { account: next.account, event, at })
    yield* commit({
      at,
      ...changeOf(loaded, next, jobs),
      expects: expectationsOf(loaded),
      ...effects,
      events,
      ...key
    })
    yield* Effect.logInfo("A withdrawal came to its outcome.").pipe(
      Effect.annotateLogs({ withdrawal: next.id, status: next.status })
    )
  })

/** Records that the PSP contradicts it, once. */
const contradict = Effect.fn("WithdrawalWriter.contradict")(function* (
  recording: Recording,
  loaded: LoadedWithdrawal,
  { again, evidence, reason, withdrawal: next }: Concluded<"Contradicted">,
  { job, now: at }: Look
) {
  const contradiction = {
    subject: next,
    subjectType: "withdrawal",
    reason,
    booked: bookedOf(loaded.withdrawal.value),
    ...evidenceOf(evidence, inEvidence)
  } as const
  const isNews = yield* recordOnce(recording, contradiction, {
    at,
    ...changeOf(loaded, next, [endOrRetry(job, again), ...leftInLine(next, job)])
  })
  if (isNews)
    yield* Effect.logError("The PSP contradicts what it said of a withdrawal.").pipe(
      Effect.annotateLogs({ withdrawal: next.id, reason })
    )
  return "finished" as const
})

/** How it stands. What the PSP was told to pay is the net amount. */
const bookedOf = ({
  e2eId: endToEndId,
  netAmount: amount,
  processedAt: settledAt,
  pspReference,
  reference,
  status
}: Withdrawal) => ({ status, amount, reference, pspReference, endToEndId, settledAt })

/** The recipient is a person, and is not kept. */
const inEvidence = {
  compared: ["reference", "pspReference", "status", "amount", "endToEndId"],
  shown: ["settledAt", "rejection", "reversal"]
} as const

/** What coming to an outcome does beside the state. */
const effectsOf = (
  { subAccount }: LoadedWithdrawal,
  next: Withdrawal,
  environment: PspShape["environment"],
  ids: { readonly withdrawal: LedgerTxId; readonly fee: LedgerTxId }
): Pick<Unit, "ledger" | "counters"> & { readonly event: NewEvent } => {
  switch (next.status) {
    case "completed":
      return { ledger: payOut(next, ids), event: withdrawalCompleted(next, environment) }
    case "reversed": {
      // Nothing is credited to what is closed: what comes back so late is the main account's.
      const wallet = subAccount?.value.status === "closed" ? next.account : next.wallet
      return {
        ledger: [takeBack(next, wallet, ids.withdrawal)],
        event: withdrawalReversed(next, environment)
      }
    }
    case "failed":
      return {
        ledger: [release(next, ids.withdrawal)],
        counters: uncounted(next.account, next.amount, next.createdAt),
        event: withdrawalFailed(next, environment)
      }
    default:
      throw new Error(`Withdrawal ${next.id} is ${next.status}: that is no outcome.`)
  }
}
