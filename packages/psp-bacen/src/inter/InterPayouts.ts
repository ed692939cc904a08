import type { NewPspPayout, PspNotice, PspPayout, PspShape } from "@pagora/core"
import { PspOutcome } from "@pagora/core"
import { Duration, Effect, Result, Schema } from "effect"
import type { BankDesk } from "../BankDesk.ts"
import { payoutRefusal } from "../PayoutRefusal.ts"
import { refusedPayout } from "../PayoutReasons.ts"
import type { Outcome } from "../Settling.ts"
import { readFound, settled, unknown } from "../Settling.ts"
import { idempotencyKey, readAnswer, readAsked, writePayout } from "./InterWire.ts"

const Told = Schema.Struct({ codigoSolicitacao: Schema.NonEmptyString })
const toldOf = Schema.decodeUnknownResult(Schema.Union([Told, Schema.Array(Told)]))

/**
 * How long Inter is taken to know the key of a payout (`x-id-idempotente`). It says nowhere for how long it does: a day is what
 * others that have such keys promise at least.
 */
export const interKeysKnownFor = Duration.days(1)

/** How long the answer to a payout waits for its state. */
const stateWithin = "3 seconds"

export interface InterPayouts extends Pick<PspShape, "sendPayout" | "findPayout"> {
  readonly readCallback: (json: unknown) => ReadonlyArray<PspNotice> | undefined
}

/**
 * Inter's Pix-out: `POST /banking/v2/pix` under an idempotency key of ours, `GET /banking/v2/pix/{codigoSolicitacao}` by Inter's own id.
 *
 * - It is not found by our reference. A payout whose answer was lost is answered as not found, so that Pagora sends it again under the
 *   same key, which Inter answers with the first. For how long it knows a key is written nowhere: `repeatableFor` is for how long
 *   that is relied on.
 * - It may wait for its approval for days (`APROVACAO`, `AGUARDANDO_APROVACAO`): it is under way as long as that.
 * - A callback names Inter's id alone, which is kept from when Inter first told it.
 */
export const makeInterPayouts = ({ http }: BankDesk): InterPayouts => {
  const find = (reference: string, pspReference: string): Outcome<PspPayout | undefined> =>
    Effect.map(
      http.call({
        kind: "findPayout",
        scope: "payouts",
        method: "GET",
        path: `/banking/v2/pix/${encodeURIComponent(pspReference)}`
      }),
      (heard) => {
        const found = readFound(heard, (json) => readAsked(json, { reference, pspReference }))
        if (found._tag !== "Done") return found
        if (found.value === undefined) return PspOutcome.done(undefined)
        return found.value === "either" ? mayBeEither : PspOutcome.done(found.value)
      }
    )

  /** The answer tells no state: a repeat is answered like the first try, whatever has become of that. */
  const taken = (sent: PspPayout): Outcome<PspPayout> => {
    return find(sent.reference, sent.pspReference).pipe(
      Effect.map((found) => {
        if (found._tag !== "Done" || found.value === undefined) return PspOutcome.done(sent)
        return found.value.amount === sent.amount
          ? PspOutcome.done(found.value)
          : unknown("the bank has another payout under the key")
      }),
      // Its id is what counts, and is not to be lost for that.
      Effect.timeoutOrElse({
        duration: stateWithin,
        orElse: () => Effect.succeed(PspOutcome.done(sent))
      })
    )
  }

  return {
    sendPayout: (payout) => {
      const refusal = payoutRefusal(payout)
      if (refusal !== undefined) return Effect.succeed(refusal)
      return Effect.flatMap(
        settled({
          heard: http.call({
            kind: "sendPayout",
            scope: "payouts",
            method: "POST",
            path: "/banking/v2/pix",
            headers: { "x-id-idempotente": idempotencyKey(payout.reference) },
            body: writePayout(payout)
          }),
          read: (json) => readAnswer(json, payout),
          // There is no question by our reference.
          find: Effect.succeed(PspOutcome.done(undefined)),
          isOrdered: () => true
        }),
        (sent) => {
          return sent._tag === "Done"
            ? taken(sent.value)
            : Effect.succeed(sent._tag === "Rejected" ? refused(payout, sent) : sent)
        }
      )
    },

    findPayout: ({ pspReference, reference }) =>
      pspReference === undefined
        ? Effect.succeed(PspOutcome.done(undefined))
        : find(reference, pspReference),

    readCallback: readTold
  }
}

/** Of a repeat: the first try may have been done, and this one be refused for what that one has used up. */
const refused = (
  { isRepeat }: NewPspPayout,
  { code, message }: Extract<PspOutcome<never>, { readonly _tag: "Rejected" }>
): PspOutcome<never> =>
  isRepeat === true
    ? unknown("a repeat was refused, which says nothing of the first try")
    : refusedPayout(code, message)

const readTold = (json: unknown): ReadonlyArray<PspNotice> | undefined => {
  const told = Result.getOrUndefined(toldOf(json))
  return told === undefined
    ? undefined
    : [told]
        .flat()
        .map(({ codigoSolicitacao }) => ({ _tag: "PspPayout", pspReference: codigoSolicitacao }))
}

const mayBeEither = unknown("FALHA and NAO_DEBITADO do not say whether the money has left")
