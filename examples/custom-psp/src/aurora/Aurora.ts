import { PspOutcome } from "@pagora/core"
import type { PspShape } from "@pagora/core"
import { Duration, Effect } from "effect"
import type { AuroraOptions } from "./AuroraCalls.ts"
import { makeCalls } from "./AuroraCalls.ts"
import { readNotification } from "./AuroraNotification.ts"
import {
  readCharge,
  readPayout,
  readRefund,
  reasonOf,
  refundPath,
  writeAmount
} from "./AuroraWire.ts"

/** Banco Aurora as a PSP of Pagora. */
export const aurora = (options: AuroraOptions): PspShape => {
  const call = makeCalls(options)
  return {
    provider: "aurora",
    environment: options.environment,
    capabilities: {
      // Its PUT makes what is not there yet, and answers what is.
      idempotentByReference: true,
      knowsPayer: true,
      notFoundIsFinalAfter: Duration.minutes(2),
      settlementLag: Duration.minutes(5)
    },

    createCharge: (charge) =>
      named(charge.reference, () =>
        call("PUT", `/v1/charges/${charge.reference}`, {
          amount: writeAmount(charge.amount),
          expiresInSeconds: charge.expiresInSeconds,
          description: charge.description,
          payer: charge.payer
        })
      ).pipe(Effect.map(read(readCharge, charge.reference))),

    findCharge: (reference) =>
      named(reference, () => call("GET", `/v1/charges/${reference}`)).pipe(
        Effect.map(read(readCharge, reference)),
        Effect.map(orNothing)
      ),

    cancelCharge: (reference) =>
      named(reference, () => call("DELETE", `/v1/charges/${reference}`)).pipe(
        Effect.map(read(readCharge, reference))
      ),

    sendPayout: ({ amount, holder, pixKey, reference }) =>
      named(reference, () =>
        call("PUT", `/v1/payouts/${reference}`, {
          amount: writeAmount(amount),
          key: pixKey.value,
          holder
        })
      ).pipe(
        Effect.map(read(readPayout, reference)),
        Effect.map((sent) =>
          sent._tag === "Rejected" ? { ...sent, code: reasonOf(sent.code) } : sent
        )
      ),

    findPayout: ({ reference }) =>
      named(reference, () => call("GET", `/v1/payouts/${reference}`)).pipe(
        Effect.map(read(readPayout, reference)),
        Effect.map(orNothing)
      ),

    refund: (refund) =>
      named(refund.reference, () =>
        call("PUT", refundPath(refund), {
          amount: writeAmount(refund.amount),
          reason: refund.reason
        })
      ).pipe(Effect.map(read(readRefund, refund.reference))),

    findRefund: ({ reference }) =>
      named(reference, () => call("GET", `/v1/refunds/${reference}`)).pipe(
        Effect.map(read(readRefund, reference)),
        Effect.map(orNothing)
      ),

    readNotification: readNotification(options.notificationSecret)
  }
}

/** A reference stands in the path, so none leaves that is not one. */
const named = (
  reference: string,
  call: () => Effect.Effect<PspOutcome<unknown>>
): Effect.Effect<PspOutcome<unknown>> =>
  /^[A-Za-z0-9]{26,35}$/.test(reference)
    ? call()
    : Effect.succeed({
        _tag: "Rejected",
        code: "INVALID_REFERENCE",
        message: "A reference has 26 to 35 letters and digits."
      })

/** An answer that does not fit, or is about something else, leaves us not knowing what was done. */
const read =
  <A extends { readonly reference: string }>(reader: (json: unknown) => A, reference: string) =>
  (outcome: PspOutcome<unknown>): PspOutcome<A> => {
    if (outcome._tag !== "Done") return outcome
    try {
      const value = reader(outcome.value)
      return value.reference === reference
        ? PspOutcome.done(value)
        : { _tag: "Unknown", detail: "an answer about something else" }
    } catch {
      return { _tag: "Unknown", detail: "an answer that does not fit the bank's manual" }
    }
  }

/** The bank says itself that it has nothing under the reference: the question is answered. */
const orNothing = <A>(outcome: PspOutcome<A>): PspOutcome<A | undefined> =>
  outcome._tag === "Rejected" && outcome.code === "NOT_FOUND" ? PspOutcome.done(undefined) : outcome
