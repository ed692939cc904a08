import { Context, DateTime, Effect, Layer } from "effect"
import type { ReturnId } from "../kernel/Ids.ts"
import { waitingSince } from "../kernel/Waiting.ts"
import type { NewPspRefund, PspRefund, PspShape } from "../ports/Psp.ts"
import { Ids } from "../ports/Ids.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { callPsp } from "../ports/PspCall.ts"
import type { Refused, StorageError } from "../ports/Refused.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import type { JobWrite } from "../ports/Unit.ts"
import { isLateLook, lookedAt, notTold } from "../reconciliation/LateLooks.ts"
import { asking, endOrRetry, finish, retry, workOff } from "../workers/JobSteps.ts"
import type { Return } from "./Return.ts"
import {
  awaitPerson,
  confirm,
  contradiction,
  isAnother,
  isOver,
  isOverdue,
  isSame,
  isUntold,
  isWatched,
  mayBeTold,
  refuse,
  replace,
  restsUntil,
  take,
  telling,
  unfoundAgain,
  untold
} from "./Return.ts"
import type { LoadedReturn } from "./ReturnBooks.ts"
import { ReturnBooks } from "./ReturnBooks.ts"
import { lookAtFormers } from "./ReturnFormers.ts"
import {
  afterUnfound,
  isGone,
  mayLeave,
  nextLook,
  unfoundCounts,
  unfoundIsFinal
} from "./ReturnWaits.ts"

/**
 * Brings money back to its payer. The intent to tell the PSP is committed before the PSP is told, always under the
 * return's one reference. What the PSP took and then refused is replaced by a return with another. Whatever is not known for certain is asked, and nothing but a definite answer moves money.
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
    ReturnBooks | PspDirectory | Ids | ServiceTime
  > = Layer.effect(
    ReturnSettler,
    Effect.gen(function* () {
      const books = yield* ReturnBooks
      const directory = yield* PspDirectory
      const time = yield* ServiceTime
      const { ask, tell, wait } = steps(books, time, yield* Ids)

      const step = Effect.fnUntraced(function* (
        job: Claimed
      ): Effect.fn.Return<void, Refused | StorageError> {
        const loaded = yield* books.load(job.id as ReturnId)
        if (loaded === undefined) return yield* books.jobs([finish(job)])
        const psp = directory.find(loaded.value.pspCredentialId)
        if (isLateLook(job) && !isWatched(loaded.value)) return yield* books.jobs([finish(job)])
        const isLookingBack = isOver(loaded.value) || isLateLook(job)
        if (psp === undefined && isLookingBack)
          return yield* books.jobs([inVain(job, loaded.value, yield* time.now)])
        if (psp === undefined) return yield* wait({ loaded, job }, "NotConfigured")
        const look = { loaded, psp, job }
        const next = isLookingBack
          ? lookBack(books, time, look)
          : isUntold(loaded.value, yield* time.now)
            ? tell(look, true)
            : ask(look)
        return yield* asking({ psp, time }, next, (due) => books.jobs([retry(job, due)]))
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

/** Another look at what is over, after one that learnt nothing. */
const inVain = (job: Claimed, money: Return, now: DateTime.Utc): JobWrite =>
  retry(job, isLateLook(job) ? notTold(money, { now }) : waitingSince(money.updatedAt, now))

/**
 * The PSP gave notice of what is over, a person ended what it did not tell of, or its end is some time ago: nothing moves
 * any more, but what contradicts it is recorded. So it is asked until it answers.
 */
const lookBack = Effect.fnUntraced(function* (
  books: ReturnBooks["Service"],
  time: ServiceTime["Service"],
  { job, loaded: { value: money }, psp }: Look
) {
  const outcome = yield* callPsp("findRefund", psp.findRefund(money.reference))
  const now = yield* time.now
  const { account: group, id } = money
  if (outcome._tag !== "Done") return yield* books.jobs([inVain(job, money, now)])
  const looked = endOrRetry(job, lookedAt(money, { now, isLate: isLateLook(job) }))
  const reason = contradiction(money, outcome.value, now)
  if (reason === undefined) return yield* books.jobs([looked])
  // It waits for a person, as nothing of it was under way: it is judged like one that is.
  if (!isOver(money))
    return yield* books.jobs([{ _tag: "Schedule", queue: "return", id, group, due: now }, looked])
  const isNews = yield* books.contradict({ money, reason, known: outcome.value }, [looked])
  if (!isNews) return
  yield* Effect.logError("A PSP contradicts the end of a return; nothing was moved.").pipe(
    Effect.annotateLogs({
      return: money.id,
      status: money.status,
      psp: money.pspCredentialId,
      told: outcome.value?.status ?? "NotFound"
    })
  )
})

