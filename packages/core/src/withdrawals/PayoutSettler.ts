import { Context, DateTime, Duration, Effect, Layer } from "effect"
import type { WithdrawalId } from "../kernel/Ids.ts"
import type { NewPspPayout, PspShape } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { callPsp, pspDeadline } from "../ports/PspCall.ts"
import type { Refused, StorageError } from "../ports/Refused.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import type { Progress } from "../workers/JobSteps.ts"
import { finish, retry, workOff } from "../workers/JobSteps.ts"
import type { Verdict } from "./Payout.ts"
import { afterAsking, afterSending, isToBeSent, mayStillLeave, nextLook } from "./Payout.ts"
import type { Withdrawal } from "./Withdrawal.ts"
import { sending } from "./Withdrawal.ts"
import type { LoadedWithdrawal } from "./WithdrawalBooks.ts"
import { WithdrawalBooks } from "./WithdrawalBooks.ts"
import { withdrawalLimits } from "./WithdrawalLimits.ts"

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

      const wait = (job: Claimed, due: DateTime.Utc): Step =>
        Effect.as(books.jobs([retry(job, due)]), "finished" as const)

      const step = Effect.fnUntraced(function* (
        job: Claimed
      ): Effect.fn.Return<Progress, Refused | StorageError> {
        const loaded = yield* books.load(job.id as WithdrawalId)
        if (loaded === undefined) {
          yield* books.jobs([finish(job)])
          return "finished"
        }
        const withdrawal = loaded.withdrawal.value
        const psp = directory.find(withdrawal.pspCredentialId)
        const now = yield* time.now
        if (psp === undefined) {
          yield* Effect.logError("The PSP of a withdrawal is not configured.").pipe(
            Effect.annotateLogs({ withdrawal: withdrawal.id, psp: withdrawal.pspCredentialId })
          )
          return yield* wait(job, nextLook(withdrawal, now))
        }
        // What the PSP has not heard of waits until the account may pay again.
        if (withdrawal.status === "pending" && loaded.account.value.status !== "approved") {
          return yield* wait(job, DateTime.addDuration(now, withdrawalLimits.askAgainMax))
        }
        return yield* look({ loaded, psp, job })
      })

      const work = Effect.fn("PayoutSettler.work")((job: Claimed) =>
        workOff("withdrawal", job, step)
      )
      return PayoutSettler.of({ work })
    })
  )
}

/** What a verdict does to a withdrawal and to the job that looks after it. */
const makeApply = (books: WithdrawalBooks["Service"], time: ServiceTime["Service"]) => {
  /** While a person is awaited, the PSP goes on being asked: it may tell first. */
  const inReview = (job: Claimed) =>
    Effect.map(time.now, (now) =>
      retry(job, DateTime.addDuration(now, withdrawalLimits.askAgainMax))
    )

  return Effect.fnUntraced(function* (
    { job, loaded, psp }: Work,
    verdict: Verdict
  ): Effect.fn.Return<Progress, Refused | StorageError> {
    switch (verdict._tag) {
      case "Settled":
        yield* books.settle(
          loaded,
          verdict.withdrawal,
          psp.environment,
          verdict.more ? [] : [finish(job)]
        )
        return verdict.more ? "more" : "finished"
      case "Waiting": {
        const due = nextLook(verdict.withdrawal, yield* time.now)
        yield* books.note(loaded, verdict.withdrawal, [retry(job, due)])
        return "finished"
      }
      case "Unanswered":
        yield* Effect.logError(
          "The outcome of a withdrawal could not be learnt; the operator has to decide it."
        ).pipe(Effect.annotateLogs({ withdrawal: verdict.withdrawal.id }))
        yield* books.note(loaded, verdict.withdrawal, [yield* inReview(job)])
        return "finished"
      case "Contradicted":
        yield* books.contradict(loaded, verdict.withdrawal, verdict, [finish(job)])
        return "finished"
      case "Unchanged": {
        const isInReview = loaded.withdrawal.value.status === "manual_review"
        yield* books.jobs([isInReview ? yield* inReview(job) : finish(job)])
        return "finished"
      }
      case "Send":
        return "more"
    }
  })
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
    yield* books.note(loaded, intent, [])
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

  const ask = Effect.fnUntraced(function* (work: Work) {
    const withdrawal = work.loaded.withdrawal.value
    const outcome = yield* callPsp("findPayout", work.psp.findPayout(withdrawal.reference))
    const verdict = afterAsking(withdrawal, outcome, {
      now: yield* time.now,
      capabilities: work.psp.capabilities,
      deadline
    })
    return yield* verdict._tag === "Send" ? send(work) : apply(work, verdict)
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
