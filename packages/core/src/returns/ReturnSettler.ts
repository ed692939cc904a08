import { Context, DateTime, Duration, Effect, Layer } from "effect"
import type { ReturnId } from "../kernel/Ids.ts"
import { waitingSince } from "../kernel/Waiting.ts"
import type { NewPspRefund, PspRefund, PspShape } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { callPsp, pspDeadline } from "../ports/PspCall.ts"
import type { Refused, StorageError } from "../ports/Refused.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import { finish, retry, workOff } from "../workers/JobSteps.ts"
import type { Return } from "./Return.ts"
import {
  contradicts,
  isOver,
  isSame,
  isUntold,
  restsUntil,
  take,
  telling,
  untold
} from "./Return.ts"
import type { LoadedReturn } from "./ReturnBooks.ts"
import { ReturnBooks } from "./ReturnBooks.ts"

/**
 * Brings money back to its payer. The intent to tell the PSP is committed before the PSP is told, always under the
 * return's one reference; whatever is not known for certain is asked, and nothing but a definite answer moves money.
 */
export class ReturnSettler extends Context.Service<
  ReturnSettler,
  {
    /** Works a claimed job of the queue `return` off. */
    readonly work: (job: Claimed) => Effect.Effect<void, StorageError>
  }
>()("@pagora/core/returns/ReturnSettler") {
  static readonly layer: Layer.Layer<
    ReturnSettler,
    never,
    ReturnBooks | PspDirectory | ServiceTime
  > = Layer.effect(
    ReturnSettler,
    Effect.gen(function* () {
      const books = yield* ReturnBooks
      const directory = yield* PspDirectory
      const time = yield* ServiceTime
      const { ask, tell, wait } = steps(books, time)

      const step = Effect.fnUntraced(function* (
        job: Claimed
      ): Effect.fn.Return<void, Refused | StorageError> {
        const loaded = yield* books.load(job.id as ReturnId)
        if (loaded === undefined) return yield* books.jobs([finish(job)])
        const psp = directory.find(loaded.value.pspCredentialId)
        if (isOver(loaded.value)) {
          return yield* psp === undefined
            ? books.jobs([finish(job)])
            : lookBack(books, { loaded, psp, job })
        }
        if (psp === undefined) return yield* wait({ loaded, job }, "NotConfigured")
        const look = { loaded, psp, job }
        return yield* isUntold(loaded.value, yield* time.now) ? tell(look, true) : ask(look)
      })

      const work = Effect.fn("ReturnSettler.work")((job: Claimed) =>
        workOff("return", job, (claimed) => Effect.as(step(claimed), "finished"))
      )
      return ReturnSettler.of({ work })
    })
  )
}

/** A return, the PSP that brings it back, and the job that looks after it. */
interface Look {
  readonly loaded: LoadedReturn
  readonly psp: PspShape
  readonly job: Claimed
}

/** The PSP gave notice of what is over: nothing moves any more, but what contradicts it is recorded. */
const lookBack = Effect.fnUntraced(function* (
  books: ReturnBooks["Service"],
  { job, loaded: { value: money }, psp }: Look
) {
  const outcome = yield* callPsp("findRefund", psp.findRefund(money.reference))
  if (outcome._tag !== "Done" || !contradicts(money, outcome.value))
    return yield* books.jobs([finish(job)])
  yield* Effect.logError("A PSP contradicts the end of a return; nothing was moved.").pipe(
    Effect.annotateLogs({
      return: money.id,
      status: money.status,
      psp: money.pspCredentialId,
      told: outcome.value?.status ?? "NotFound"
    })
  )
  yield* books.contradict(money, outcome.value, [finish(job)])
})

/** What follows from what is known about a return. */
const learner = (books: ReturnBooks["Service"], time: ServiceTime["Service"]) => {
  const wait = Effect.fnUntraced(function* (
    { job, loaded }: Pick<Look, "loaded" | "job">,
    outcome: string
  ) {
    yield* Effect.logWarning(
      "The state of a return could not be learnt; the PSP is asked again."
    ).pipe(
      Effect.annotateLogs({
        return: loaded.value.id,
        psp: loaded.value.pspCredentialId,
        outcome
      })
    )
    yield* books.jobs([retry(job, nextLook(loaded.value, yield* time.now))])
  })

  const refused = Effect.fnUntraced(function* ({ job, loaded }: Look, code: string) {
    const next = yield* books.refuse(loaded, code, (money) => [
      isOver(money) ? finish(job) : retry(job, restsUntil(money) ?? money.updatedAt)
    ])
    const needsPerson = next.status === "failed" && next.purpose !== "refund"
    yield* (
      needsPerson
        ? Effect.logError("A PSP keeps refusing to bring money back; it stays in suspense.")
        : Effect.logWarning("A PSP refused a return.")
    ).pipe(Effect.annotateLogs({ return: next.id, purpose: next.purpose, code }))
  })

  const learn = Effect.fnUntraced(function* (look: Look, known: PspRefund) {
    const { job, loaded, psp } = look
    if (!isSame(loaded.value, known)) {
      yield* Effect.logError("A PSP answers with another return under our reference.")
      return yield* wait(look, "Mismatch")
    }
    if (known.status === "confirmed")
      return yield* books.confirm(loaded, known, psp.environment, [finish(job)])
    const now = yield* time.now
    const rest = restsUntil(loaded.value)
    if (known.status === "rejected") {
      // While it rests, the PSP's refusal is the one that was counted.
      return yield* rest === undefined
        ? refused(look, known.rejection?.code ?? "unknown")
        : books.jobs([retry(job, rest)])
    }
    if (loaded.value.status === "processing")
      return yield* books.jobs([retry(job, nextLook(loaded.value, now))])
    const taken = take(loaded.value, now)
    yield* books.write(loaded, taken, [retry(job, nextLook(taken, now))])
  })

  return { learn, refused, wait }
}

