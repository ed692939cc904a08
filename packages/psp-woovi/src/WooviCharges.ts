import type { PspCharge, PspShape } from "@pagora/core"
import { PspOutcome } from "@pagora/core"
import { DateTime, Effect, Schema } from "effect"
import type { Ask, Asked, Order } from "./WooviCalls.ts"
import { another, badOrder, fail, outcomeOf, writeCents } from "./WooviCalls.ts"
import * as Wire from "./WooviWire.ts"

type Charges = Pick<PspShape, "createCharge" | "findCharge" | "cancelCharge">

/** `ChargePayload.expiresIn`: five minutes at least. Pagora ends a shorter one itself. */
const secondsMin = 300
const noCharge = PspOutcome.rejected("charge_not_found", "Woovi has no such charge.")

/** Charges by their `correlationID`. */
export const makeCharges = (order: Order, ask: Ask): Charges => {
  /** With what was paid for it. The filter is held against the answer: what pays another is none of its payments. */
  const paid = (reference: string, answer: typeof Wire.Charge.Type): Asked<PspCharge> =>
    Effect.gen(function* () {
      const path = `/transaction?charge=${reference}&type=PAYMENT`
      const found = yield* ask("charge", Wire.Transactions, path)
      if (found === undefined || answer.charge.correlationID !== reference)
        return yield* fail(another)
      const payments = found.transactions.flatMap((one) => Wire.paymentOf(one) ?? [])
      return Wire.chargeOf(
        answer,
        payments.filter((one) => one.reference === reference)
      )
    })

  const find = (reference: string): Asked<PspCharge | undefined> =>
    Effect.gen(function* () {
      if (!Wire.isReference(reference)) return undefined
      const found = yield* ask("charge", Wire.Charge, `/charge/${reference}`)
      return found && (yield* paid(reference, found))
    })

  const create: Charges["createCharge"] = ({ amount, expiresInSeconds: seconds, ...asked }) =>
    Effect.gen(function* () {
      const { description, payer, reference } = asked
      const value = yield* writeCents(reference, amount)
      if (!Number.isSafeInteger(seconds) || seconds < 1) return yield* fail(badOrder)
      const answer = yield* order(Wire.Charge, "POST", "/charge?return_existing=true", {
        correlationID: reference,
        value,
        expiresIn: Math.max(secondsMin, seconds),
        additionalInfo: [Wire.lifetime(seconds)],
        comment: description,
        customer: payer && { name: payer.name, taxID: payer.document }
      })
      const charge = yield* paid(reference, answer)
      return charge.amount === amount ? charge : yield* fail(another)
    }).pipe(outcomeOf)

  /** Ends it now, and does not delete it: what is deleted cannot be asked about when somebody has paid it after all. */
  const cancel: Charges["cancelCharge"] = (reference) =>
    Effect.gen(function* () {
      const before = (yield* find(reference)) ?? (yield* fail(noCharge))
      if (before.status !== "active") return before
      const end = { expiresDate: DateTime.formatIso(yield* DateTime.now) }
      const refused = yield* order(Schema.Json, "PATCH", `/charge/${reference}`, end).pipe(
        Effect.as(undefined),
        Effect.catchTag("Rejected", Effect.succeed)
      )
      // It may have been paid in between, and so refused.
      const after = (yield* find(reference)) ?? (yield* fail(another))
      return refused !== undefined && after.status === "active" ? yield* fail(refused) : after
    }).pipe(outcomeOf)

  return {
    createCharge: create,
    findCharge: (reference) => outcomeOf(find(reference)),
    cancelCharge: cancel
  }
}
