import { Context, DateTime, Effect, Layer } from "effect"
import type { AccountId, ChargeId, Uuid } from "../kernel/Ids.ts"
import { waitingSince } from "../kernel/Waiting.ts"
import type { PspCharge, PspOutcome, PspPayment, PspShape } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { callPsp } from "../ports/PspCall.ts"
import type { Refused, StorageError } from "../ports/Refused.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import type { JobWrite } from "../ports/Unit.ts"
import { isLateLook, lookedAt, notTold } from "../reconciliation/LateLooks.ts"
import type { Progress } from "../workers/JobSteps.ts"
import { makeTurns } from "../workers/Turns.ts"
import { asking, endOrRetry, finish, retry, workOff } from "../workers/JobSteps.ts"
import type { Charge } from "./Charge.ts"
import { cancel, expire, giveUp, isWatched, register } from "./Charge.ts"
import type { LoadedCharge } from "./ChargeBooks.ts"
import { ChargeBooks } from "./ChargeBooks.ts"
import { ChargeCanceller } from "./ChargeCanceller.ts"
import { contradiction } from "./ChargeContradiction.ts"
import { isOver, isOwnerClosed, shownByEither, takeBack } from "./ChargeEnder.ts"
import { paymentExpired } from "./ChargeEvents.ts"
import {
  afterNotice,
  endOf,
  endOfBooked,
  givenUpAt,
  lookAtPending,
  nextLook
} from "./ChargeJobs.ts"
import { unbooked } from "./Settlement.ts"
import { spanned } from "../telemetry/SpanGuarder.ts"

type Step = Effect.Effect<Progress, Refused | StorageError>

/**
 * Brings a charge to where its PSP says it is. A notification, a deadline and an intent without an answer all
 * come to the same question; nothing but the PSP's own answer moves money.
 */
export class ChargeSettler extends Context.Service<
  ChargeSettler,
  {
    /** Works a claimed job of the queues `charge` (deadlines) and `inbox` (notifications) off. */
    readonly work: (job: Claimed) => Effect.Effect<void, StorageError>
  }
>()("@pagora/core/charges/ChargeSettler") {
  static readonly layer: Layer.Layer<
    ChargeSettler,
    never,
    ChargeBooks | ChargeCanceller | PspDirectory | ServiceTime
  > = Layer.effect(
    ChargeSettler,
    Effect.gen(function* () {
      const books = yield* ChargeBooks
      const directory = yield* PspDirectory
      const time = yield* ServiceTime
      const apply = applier(books, yield* ChargeCanceller, time)
      const turn = makeTurns(patientATurn)

      const unlearnt = Effect.fnUntraced(function* (job: Claimed, charge: Charge, outcome: string) {
        yield* Effect.logWarning(
          "The state of a charge could not be learnt; the PSP is asked again."
        ).pipe(Effect.annotateLogs({ charge: charge.id, psp: charge.pspCredentialId, outcome }))
        const now = yield* time.now
        const again = isLateLook(job)
          ? retry(job, notTold(charge, { now }))
          : retry(job, nextLook(job, charge, now))
        return yield* finished(books.jobs([again]))
      })

      const step = Effect.fnUntraced(function* (
        job: Claimed
      ): Effect.fn.Return<Progress, Refused | StorageError> {
        // The group of a job that asks a PSP is its account.
        const loaded = yield* books.load(job.id as ChargeId, job.group as Uuid as AccountId)
        if (loaded === undefined) return yield* finished(books.jobs([finish(job)]))
        if (isPatient(job)) yield* turn
        const charge = loaded.charge.value
        if (isLateLook(job) && !isWatched(charge)) return yield* finished(books.jobs([finish(job)]))
        const psp = directory.find(charge.pspCredentialId)
        if (psp === undefined) return yield* unlearnt(job, charge, "NotConfigured")
        const putOff = (due: DateTime.Utc) => finished(books.jobs([retry(job, due)]))
        const judged =
          (isTakenBack: boolean) =>
          (outcome: PspOutcome<PspCharge | undefined>): Step =>
            outcome._tag === "Done"
              ? apply({ loaded, known: outcome.value, psp, job, isTakenBack })
              : unlearnt(job, charge, outcome._tag)
        const at = { psp, time, isPatient: isPatient(job) }
        const isEnding =
          job.queue === "charge" && !isOwnerClosed(loaded) && isOver(loaded, psp, yield* time.now)
        if (!isEnding) {
          const asked = callPsp("findCharge", psp.findCharge(charge.reference), charge.reference)
          return yield* asking(at, Effect.flatMap(asked, judged(false)), putOff)
        }
        // What follows is written when others may ask the PSP again.
        const asked = Effect.map(takeBack(psp, charge.reference), judged(true))
        return yield* yield* asking(at, asked, (due) => Effect.succeed(putOff(due)))
      })

      const work = (job: Claimed) => spanned(workOff("charge", job, step), "ChargeSettler.work", {})
      return ChargeSettler.of({ work })
    })
  )
}