/** The two ways to learn about a return: to tell the PSP, and to ask it. */
const steps = (books: ReturnBooks["Service"], time: ServiceTime["Service"]) => {
  const { learn, refused, wait } = learner(books, time)

  /**
   * Commits that the PSP is about to be told, and tells it. `isAlone`: nothing that was sent for this return before
   * can still arrive, so that a refusal of this request is a refusal of the return.
   */
  const tell = Effect.fnUntraced(function* (look: Look, isAlone: boolean) {
    const { job, psp } = look
    // Whoever holds an older version cannot send any more.
    const loaded = yield* books.write(look.loaded, telling(look.loaded.value, yield* time.now), [])
    const told = { ...look, loaded }
    const before = yield* time.now
    // Held up for too long: somebody may count by now on nothing being under way.
    if (!mayLeave(loaded.value, before)) return yield* books.jobs([retry(job, before)])
    const outcome = yield* callPsp("refund", psp.refund(requestOf(loaded.value)))
    const now = yield* time.now
    switch (outcome._tag) {
      case "Done":
        return yield* learn(told, outcome.value)
      case "Rejected":
        // It says nothing about an earlier request that is still under way.
        return yield* isAlone
          ? refused(told, outcome.code)
          : books.jobs([retry(job, unfoundIsFinal(loaded.value.sentAt ?? now, psp))])
      case "NotSent": {
        const next = isAlone ? untold(loaded.value, now) : loaded.value
        yield* books.write(loaded, next, [retry(job, nextLook(next, now))])
        return
      }
      case "Unknown":
        return yield* wait(told, outcome._tag)
    }
  })

  const ask = Effect.fnUntraced(function* (
    look: Look
  ): Effect.fn.Return<void, Refused | StorageError> {
    const { job, loaded, psp } = look
    const outcome = yield* callPsp("findRefund", psp.findRefund(loaded.value.reference))
    if (outcome._tag !== "Done") return yield* wait(look, outcome._tag)
    if (outcome.value !== undefined) return yield* learn(look, outcome.value)
    const { sentAt, status } = loaded.value
    const rest = restsUntil(loaded.value)
    if (rest !== undefined) return yield* books.jobs([retry(job, rest)])
    // What it has taken, it does not lose; and what nobody sent is not waited for.
    if (status !== "requested" || sentAt === undefined) return yield* wait(look, "NotFound")
    const final = unfoundIsFinal(sentAt, psp)
    const isFinal = DateTime.isGreaterThanOrEqualTo(yield* time.now, final)
    return yield* isFinal || psp.capabilities.idempotentByReference
      ? tell(look, isFinal)
      : books.jobs([retry(job, final)])
  })

  return { ask, tell, wait }
}

/** How long after the intent to send was made the request may still leave. */
const sendWithin = Duration.seconds(5)

const mayLeave = ({ sentAt }: Return, now: DateTime.Utc): boolean =>
  sentAt !== undefined && DateTime.isLessThan(now, DateTime.addDuration(sentAt, sendWithin))

/** From when on a return that the PSP does not find will not appear there any more. */
const unfoundIsFinal = (sentAt: DateTime.Utc, psp: PspShape): DateTime.Utc => {
  const answered = Duration.sum(sendWithin, Duration.fromInputUnsafe(pspDeadline))
  const { notFoundIsFinalAfter } = psp.capabilities
  return DateTime.addDuration(sentAt, Duration.sum(answered, notFoundIsFinalAfter))
}

const requestOf = (money: Return): NewPspRefund => ({
  reference: money.reference,
  endToEndId: money.endToEndId,
  amount: money.amount,
  purpose: money.purpose === "refund" ? "requested" : "automatic",
  ...(money.reason === undefined ? {} : { reason: money.reason })
})

/** Telling the PSP again does not begin the waits anew. */
const nextLook = (money: Return, now: DateTime.Utc): DateTime.Utc => {
  const since = money.status === "processing" ? money.updatedAt : money.createdAt
  return waitingSince(since, now)
}