/**
 * It was refused. `isKept`: the PSP has it, and will answer so for ever, so that the next try is a return of its own.
 * What the PSP would not even take is told again as it is.
 */
const refusing = (
  books: ReturnBooks["Service"],
  time: ServiceTime["Service"],
  ids: Ids["Service"]
) =>
  Effect.fnUntraced(function* ({ job, loaded, psp }: Look, code: string, isKept: boolean) {
    const at = yield* time.now
    const next = refuse(loaded.value, code, at)
    const rest = restsUntil(next)
    if (isOver(next)) yield* books.settle(loaded, next, psp.environment, { jobs: [finish(job)] })
    else if (rest === undefined) yield* books.write(loaded, next, { jobs: [finish(job)] })
    else if (isKept) {
      const replacement = replace(next, yield* ids.next<ReturnId>(), at)
      yield* books.replace(loaded, replacement, { jobs: [finish(job)] })
    } else yield* books.write(loaded, next, { jobs: [retry(job, rest)] })
    yield* (
      next.review === undefined
        ? Effect.logWarning("A PSP refused a return.")
        : Effect.logError("A PSP keeps refusing to bring money back; it stays in suspense.")
    ).pipe(Effect.annotateLogs({ return: next.id, purpose: next.purpose, code }))
  })

/** What follows from what is known about a return. */
const learner = (
  books: ReturnBooks["Service"],
  time: ServiceTime["Service"],
  ids: Ids["Service"]
) => {
  const refused = refusing(books, time, ids)

  /** Looks again at `due`. One that should be over by now is shown to a person, once, and looked at all the same. */
  const later = Effect.fnUntraced(function* (
    { job, loaded }: Pick<Look, "loaded" | "job">,
    due: (money: Return, now: DateTime.Utc) => DateTime.Utc = nextLook
  ) {
    const now = yield* time.now
    const jobs = [retry(job, due(loaded.value, now))]
    if (!isOverdue(loaded.value, now)) return yield* books.jobs(jobs)
    const { id, purpose, status } = loaded.value
    yield* Effect.logError("A return does not come to its end; a person has to look at it.").pipe(
      Effect.annotateLogs({ return: id, purpose, status })
    )
    yield* books.write(loaded, awaitPerson(loaded.value, "unanswered", now), { jobs })
  })

  const wait = Effect.fnUntraced(function* (look: Pick<Look, "loaded" | "job">, outcome: string) {
    const { id, pspCredentialId, review } = look.loaded.value
    if (review === undefined) {
      yield* Effect.logWarning(
        "The state of a return could not be learnt; the PSP is asked again."
      ).pipe(Effect.annotateLogs({ return: id, psp: pspCredentialId, outcome }))
    }
    yield* later(look)
  })

  const learn = Effect.fnUntraced(function* (look: Look, known: PspRefund) {
    const { job, loaded, psp } = look
    const money = loaded.value
    const now = yield* time.now
    if (!isSame(money, known)) {
      const jobs = [retry(job, nextLook(money, now))]
      const change = { loaded, next: awaitPerson(money, "unanswered", now) }
      const isNews = yield* books.contradict(
        {
          money,
          reason: isAnother(money, known) ? "reference_mismatch" : "amount_mismatch",
          known
        },
        jobs,
        isOverdue(money, now) ? change : undefined
      )
      if (isNews) yield* Effect.logError("A PSP answers with another return under our reference.")
      return
    }
    if (known.status === "confirmed")
      return yield* books.settle(loaded, confirm(money, known, now), psp.environment, {
        jobs: [finish(job)]
      })
    if (known.status === "rejected") {
      const rest = restsUntil(money)
      // While it rests, the PSP's refusal is the one that was counted; and so it is when a person has it.
      if (rest !== undefined) return yield* books.jobs([retry(job, rest)])
      return yield* mayBeTold(money)
        ? refused(look, known.rejection?.code ?? "unknown", true)
        : books.jobs([finish(job)])
    }
    if (money.status === "processing") return yield* later(look)
    const taken = take(money, now)
    yield* books.write(loaded, taken, { jobs: [retry(job, nextLook(taken, now))] })
  })

  return { later, learn, refused, wait }
}

