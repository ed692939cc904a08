import { Context, DateTime, Effect, Layer, Schema } from "effect"
import type { ChargeId, WalletId } from "../kernel/Ids.ts"
import type { IdempotencyKey } from "../units/Idempotency.ts"
import { begun, IdempotencyKeyTaken, keyTaken } from "../units/Idempotency.ts"
import { decideAgain, refusedFor } from "../storage/DecideAgain.ts"
import type { PspShape } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { callPsp } from "../psp-calls/PspCall.ts"
import type { Refused } from "../units/Refused.ts"
import { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import type { IdempotencyScope } from "../units/Unit.ts"
import { askToCancel, isAwaited, waitingMax } from "./CancelWish.ts"
import type { Charge } from "./Charge.ts"
import type { LoadedCharge } from "./ChargeWriter.ts"
import { ChargeWriter, lookAt } from "./ChargeWriter.ts"
import { askMax, leftOpen, PspUnavailable } from "./ChargeIntents.ts"
import { afterWish } from "./ChargeVerdict.ts"

export class ChargeNotFound extends Schema.TaggedError<ChargeNotFound>()("ChargeNotFound", {
  id: Schema.String
}) {}

/** Only a charge that can still be paid can be cancelled. */
export class ChargeNotPending extends Schema.TaggedError<ChargeNotPending>()("ChargeNotPending", {
  id: Schema.String,
  status: Schema.String
}) {}

export type CancelRefused = ChargeNotFound | ChargeNotPending | PspUnavailable

/** How often a decision is taken anew while others change the charge. */
const refusalsMax = 16

/**
 * Takes pending charges back. The wish is stored first; then the PSP is told, and a question to it decides what became
 * of the charge: whoever paid it before has paid it (decision 0025).
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
  }
>()("@pagora/core/charges/ChargeCanceller") {
  static readonly layer: Layer.Layer<
    ChargeCanceller,
    never,
    ChargeWriter | PspDirectory | ServiceTime
  > = Layer.effect(
    ChargeCanceller,
    Effect.gen(function* () {
      const writer = yield* ChargeWriter
      const directory = yield* PspDirectory
      const time = yield* ServiceTime
      const conclude = concluder(writer, time)

      const intend = Effect.fnUntraced(function* (
        wallet: WalletId,
        id: ChargeId,
        key: IdempotencyKey | undefined
      ) {
        const loaded = yield* writer.load(id)
        if (loaded === undefined || loaded.charge.value.wallet !== wallet)
          return yield* new ChargeNotFound({ id })
        const charge = loaded.charge.value
        if (charge.status !== "pending")
          return yield* new ChargeNotPending({ id, status: charge.status })
        const at = yield* time.now
        const asked = askToCancel(charge, at, key && waitingAs(key))
        // The PSP has kept silent through all of them. This one is told so, and its key stays free.
        if ((asked.cancelKeys ?? []).length > waitingMax) return yield* new PspUnavailable()
        // The worker goes on then with what was left.
        const due = DateTime.addDuration(at, askMax)
        yield* writer
          .change(loaded, {
            at,
            charge: asked,
            event: undefined,
            jobs: [lookAt(charge, due)],
            ...begun(key, id, null)
          })
          .pipe(keyTaken, refusedFor("StaleVersion"))
      })

      const finish = Effect.fnUntraced(function* (
        id: ChargeId,
        scope: IdempotencyScope | undefined
      ) {
        for (let refusals = 0; refusals < refusalsMax; refusals++) {
          const loaded = yield* writer.load(id)
          if (loaded === undefined) return yield* new ChargeNotFound({ id })
          const charge = loaded.charge.value
          if (scope !== undefined && !isAwaited(charge, scope))
            return yield* new IdempotencyKeyTaken({ key: scope.key })
          if (charge.status !== "pending" || charge.cancelRequestedAt === undefined) return charge
          const psp = directory.find(charge.pspCredentialId)
          if (psp === undefined) return yield* new PspUnavailable()
          const concluded = yield* conclude(loaded, psp).pipe(
            Effect.catch((error) =>
              error._tag === "StorageError" || error._tag === "PspUnavailable"
                ? Effect.fail(error)
                : Effect.succeed("Changed" as const)
            )
          )
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
        )
      })
    })
  )
}

const waitingAs = ({ expiresAt, scope: { key, route } }: IdempotencyKey) => ({
  route,
  key,
  expiresAt
})

/**
 * One try: the charge as it was written, or that it is another by now and has to be read again. It fails where the PSP does
 * not tell.
 */
const concluder = (writer: ChargeWriter["Service"], time: ServiceTime["Service"]) =>
  Effect.fnUntraced(function* (
    loaded: LoadedCharge,
    psp: PspShape
  ): Effect.fn.Return<Charge | "Changed", PspUnavailable | Refused | StorageError> {
    const { value: charge } = loaded.charge
    const { reference } = charge
    const cancelled = yield* callPsp("cancelCharge", psp.cancelCharge(reference), reference)
    const asked = yield* callPsp("findCharge", psp.findCharge(reference), reference)
    const { capabilities, environment } = psp
    const now = yield* time.now
    const when = { now, due: now, isLate: false, isNotice: false, capabilities }
    const conclusion = afterWish(charge, cancelled, asked, when)
    if (conclusion === undefined) return yield* leftOpen(psp, cancelled, asked)
    yield* writer.write(loaded, conclusion, { job: undefined, now, environment })
    return conclusion._tag === "Booked" ? "Changed" : conclusion.charge
  })