/** How many jobs that nobody waits for go on in a turn of the event loop. */
const patientATurn = 8

const isPatient = ({ queue }: Claimed): boolean => queue !== "inbox"

/** What was learnt, and about what. */
interface Look {
  readonly loaded: LoadedCharge
  readonly known: PspCharge | undefined
  readonly psp: PspShape
  readonly job: Claimed
  /** Whether the PSP was told to take it back. */
  readonly isTakenBack: boolean
}

const applier = (
  books: ChargeBooks["Service"],
  canceller: ChargeCanceller["Service"],
  time: ServiceTime["Service"]
) => {
  const goOnCancelling = cancelling(books, canceller, time)
  const giveUpIntent = Effect.fnUntraced(function* ({ job, loaded }: Look) {
    const at = yield* time.now
    yield* books.write(loaded, {
      at,
      charge: giveUp(loaded.charge.value, at),
      event: undefined,
      jobs: [finish(job)]
    })
  })

  const endUnpaid = makeEndUnpaid(books, time)

  const bookFirst = makeBookFirst(books, time)
  const cancelUnpaid = makeCancelUnpaid(books, time, bookFirst)
  const unlessPaid = makeUnlessPaid(bookFirst)

  return (look: Look): Step =>
    Effect.gen(function* () {
      const { job, known, loaded, psp } = look
      const charge = loaded.charge.value
      const payments = unbooked(charge, known?.payments ?? [])
      if (known !== undefined && payments.length > 0) return yield* bookFirst(look, known, payments)
      const at = yield* time.now
      const looked = endOrRetry(job, lookedAt(charge, { now: at, isLate: isLateLook(job) }))
      const reason =
        job.queue === "inbox" || isLateLook(job) ? contradiction(charge, known, at) : undefined
      // A notice of what contradicts the booking may tell of a further payment all the same.
      const isHeard = job.queue === "inbox"
      if (reason !== undefined)
        yield* books.contradict(charge, reason, known, isHeard ? [] : [looked])
      if (reason !== undefined && !isHeard) return "finished"
      const isClosed = isOwnerClosed(loaded)
      if (charge.status === "pending" && isClosed) return yield* cancelUnpaid(look)
      if (charge.status === "creating" && job.queue === "charge") {
        // The key of a closed account or sub-account opens nothing any more.
        const hasKey = charge.idempotencyKey !== undefined && !isClosed
        const final = givenUpAt(charge, psp, hasKey)
        // One that somebody can still go on with, or that may still appear at the PSP.
        const isKept = hasKey || known === undefined
        return yield* isKept && DateTime.isLessThan(at, final)
          ? finished(books.jobs([retry(job, final)]))
          : known === undefined
            ? finished(giveUpIntent(look))
            : unlessPaid(look, giveUpIntent)
      }
      if (isOver(loaded, psp, at))
        return yield* look.isTakenBack ? finished(endUnpaid(look)) : unlessPaid(look, endUnpaid)
      if (charge.cancelRequestedAt !== undefined && job.queue === "charge")
        return yield* finished(goOnCancelling(look))
      if (job.queue === "inbox") return yield* finished(heedNotice(books, look, at))
      const next = charge.status === "pending" ? retry(job, lookAtPending(charge, psp, at)) : looked
      return yield* finished(books.jobs([next]))
    })
}

/** A notice, when nothing that the PSP shows is left to be done. */
const heedNotice = (
  books: ChargeBooks["Service"],
  look: Look,
  at: DateTime.Utc
): Effect.Effect<void, Refused | StorageError> => {
  const { job, loaded } = look
  const charge = loaded.charge.value
  const heeded = afterNotice(job, charge, look, at)
  return heeded.charge === charge
    ? books.jobs([heeded.job])
    : books.write(loaded, { at, charge: heeded.charge, event: undefined, jobs: [heeded.job] })
}

/** A charge whose time has come, as far as the PSP tells. */
const makeEndUnpaid = (books: ChargeBooks["Service"], time: ServiceTime["Service"]) =>
  Effect.fnUntraced(function* (look: Look) {
    const { job, loaded, psp } = look
    const at = yield* time.now
    const expired = expire(loaded.charge.value, at)
    const event = paymentExpired(expired, psp.environment)
    if (job.queue === "charge") {
      yield* books.write(loaded, { at, charge: expired, event, jobs: [finish(job)] })
    } else {
      const heeded = afterNotice(job, expired, look, at)
      const jobs: ReadonlyArray<JobWrite> = [
        heeded.job,
        { _tag: "Cancel", queue: "charge", id: job.id }
      ]
      yield* books.write(loaded, { at, charge: heeded.charge, event, jobs })
    }
  })