/** The two ways to learn about a return: to tell the PSP, and to ask it. */
const steps = (
  books: ReturnBooks["Service"],
  time: ServiceTime["Service"],
  ids: Ids["Service"]
) => {
  const { later, learn, refused, wait } = learner(books, time, ids)

  /**
   * Commits that the PSP is about to be told, and tells it. `isAlone`: nothing that was sent for this return before
   * can still arrive, so that a refusal of this request is a refusal of the return.
   */
  const tell = Effect.fnUntraced(function* (look: Look, isAlone: boolean) {
    const { job, psp } = look
    const intent = telling(look.loaded.value, yield* time.now)
    // Whoever holds an older version cannot send any more.
    const loaded = yield* books.write(look.loaded, intent, {})
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
          ? refused(told, outcome.code, false)
          : books.jobs([retry(job, unfoundIsFinal(loaded.value.sentAt ?? now, psp))])
      case "NotSent": {
        const next = isAlone ? untold(loaded.value, now) : loaded.value
        const current = yield* books.write(loaded, next, {})
        return yield* later({ ...told, loaded: current })
      }
      case "Unknown":
        return yield* wait(told, outcome._tag)
    }
  })

  /** Tells the PSP, unless one of those in whose place this one is was done after all. */
  const tellIfAlone = Effect.fnUntraced(function* (look: Look, isAlone: boolean) {
    const { job, loaded } = look
    const formers = yield* lookAtFormers(books, time, loaded.value, look.psp)
    if (formers._tag === "Undone") return yield* tell(look, isAlone)
    if (formers._tag === "Unanswered") return yield* wait(look, formers.outcome)
    yield* Effect.logError("A PSP did what it had refused; its money is not sent again.").pipe(
      Effect.annotateLogs({ return: loaded.value.id, refused: formers.money.id })
    )
    const next = awaitPerson(loaded.value, "contradicted", yield* time.now)
    yield* books.contradict(formers, [finish(job)], { loaded, next })
  })

  const ask = Effect.fnUntraced(function* (
    look: Look
  ): Effect.fn.Return<void, Refused | StorageError> {
    const { job, loaded, psp } = look
    const outcome = yield* callPsp("findRefund", psp.findRefund(loaded.value.reference))
    if (outcome._tag !== "Done") return yield* wait(look, outcome._tag)
    if (outcome.value !== undefined) return yield* learn(look, outcome.value)
    if (!mayBeTold(loaded.value)) return yield* books.jobs([finish(job)])
    const { sentAt, status } = loaded.value
    const rest = restsUntil(loaded.value)
    if (rest !== undefined) return yield* books.jobs([retry(job, rest)])
    // What it has taken, it does not lose; and what nobody sent is not waited for.
    if (status !== "requested" || sentAt === undefined) return yield* wait(look, "NotFound")
    const now = yield* time.now
    if (psp.capabilities.idempotentByReference) {
      const isFinal = DateTime.isGreaterThanOrEqualTo(now, unfoundIsFinal(sentAt, psp))
      return yield* tellIfAlone(look, isFinal)
    }
    const counts = unfoundCounts(loaded.value, sentAt, psp)
    if (DateTime.isLessThan(now, counts)) return yield* later(look, () => counts)
    if (isGone(loaded.value)) return yield* tellIfAlone(look, true)
    const counted = yield* books.write(loaded, unfoundAgain(loaded.value, now), {})
    yield* later({ ...look, loaded: counted }, () => afterUnfound(now, psp))
  })

  return { ask, tell: tellIfAlone, wait }
}

const requestOf = (money: Return): NewPspRefund => ({
  reference: money.reference,
  endToEndId: money.endToEndId,
  amount: money.amount,
  purpose: money.purpose === "refund" ? "requested" : "automatic",
  ...(money.reason === undefined ? {} : { reason: money.reason })
})
