import { Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import type { ChargeId, WalletId } from "../kernel/Ids.ts"
import { idempotencyWindow } from "../idempotency/IdempotencyKeys.ts"
import type { IdempotencyKey, IdempotencyKeyTaken } from "../ports/Idempotency.ts"
import { begun, completed, keyTaken } from "../ports/Idempotency.ts"
import { decideAgain, refusedFor } from "../ports/DecideAgain.ts"
import type { PspCharge, PspShape } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { callPsp, pspDeadline } from "../ports/PspCall.ts"
import type { Refused } from "../ports/Refused.ts"
import { StorageError } from "../ports/Refused.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import type { IdempotencyScope, JobWrite } from "../ports/Unit.ts"
import type { Charge } from "./Charge.ts"
import { askToCancel, cancel, ChargeKind, stayOpen } from "./Charge.ts"
import type { LoadedCharge } from "./ChargeBooks.ts"
import { ChargeBooks } from "./ChargeBooks.ts"
import { both } from "./ChargeEnder.ts"
import { PspUnavailable } from "./ChargeIntents.ts"
import { lookAtPending } from "./ChargeJobs.ts"
import { unbooked } from "./Settlement.ts"

export class ChargeNotFound extends Schema.TaggedError<ChargeNotFound>()("ChargeNotFound", {
  id: Schema.String
}) {}

/** Only a charge that can still be paid can be cancelled. */
export class ChargeNotPending extends Schema.TaggedError<ChargeNotPending>()("ChargeNotPending", {
  id: Schema.String,
  status: Schema.String
}) {}

/** The PSP definitely will not take the charge back: it stays open. */
export class CancelRejected extends Schema.TaggedError<CancelRejected>()("CancelRejected", {
  code: Schema.String
}) {}

export type CancelRefused = ChargeNotFound | ChargeNotPending | CancelRejected | PspUnavailable

/**
 * What trying to cancel came to: `Cancelled` nobody can pay it any more, `Paid` somebody had, `Open` the PSP will not
 * have it cancelled, `Unknown` it has to be tried again.
 */
type Outcome =
  | { readonly _tag: "Cancelled" | "Unknown" }
  | { readonly _tag: "Paid"; readonly known: PspCharge }
  | { readonly _tag: "Open"; readonly code: string }

/** The jobs that a charge needs no more, or goes on with, after an outcome. */
export interface AfterCancel {
  readonly ended: ReadonlyArray<JobWrite>
  readonly open: ReadonlyArray<JobWrite>
}

/** So long the one who asks has it for itself; then the worker goes on with what was left. */
const askMax = Duration.sum(Duration.fromInputUnsafe(pspDeadline), Duration.seconds(5))

/** How often a decision is taken anew while others change the charge. */
const refusalsMax = 16

/**
 * Takes pending charges back. The wish is stored first; then the PSP is told, and a question to it decides what became
 * of the charge: whoever paid it before has paid it (decision 0026).
 */
export class ChargeCanceller extends Context.Service<
  ChargeCanceller,
  {
    /** Answers the charge as it is after it: `cancelled`, or paid by somebody who was faster. */
    readonly cancel: (
      wallet: WalletId,
      id: ChargeId,
      key?: IdempotencyKey
    ) => Effect.Effect<Charge, CancelRefused | IdempotencyKeyTaken | StorageError>
    /** Goes on with a wish that was left without an answer. */
    readonly resume: (id: ChargeId) => Effect.Effect<Charge, CancelRefused | StorageError>
    /** One try for a charge whose cancelling was asked for; false while the PSP does not tell. */
    readonly conclude: (
      loaded: LoadedCharge,
      psp: PspShape,
      after: AfterCancel
    ) => Effect.Effect<boolean, Refused | StorageError>
  }
>()("@pagora/core/charges/ChargeCanceller") {
  static readonly layer: Layer.Layer<
    ChargeCanceller,
    never,
    ChargeBooks | PspDirectory | ServiceTime
  > = Layer.effect(
    ChargeCanceller,
    Effect.gen(function* () {
      const books = yield* ChargeBooks
      const directory = yield* PspDirectory
      const time = yield* ServiceTime
      const conclude = concluder(books, time)

      const intend = Effect.fnUntraced(function* (
        wallet: WalletId,
        id: ChargeId,
        key: IdempotencyKey | undefined
      ) {
        const loaded = yield* books.load(id)
        if (loaded === undefined || loaded.charge.value.wallet !== wallet)
          return yield* new ChargeNotFound({ id })
        const charge = loaded.charge.value
        if (charge.status !== "pending")
          return yield* new ChargeNotPending({ id, status: charge.status })
        const at = yield* time.now
        const due = DateTime.addDuration(at, askMax)
        yield* books
          .write(loaded, {
            at,
            charge: askToCancel(charge, at, key && { route: key.scope.route, key: key.scope.key }),
            event: undefined,
            jobs: [{ _tag: "Schedule", queue: "charge", id, group: charge.account, due }],
            ...begun(key, id, null)
          })
          .pipe(keyTaken, refusedFor("StaleVersion"))
      })

      const finish = Effect.fnUntraced(function* (id: ChargeId) {
        for (let refusals = 0; refusals < refusalsMax; refusals++) {
          const loaded = yield* books.load(id)
          if (loaded === undefined) return yield* new ChargeNotFound({ id })
          const charge = loaded.charge.value
          if (charge.status !== "pending") return charge
          if (charge.cancelRequestedAt === undefined)
            return yield* new CancelRejected({ code: charge.cancelRefusal ?? "unknown" })
          const psp = directory.find(charge.pspCredentialId)
          if (psp === undefined) return yield* new PspUnavailable()
          const isKnown = yield* conclude(
            loaded,
            psp,
            afterRequest(charge, psp, yield* time.now)
          ).pipe(
            Effect.catch((error) =>
              error._tag === "StorageError" ? Effect.fail(error) : Effect.succeed(true)
            )
          )
          if (!isKnown) return yield* new PspUnavailable()
        }
        return yield* new StorageError({ reason: "Contended" })
      })

      return ChargeCanceller.of({
        cancel: Effect.fn("ChargeCanceller.cancel")(function* (wallet, id, key) {
          yield* decideAgain(intend(wallet, id, key))
          return yield* finish(id)
        }),
        resume: Effect.fn("ChargeCanceller.resume")(finish),
        conclude
      })
    })
  )
}

/** The charge's deadline is worked off no more, or again when its time ends. */
const afterRequest = (charge: Charge, psp: PspShape, now: DateTime.Utc): AfterCancel => ({
  ended: [{ _tag: "Cancel", queue: "charge", id: charge.id }],
  open: [
    {
      _tag: "Schedule",
      queue: "charge",
      id: charge.id,
      group: charge.account,
      due: lookAtPending(charge, psp, now)
    }
  ]
})

const concluder = (books: ChargeBooks["Service"], time: ServiceTime["Service"]) =>
  Effect.fnUntraced(function* (loaded: LoadedCharge, psp: PspShape, after: AfterCancel) {
    const charge = loaded.charge.value
    const outcome = yield* tryAt(psp, charge)
    const at = yield* time.now
    switch (outcome._tag) {
      case "Unknown":
        return false
      case "Paid": {
        const [first, ...more] = unbooked(charge, outcome.known.payments)
        if (first !== undefined)
          yield* books.book(loaded, first, psp.environment, more.length === 0 ? after.ended : [])
        return true
      }
      case "Open":
        yield* books.write(loaded, {
          at,
          charge: stayOpen(charge, outcome.code, at),
          event: undefined,
          jobs: after.open
        })
        return true
      case "Cancelled": {
        const cancelled = cancel(charge, at)
        yield* books.write(loaded, {
          at,
          charge: cancelled,
          event: undefined,
          jobs: after.ended,
          ...completed(scopeOf(charge, at), charge.id, ChargeKind.snapshot(cancelled))
        })
        return true
      }
    }
  })

/** Tells the PSP, then asks it: only the second decides, but for payments that the first shows and the second does not yet. */
const tryAt = Effect.fnUntraced(function* (
  psp: PspShape,
  charge: Charge
): Effect.fn.Return<Outcome> {
  const told = yield* callPsp("cancelCharge", psp.cancelCharge(charge.reference), charge.reference)
  const asked = yield* callPsp("findCharge", psp.findCharge(charge.reference), charge.reference)
  const learnt = both(told, asked)
  const known = learnt._tag === "Done" ? learnt.value : undefined
  if (known !== undefined && unbooked(charge, known.payments).length > 0)
    return { _tag: "Paid", known }
  if (asked._tag !== "Done") return { _tag: "Unknown" }
  if (known === undefined || isOver(known)) return { _tag: "Cancelled" }
  return told._tag === "Rejected" ? { _tag: "Open", code: told.code } : { _tag: "Unknown" }
})

/** Whether the PSP can do no more: it has removed it, or takes it for paid by what was given back for its amount. */
const isOver = ({ payments, status }: PspCharge): boolean =>
  status === "removed" || (status === "paid" && payments.length > 0)

/** Where the outcome is kept for a repeat. After its window the key may be gone, and nobody waits for it. */
const scopeOf = (charge: Charge, now: DateTime.Utc): IdempotencyScope | undefined => {
  const { cancelKey, cancelRequestedAt, wallet } = charge
  const isOver =
    cancelRequestedAt === undefined ||
    DateTime.isGreaterThanOrEqualTo(now, DateTime.addDuration(cancelRequestedAt, idempotencyWindow))
  return cancelKey === undefined || isOver ? undefined : { wallet, ...cancelKey }
}