/** Its owner wants it cancelled, and the one who asked has not learnt what became of it. */
const cancelling = (
  books: ChargeBooks["Service"],
  canceller: ChargeCanceller["Service"],
  time: ServiceTime["Service"]
) =>
  Effect.fnUntraced(function* ({ job, loaded, psp }: Look) {
    const charge = loaded.charge.value
    const concluded = yield* canceller.conclude(loaded, psp, {
      ended: [finish(job)],
      open: [retry(job, lookAtPending(charge, psp, yield* time.now))]
    })
    if (concluded === "Unknown")
      yield* books.jobs([retry(job, nextLook(job, charge, yield* time.now))])
  })

const finished = (effect: Effect.Effect<void, Refused | StorageError>): Step =>
  Effect.as(effect, "finished" as const)

/** How a charge is booked that somebody paid. */
type BookFirst = (look: Look, known: PspCharge, payments: ReadonlyArray<PspPayment>) => Step

/** Books the oldest payment that is not booked yet. */
const makeBookFirst = (books: ChargeBooks["Service"], time: ServiceTime["Service"]): BookFirst =>
  Effect.fnUntraced(function* (look: Look, known: PspCharge, payments: ReadonlyArray<PspPayment>) {
    const { job, loaded, psp } = look
    const [first] = payments
    if (first === undefined) return "finished"
    const { charge } = loaded
    // A payment of a charge whose create was never answered: it was registered at the PSP all the same.
    const payable =
      charge.value.status === "creating"
        ? register(charge.value, known, yield* time.now)
        : charge.value
    const current = { ...loaded, charge: { ...charge, value: payable } }
    // A late look goes on: who paid once so late may do so again.
    const isLast = payments.length === 1 && !isLateLook(job)
    const ending = isLast ? endOfBooked(job, payable, yield* time.now) : []
    const status = yield* books.book(current, first, psp.environment, ending)
    // Money that was not what was asked for leaves a pending charge as open as it was.
    return isLast && status !== "pending" ? "finished" : "more"
  })

/**
 * Has the PSP take a charge back before it ends unpaid, so that nobody pays it any more. A payment that shows only then was
 * made, and is booked instead. If the PSP does not take it back, a late payment is returned all the same.
 */
const makeUnlessPaid =
  (bookFirst: BookFirst) =>
  (look: Look, end: (look: Look) => Effect.Effect<void, Refused | StorageError>): Step =>
    Effect.gen(function* () {
      const { loaded, psp } = look
      const charge = loaded.charge.value
      const { reference } = charge
      const told = yield* callPsp("cancelCharge", psp.cancelCharge(reference), reference)
      const known = shownByEither(told, look.known)
      const payments = unbooked(charge, known?.payments ?? [])
      return known !== undefined && payments.length > 0
        ? yield* bookFirst(look, known, payments)
        : yield* finished(end(look))
    })

/**
 * Ends a charge whose account or sub-account is closed. The PSP is told first, so that a process that dies between the two leaves
 * the job behind, and the charge is cancelled only when nobody can pay it any more.
 */
const makeCancelUnpaid = (
  books: ChargeBooks["Service"],
  time: ServiceTime["Service"],
  bookFirst: BookFirst
) =>
  Effect.fnUntraced(function* (look: Look): Effect.fn.Return<Progress, Refused | StorageError> {
    const { job, loaded, psp } = look
    const charge = loaded.charge.value
    const outcome = yield* callPsp(
      "cancelCharge",
      psp.cancelCharge(charge.reference),
      charge.reference
    )
    const at = yield* time.now
    if (outcome._tag === "NotSent" || outcome._tag === "Unknown") {
      const since = loaded.subAccount?.value.closedAt ?? loaded.account.value.updatedAt
      return yield* finished(books.jobs([retry(job, waitingSince(since, at))]))
    }
    const known = outcome._tag === "Done" ? outcome.value : undefined
    const payments = unbooked(charge, known?.payments ?? [])
    if (known !== undefined && payments.length > 0) return yield* bookFirst(look, known, payments)
    const cancelled = cancel(charge, at)
    const change = { at, charge: cancelled, event: undefined, jobs: endOf(job) }
    return yield* finished(books.write(loaded, change))
  })
