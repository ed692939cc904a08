import { Context, DateTime, Duration, Effect, Layer } from "effect"
import type { WithdrawalId } from "../kernel/Ids.ts"
import type { NewPspPayout, PspShape } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { callPsp, pspDeadline } from "../psp-calls/PspCall.ts"
import type { Refused, StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import type { JobWrite } from "../units/Unit.ts"
import type { Progress } from "../jobs/JobSteps.ts"
import { isLateLook, lookedAt, notTold } from "../reconciliation/LateLooks.ts"
import { asking, finish, retry, workOff } from "../jobs/JobSteps.ts"
import type { PayoutEvidence, Pending, Verdict } from "./Payout.ts"
import {
  afterAsking,
  afterSending,
  afterSilence,
  isToBeSent,
  mayStillLeave,
  nextLook
} from "./Payout.ts"
import type { Withdrawal } from "./Withdrawal.ts"
import { awaitOperator, isWatched, sending } from "./Withdrawal.ts"
import type { LoadedWithdrawal } from "./WithdrawalBooks.ts"
import { isNameTaken, WithdrawalBooks } from "./WithdrawalBooks.ts"
import { withdrawalLimits } from "./WithdrawalLimits.ts"
import { spanned } from "../telemetry/SpanGuarder.ts"

const deadline = Duration.fromInputUnsafe(pspDeadline)

type Step = Effect.Effect<Progress, Refused | StorageError>

/** A withdrawal at work, under the lease of its job. */
interface Work {
  readonly loaded: LoadedWithdrawal
  readonly psp: PspShape
  readonly job: Claimed
}

/**
 * Brings a withdrawal to its outcome. The PSP is told once its intent is committed, always under the same reference,
 * and from then on asked before it is told again; nothing but its own definite answer moves money.
 */
export class PayoutSettler extends Context.Service<
  PayoutSettler,
  {
    /** Works a claimed job of the queue `payout` off. */
    readonly work: (job: Claimed) => Effect.Effect<void, StorageError>
  }
>()("@pagora/core/withdrawals/PayoutSettler") {
  static readonly layer: Layer.Layer<
    PayoutSettler,
    never,
    WithdrawalBooks | PspDirectory | ServiceTime
  > = Layer.effect(
    PayoutSettler,
    Effect.gen(function* () {
      const books = yield* WithdrawalBooks
      const directory = yield* PspDirectory
      const time = yield* ServiceTime
      const look = makeLook(books, time)
      const pend = makePend(books, time)

      const end = (job: JobWrite): Step => Effect.as(books.jobs([job]), "finished" as const)

      const step = Effect.fnUntraced(function* (
        job: Claimed
      ): Effect.fn.Return<Progress, Refused | StorageError> {
        const id = job.id as WithdrawalId
        // A late look may end without a write that would say that what was kept is outdated.
        const loaded = yield* isLateLook(job) ? books.load(id) : books.kept(id)
        if (loaded === undefined) return yield* end(finish(job))
        const withdrawal = loaded.withdrawal.value
        const psp = directory.find(withdrawal.pspCredentialId)
        const now = yield* time.now
        // What came back does not change any more.
        if (isLateLook(job) && !isWatched(withdrawal)) return yield* end(finish(job))
        if (psp === undefined) {
          yield* Effect.logError("The PSP of a withdrawal is not configured.").pipe(
            Effect.annotateLogs({ withdrawal: withdrawal.id, psp: withdrawal.pspCredentialId })
          )
          // What it has not heard of goes out when it is back. The rest is in doubt, as with a PSP that keeps silent.
          return isToBeSent(withdrawal)
            ? yield* end(retry(job, nextLook(withdrawal, now)))
            : yield* pend({ loaded, job }, afterSilence(withdrawal, now))
        }
        // What the PSP has not heard of waits until its owner may pay again.
        if (isToBeSent(withdrawal) && !mayPay(loaded)) return yield* end(later(job, now))
        return yield* asking({ psp, time }, look({ loaded, psp, job }), (due) =>
          end(retry(job, due))
        )
      })

      const work = (job: Claimed) =>
        spanned(workOff("withdrawal", job, step), "PayoutSettler.work", {})
      return PayoutSettler.of({ work })
    })
  )
}

/** Whether the account, and the sub-account whose wallet it is, may pay. */
const mayPay = ({ account, subAccount }: LoadedWithdrawal): boolean =>
  account.value.status === "approved" &&
  (subAccount === undefined || subAccount.value.status === "approved")

/** After the longest wait: while its owner may not pay, and while a person is awaited, for the PSP may tell first. */
const later = (job: Claimed, now: DateTime.Utc): JobWrite =>
  retry(job, DateTime.addDuration(now, withdrawalLimits.askAgainMax))

/** The job of one that was looked at: while it waits for a person, the PSP may tell first. */
const looked = (job: Claimed, withdrawal: Withdrawal, now: DateTime.Utc): JobWrite =>
  withdrawal.status === "manual_review" ? later(job, now) : lookedAt(job, withdrawal.updatedAt, now)

/** What becomes of a withdrawal about which nothing new was learnt. */
const makePend = (books: WithdrawalBooks["Service"], time: ServiceTime["Service"]) =>
  Effect.fnUntraced(function* (
    { job, loaded }: Pick<Work, "job" | "loaded">,
    verdict: Pending
  ): Effect.fn.Return<Progress, Refused | StorageError> {
    const now = yield* time.now
    switch (verdict._tag) {
      case "Waiting": {
        const { withdrawal } = verdict
        const again = isLateLook(job)
          ? notTold(job, withdrawal.updatedAt, now)
          : retry(job, nextLook(withdrawal, now))
        yield* books.note(loaded, withdrawal, [again])
        return "finished"
      }
      case "Unanswered":
        yield* Effect.logError(
          "The outcome of a withdrawal could not be learnt; the operator has to decide it."
        ).pipe(Effect.annotateLogs({ withdrawal: verdict.withdrawal.id }))
        yield* books.note(loaded, verdict.withdrawal, [later(job, now)])
        return "finished"
      case "Unchanged":
        yield* books.jobs([looked(job, loaded.withdrawal.value, now)])
        return "finished"
    }
  })

/** What a verdict does to a withdrawal and to the job that looks after it. */
const makeApply = (books: WithdrawalBooks["Service"], time: ServiceTime["Service"]) => {
  const pend = makePend(books, time)
  const write = Effect.fnUntraced(function* (
    { job, loaded, psp }: Work,
    verdict: Verdict
  ): Effect.fn.Return<Progress, Refused | StorageError> {
    const now = yield* time.now
    switch (verdict._tag) {
      case "Settled":
        yield* books.settle(
          loaded,
          verdict.withdrawal,
          psp.environment,
          verdict.more ? [] : [finish(job)]
        )
        return verdict.more ? "more" : "finished"
      case "Waiting":
      case "Unanswered":
      case "Unchanged":
        return yield* pend({ loaded, job }, verdict)
      case "Contradicted":
        yield* books.contradict(loaded, verdict.withdrawal, verdict, [
          looked(job, verdict.withdrawal, now)
        ])
        return "finished"
      case "Send":
        return "more"
    }
  })

  /** The PSP tells of a payout that another withdrawal has: it is believed of the first. */
  const disbelieve = Effect.fnUntraced(function* ({ job, loaded }: Work, told: Withdrawal) {
    const now = yield* time.now
    const next = awaitOperator(loaded.withdrawal.value, now)
    const contradiction = { reason: "payment_claimed_twice", evidence: toldOf(told) } as const
    yield* books.contradict(loaded, next, contradiction, [later(job, now)])
    return "finished" as const
  })

  return (work: Work, verdict: Verdict): Step =>
    Effect.catchIf(write(work, verdict), isNameTaken, (taken) =>
      "withdrawal" in verdict ? disbelieve(work, verdict.withdrawal) : Effect.fail(taken)
    )
}

/** What a PSP told of a payout, as it would have been noted. */
const toldOf = (withdrawal: Withdrawal): PayoutEvidence => {
  const { e2eId, netAmount: amount, pspReference = "", reference, status } = withdrawal
  return {
    reference,
    pspReference,
    status: status === "completed" ? "completed" : status === "failed" ? "rejected" : "processing",
    amount,
    ...(e2eId === undefined ? {} : { endToEndId: e2eId })
  }
}

const makeLook = (books: WithdrawalBooks["Service"], time: ServiceTime["Service"]) => {
  const apply = makeApply(books, time)
  const send = Effect.fnUntraced(function* ({
    job,
    loaded,
    psp
  }: Work): Effect.fn.Return<Progress, Refused | StorageError> {
    const { value, version } = loaded.withdrawal
    const intent = sending(value, yield* time.now)
    // Whoever holds an older version cannot send any more, whatever became of the lease.
    yield* books.intend(loaded, intent)
    const current = { ...loaded, withdrawal: { value: intent, version: version + 1 } }
    // Held up for too long: somebody may by now rely on nothing being on its way.
    if (!mayStillLeave(intent, yield* time.now)) return "more"
    const outcome = yield* callPsp("sendPayout", psp.sendPayout(payoutOf(intent)))
    const verdict = afterSending(intent, value.sentAt, outcome, {
      now: yield* time.now,
      capabilities: psp.capabilities,
      deadline
    })
    return yield* apply({ loaded: current, psp, job }, verdict)
  })

  const ask = Effect.fnUntraced(function* (
    work: Work
  ): Effect.fn.Return<Progress, Refused | StorageError> {
    const withdrawal = work.loaded.withdrawal.value
    const outcome = yield* callPsp("findPayout", work.psp.findPayout(withdrawal.reference))
    const verdict = afterAsking(withdrawal, outcome, {
      now: yield* time.now,
      capabilities: work.psp.capabilities,
      deadline
    })
    if (verdict._tag !== "Send") return yield* apply(work, verdict)
    if (mayPay(work.loaded)) return yield* send(work)
    yield* books.jobs([later(work.job, yield* time.now)])
    return "finished"
  })

  return (work: Work): Step => (isToBeSent(work.loaded.withdrawal.value) ? send(work) : ask(work))
}

const payoutOf = (withdrawal: Withdrawal): NewPspPayout => ({
  reference: withdrawal.reference,
  amount: withdrawal.netAmount,
  pixKey: withdrawal.recipient,
  holder: {
    ...(withdrawal.holderName === undefined ? {} : { name: withdrawal.holderName }),
    ...(withdrawal.holderDocument === undefined ? {} : { document: withdrawal.holderDocument })
  }
})
