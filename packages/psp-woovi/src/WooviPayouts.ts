import type { NewPspPayout, PspPayout, PspShape } from "@pagora/core"
import { PspOutcome } from "@pagora/core"
import { Duration, Effect, Schema } from "effect"
import type { Ask, Asked, Order } from "./WooviCalls.ts"
import { another, fail, outcomeOf, writeCents } from "./WooviCalls.ts"
import * as Wire from "./WooviWire.ts"

type Payouts = Pick<PspShape, "sendPayout" | "findPayout">

const aliasTypes = { cpf: "CPF", cnpj: "CNPJ", email: "EMAIL", phone: "PHONE", random: "RANDOM" }
const isRequest = ({ payment }: Wire.Payment): boolean => payment.status === "CREATED"
const pause = Duration.minutes(15)

/** Keys as people write them, and as the directory does. */
const bare = (key: string): string => key.toLowerCase().replaceAll(/[.\-/+() ]/g, "")

/** A repeat is answered by what is there, which must be what was asked for. */
const asAsked = ({ amount, pixKey, reference }: NewPspPayout, found: Wire.Payment) => {
  const { destination, payment } = found
  const key = payment.destinationAlias ?? destination?.pixKey ?? pixKey.value
  const isAsked =
    payment.correlationID === reference &&
    BigInt(payment.value) === amount &&
    bare(key) === bare(pixKey.value)
  return isAsked ? Effect.succeed(found) : fail(another)
}

/** Payouts by their `correlationID`: as long as it is the same, money leaves once (docs/payment/payment-idempotency). */
export const makePayouts = (order: Order, ask: Ask): Payouts => {
  const find = (reference: string) => ask("payment", Wire.Payment, `/payment/${reference}`)

  /** With what came back of it. Whether one that failed was refused or came back is not known before that was told. */
  const withReturn = (found: Wire.Payment): Asked<PspPayout> => {
    const payout = Wire.payoutOf(found)
    const { endToEndId, status } = payout
    if (status === "processing" || endToEndId === undefined) return Effect.succeed(payout)
    const path = `/transaction?withdrawal=${endToEndId}&type=REFUND`
    return order(Wire.Transactions, "GET", path).pipe(
      Effect.map(({ transactions }) => Wire.afterReturn(payout, transactions)),
      Effect.catch((outcome) =>
        status === "completed" || outcome._tag === "Rejected"
          ? Effect.succeed(payout)
          : Effect.fail(outcome)
      )
    )
  }

  /** What stays a request is never refused: somebody may approve it in Woovi's panel. */
  const approve = (asked: NewPspPayout): Asked<Wire.Payment> =>
    Effect.gen(function* () {
      const { reference: correlationID } = asked
      const why = yield* order(Schema.Json, "POST", "/payment/approve", { correlationID }).pipe(
        Effect.as("not approved"),
        Effect.catchTag("Rejected", ({ code, message }) =>
          Effect.succeed(Wire.reasonOf(code, message))
        )
      )
      const found = (yield* find(correlationID)) ?? (yield* fail(another))
      if (isRequest(found))
        return yield* fail(PspOutcome.notNow(`a request waits at Woovi: ${why}`, pause))
      return yield* asAsked(asked, found)
    })

  const send: Payouts["sendPayout"] = (asked) =>
    Effect.gen(function* () {
      const { amount, pixKey, reference } = asked
      const value = yield* writeCents(reference, amount)
      const found = yield* order(Wire.Payment, "POST", "/payment", {
        type: "PIX_KEY",
        correlationID: reference,
        value,
        destinationAlias: pixKey.value,
        destinationAliasType: aliasTypes[pixKey.type],
        autoApprove: true
      }).pipe(
        // A repeat is refused, and so is a request that Woovi keeps: what is there tells which.
        Effect.catchTag("Rejected", ({ code, message }) =>
          Effect.flatMap(find(reference), (there) =>
            there === undefined
              ? fail(PspOutcome.rejected(Wire.reasonOf(code, message), message))
              : Effect.succeed(there)
          )
        ),
        Effect.flatMap((answer) => asAsked(asked, answer))
      )
      return yield* withReturn(isRequest(found) ? yield* approve(asked) : found)
    }).pipe(outcomeOf)

  return {
    sendPayout: send,
    findPayout: ({ reference }) =>
      Effect.gen(function* () {
        const found = Wire.isReference(reference) ? yield* find(reference) : undefined
        if (found === undefined) return undefined
        if (found.payment.correlationID !== reference) return yield* fail(another)
        return yield* withReturn(found)
      }).pipe(outcomeOf)
  }
}
