import { Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import type { ChargeId, WalletId } from "../kernel/Ids.ts"
import type { IdempotencyKey } from "../units/Idempotency.ts"
import { begun, IdempotencyKeyTaken, keyTaken } from "../units/Idempotency.ts"
import { decideAgain, refusedFor } from "../storage/DecideAgain.ts"
import type { PspCharge, PspShape } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { callPsp, pspDeadline } from "../psp-calls/PspCall.ts"
import type { Refused } from "../units/Refused.ts"
import { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import type { IdempotencyScope, JobWrite } from "../units/Unit.ts"
import { askToCancel, isAwaited, stayOpen, waitingMax } from "./CancelWish.ts"
import type { Charge } from "./Charge.ts"
import { cancel } from "./Charge.ts"
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

export type CancelRefused = ChargeNotFound | ChargeNotPending | PspUnavailable

/**
 * What trying to cancel came to: `Cancelled` nobody can pay it any more, `Paid` somebody had, `Open` the PSP will not
 * have it cancelled, `Unknown` it has to be tried again.
 */
type Outcome =
  | { readonly _tag: "Cancelled" | "Unknown" }
  | { readonly _tag: "Paid"; readonly known: PspCharge }
  | { readonly _tag: "Open"; readonly code: string }

/** What a try led to: the charge as it was written, or that it is another by now and has to be read again. */
type Concluded = "Unknown" | "Changed" | Charge

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
    /**
     * Answers the charge as it is after it: `cancelled`, `pending` where the PSP will not take it back, or what else
     * somebody who was faster made of it. Where somebody else came to an end of the wish, the key has the answer.
     */
    readonly cancel: (
      wallet: WalletId,
      id: ChargeId,
      key?: IdempotencyKey
    ) => Effect.Effect<Charge, CancelRefused | IdempotencyKeyTaken | StorageError>
    /** Goes on with a wish that was left without an answer; undefined where its key has one by now. */
    readonly resume: (
      id: ChargeId,
      scope: IdempotencyScope
    ) => Effect.Effect<Charge | undefined, CancelRefused | StorageError>
    /** One try for a charge whose cancelling was asked for; `Unknown` while the PSP does not tell. */
    readonly conclude: (
      loaded: LoadedCharge,
      psp: PspShape,
      after: AfterCancel
    ) => Effect.Effect<Concluded, Refused | StorageError>
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
        const asked = askToCancel(charge, at, key && waitingAs(key))
        // The PSP has kept silent through all of them. This one is told so, and its key stays free.
        if ((asked.cancelKeys ?? []).length > waitingMax) return yield* new PspUnavailable()
        const due = DateTime.addDuration(at, askMax)
        yield* books
          .write(loaded, {
            at,
            charge: asked,
            event: undefined,
            jobs: [{ _tag: "Schedule", queue: "charge", id, group: charge.account, due }],
            ...begun(key, id, null)
          })
          .pipe(keyTaken, refusedFor("StaleVersion"))
      })

      const finish = Effect.fnUntraced(function* (
        id: ChargeId,
        scope: IdempotencyScope | undefined
      ) {
        for (let refusals = 0; refusals < refusalsMax; refusals++) {
          const loaded = yield* books.load(id)
          if (loaded === undefined) return yield* new ChargeNotFound({ id })
          const charge = loaded.charge.value
          if (scope !== undefined && !isAwaited(charge, scope))
            return yield* new IdempotencyKeyTaken({ key: scope.key })
          if (charge.status !== "pending" || charge.cancelRequestedAt === undefined) return charge
          const psp = directory.find(charge.pspCredentialId)
          if (psp === undefined) return yield* new PspUnavailable()
          const concluded = yield* conclude(
            loaded,
            psp,
            afterRequest(charge, psp, yield* time.now)
          ).pipe(
            Effect.catch((error) =>
              error._tag === "StorageError"
                ? Effect.fail(error)
                : Effect.succeed("Changed" as const)
            )
          )
          if (concluded === "Unknown") return yield* new PspUnavailable()
          if (concluded !== "Changed") return concluded
        }
        return yield* new StorageError({ reason: "Contended" })
      })

      return ChargeCanceller.of({
        cancel: Effect.fn("ChargeCanceller.cancel")(function* (wallet, id, key) {
          yield* decideAgain(intend(wallet, id, key))
          return yield* finish(id, key?.scope)
        }),
        resume: Effect.fn("ChargeCanceller.resume")((id, scope) =>
          Effect.catchTag(finish(id, scope), "IdempotencyKeyTaken", () => Effect.undefined)
        ),
        conclude
      })
    })
  )
}

const waitingAs = ({ expiresAt, scope: { key, route } }: IdempotencyKey) => ({
  route,
  key,
  expiresAt
})

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
  Effect.fnUntraced(function* (
    loaded: LoadedCharge,
    psp: PspShape,
    after: AfterCancel
  ): Effect.fn.Return<Concluded, Refused | StorageError> {
    const charge = loaded.charge.value
    const outcome = yield* tryAt(psp, charge)
    const at = yield* time.now
    switch (outcome._tag) {
      case "Unknown":
        return "Unknown"
      case "Paid": {
        const [first, ...more] = unbooked(charge, outcome.known.payments)
        if (first !== undefined)
          yield* books.book(loaded, first, psp.environment, more.length === 0 ? after.ended : [])
        return "Changed"
      }
      case "Open": {
        const open = stayOpen(charge, outcome.code, at)
        yield* books.write(loaded, { at, charge: open, event: undefined, jobs: after.open })
        return open
      }
      case "Cancelled": {
        const cancelled = cancel(charge, at)
        yield* books.write(loaded, { at, charge: cancelled, event: undefined, jobs: after.ended })
        return cancelled
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
