import { Context, Effect, Layer, Schema } from "effect"
import type { Uuid } from "../kernel/Ids.ts"
import { PspReturnId, ReturnId } from "../kernel/Ids.ts"
import { Centavos } from "../kernel/Money.ts"
import { decideAgain, refusedFor, staleWhenEnded } from "../storage/DecideAgain.ts"
import type { IdempotencyKey, IdempotencyKeyTaken } from "../units/Idempotency.ts"
import { begun, keyTaken } from "../units/Idempotency.ts"
import { Ids } from "../time/Ids.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { environmentAt } from "../psp-calls/DeploymentEnvironment.ts"
import { callPsp } from "../psp-calls/PspCall.ts"
import type { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import type { CalledFailed } from "../reconciliation/CalledFailed.ts"
import { stillUnderWay } from "../reconciliation/CalledFailed.ts"
import type { Decision, Resolution } from "../reviews/Resolution.ts"
import type { Return } from "./Return.ts"
import { replace, resolve as resolved, ReturnKind, toldSince } from "./Return.ts"
import { askedFor, carriedOut } from "./ReturnAtPsp.ts"
import { ReturnWriter } from "./ReturnWriter.ts"

export class ReturnNotFound extends Schema.TaggedError<ReturnNotFound>()("ReturnNotFound", {
  id: Schema.String
}) {}

/** It does not wait for a person: it is over, or still the machine's. */
export class ReturnNotInReview extends Schema.TaggedError<ReturnNotInReview>()(
  "ReturnNotInReview",
  { status: Schema.String }
) {}

/** The PSP has not definitely refused it. A second try beside one that may still be done would pay twice. */
export class ReturnNotRefused extends Schema.TaggedError<ReturnNotRefused>()("ReturnNotRefused", {
  reference: Schema.String
}) {}

/** The PSP has given money of the same payment back by itself: another try may pay it twice. */
export class ReturnGivenBack extends Schema.TaggedError<ReturnGivenBack>()("ReturnGivenBack", {
  pspReturn: PspReturnId
}) {}

/** It cannot be called failed until then: the PSP was told so lately that it may still do it, or `says` that it does or did. */
export class ReturnUnderWay extends Schema.TaggedError<ReturnUnderWay>()("ReturnUnderWay", {
  until: Schema.DateTimeUtc,
  says: Schema.optionalKey(Schema.String)
}) {}

/** What contradicts it was done over another amount: to book this one would book money that did not move. */
export class ReturnOfAnotherAmount extends Schema.TaggedError<ReturnOfAnotherAmount>()(
  "ReturnOfAnotherAmount",
  { by: ReturnId, amount: Centavos }
) {}

/** Which returns a call speaks of: refunds, or money that goes back without having been asked for. */
export type ReturnSide = "refund" | "suspense"

/** What a person does about returns that do not come to their end by themselves. */
export class ReturnReviews extends Context.Service<
  ReturnReviews,
  {
    readonly find: (id: Uuid) => Effect.Effect<Return, ReturnNotFound | StorageError>
    /**
     * Sends money back anew that the PSP definitely refused, or back at all that nobody could identify. The new try is a
     * return of its own, with a reference of its own, and before it is sent, the PSP is asked once more about the one
     * before it. Answers the new return.
     */
    readonly retry: (
      id: Uuid,
      resolution: Omit<Resolution, "at">,
      key?: IdempotencyKey
    ) => Effect.Effect<
      Return,
      | ReturnNotFound
      | ReturnNotInReview
      | ReturnNotRefused
      | ReturnGivenBack
      | IdempotencyKeyTaken
      | StorageError
    >
    /**
     * Ends one as its decider has found it at the PSP. Completed: its payer has the money. Failed: what a refund held
     * is free again, and other money leaves suspense for the operator's own account.
     */
    readonly resolve: (
      side: ReturnSide,
      id: Uuid,
      decision: Decision,
      key?: IdempotencyKey
    ) => Effect.Effect<
      Return,
      | ReturnNotFound
      | ReturnNotInReview
      | ReturnUnderWay
      | ReturnOfAnotherAmount
      | IdempotencyKeyTaken
      | StorageError
    >
  }
>()("@pagora/core/returns/ReturnReviews") {
  static readonly layer: Layer.Layer<
    ReturnReviews,
    never,
    ReturnWriter | PspDirectory | Ids | ServiceTime
  > = Layer.effect(
    ReturnReviews,
    Effect.gen(function* () {
      const writer = yield* ReturnWriter
      const directory = yield* PspDirectory
      const time = yield* ServiceTime
      const waiting = waitingIn(writer)
      const isDoneAs = doneAs(writer)
      const isNotUnderWay = notUnderWay(directory, time)
      const attempt = yield* makeRetry

      const decide = Effect.fnUntraced(function* (
        side: ReturnSide,
        id: Uuid,
        { outcome, ...words }: Decision,
        key: IdempotencyKey | undefined
      ) {
        const loaded = yield* waiting(side, id)
        const { pspCredentialId } = loaded.value
        if (outcome === "failed") yield* isNotUnderWay(loaded.value)
        if (outcome === "completed") yield* isDoneAs(loaded.value)
        const at = yield* time.now
        const next = resolved(loaded.value, outcome, { ...words, at })
        yield* writer
          .writeEnd(
            loaded,
            next,
            environmentAt(directory, pspCredentialId),
            begun(key, id, ReturnKind.snapshot(next))
          )
          .pipe(keyTaken, staleWhenEnded(id), refusedFor("StaleVersion"))
        yield* Effect.logInfo("A person decided a return.").pipe(
          Effect.annotateLogs({ return: next.id, purpose: next.purpose, status: next.status })
        )
        return next
      })

      const find = Effect.fnUntraced(function* (id: Uuid) {
        const loaded = yield* writer.load(id as ReturnId)
        return loaded === undefined ? yield* new ReturnNotFound({ id }) : loaded.value
      })

      return ReturnReviews.of({
        find,
        retry: Effect.fn("ReturnReviews.retry")((id, words, key) =>
          decideAgain(attempt(id, words, key))
        ),
        resolve: Effect.fn("ReturnReviews.resolve")((side, id, decision, key) =>
          decideAgain(decide(side, id, decision, key))
        )
      })
    })
  )
}

/** Completed is what was done in its place: nothing else of it was. */
const doneAs = (writer: ReturnWriter["Service"]) =>
  Effect.fnUntraced(function* ({ amount, review }: Return) {
    const by = review?.by
    const done = by === undefined ? undefined : yield* writer.load(by)
    if (by !== undefined && done !== undefined && done.value.amount !== amount)
      return yield* new ReturnOfAnotherAmount({ by, amount: done.value.amount })
  })

/** Refused while its PSP may still do it, or says that it does or did. */
const notUnderWay = (directory: PspDirectory["Service"], time: ServiceTime["Service"]) =>
  Effect.fnUntraced(function* (money: Return) {
    const psp = directory.find(money.pspCredentialId)
    const underWay = yield* stillUnderWay(called(money), psp, yield* time.now)
    if (underWay !== undefined) return yield* new ReturnUnderWay(underWay)
  })

const called = (money: Return): CalledFailed<"processing" | "confirmed", never> => ({
  sentAt: money.sentAt,
  toldSince: (says) => toldSince(money, says),
  ask: (psp) =>
    Effect.map(callPsp("findRefund", psp.findRefund(askedFor(money))), (outcome) =>
      carriedOut(money, outcome)
    )
})

/** The return under an id, if it is one of these and waits for a person. */
const waitingIn = (writer: ReturnWriter["Service"]) =>
  Effect.fnUntraced(function* (side: ReturnSide, id: Uuid) {
    const loaded = yield* writer.load(id as ReturnId)
    if (loaded === undefined || (loaded.value.purpose === "refund") !== (side === "refund"))
      return yield* new ReturnNotFound({ id })
    const { review, status } = loaded.value
    return review === undefined ? yield* new ReturnNotInReview({ status }) : loaded
  })

const makeRetry = Effect.gen(function* () {
  const writer = yield* ReturnWriter
  const ids = yield* Ids
  const time = yield* ServiceTime
  const waiting = waitingIn(writer)

  return Effect.fnUntraced(function* (
    refused: Uuid,
    words: Omit<Resolution, "at">,
    key: IdempotencyKey | undefined
  ) {
    const loaded = yield* waiting("suspense", refused)
    const { besides: pspReturn, reference, review } = loaded.value
    if (pspReturn !== undefined) return yield* new ReturnGivenBack({ pspReturn })
    const mayBegin = review?.reason === "refused" || review?.reason === "unidentified"
    if (!mayBegin) return yield* new ReturnNotRefused({ reference })
    const at = yield* time.now
    const id = yield* ids.next<ReturnId>()
    const { former, next } = replace(loaded.value, id, at, { ...words, at })
    yield* writer
      .replace(loaded, { former, next }, begun(key, next.id, ReturnKind.snapshot(next)))
      .pipe(keyTaken, refusedFor("StaleVersion"))
    yield* Effect.logInfo("A refused return is tried anew.").pipe(
      Effect.annotateLogs({ return: next.id, replaces: former.id })
    )
    return next
  })
})
