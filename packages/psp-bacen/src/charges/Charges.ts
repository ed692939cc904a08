import type { NewPspCharge, PspCharge, PspShape } from "@pagora/core"
import { PspOutcome } from "@pagora/core"
import { isPayable, isReference } from "@pagora/core/psp"
import { Effect } from "effect"
import type { BankDesk } from "../BankDesk.ts"
import type { Outcome } from "../Settling.ts"
import { readFound, settled } from "../Settling.ts"
import { readCharge, writeCharge } from "./ChargeWire.ts"

/** Charges by the txid: `PUT`, `GET` and `PATCH /cob/{txid}`. `POST /cob` is not used: not every bank has it, and it cannot be repeated. */
export const makeCharges = (
  desk: BankDesk
): Pick<PspShape, "createCharge" | "findCharge" | "cancelCharge"> => {
  const { http, merchant, pixKey, profile } = desk
  const { cancel, cob } = profile.paths

  const about = (reference: string) => (json: unknown) => {
    const charge = readCharge(json, merchant)
    return charge.reference === reference ? charge : undefined
  }

  const find = (reference: string): Outcome<PspCharge | undefined> =>
    Effect.map(
      http.call({ kind: "findCharge", scope: "pix", method: "GET", path: `${cob}/${reference}` }),
      (heard) => readFound(heard, about(reference))
    )

  return {
    createCharge: (charge) => {
      const refusal = refusalOf(charge)
      if (refusal !== undefined) return Effect.succeed(refusal)
      const { amount, reference } = charge
      return settled({
        heard: http.call({
          kind: "createCharge",
          scope: "pix",
          method: "PUT",
          path: `${cob}/${reference}`,
          body: writeCharge(charge, pixKey)
        }),
        read: about(reference),
        find: find(reference),
        isOrdered: (found) => found.amount === amount
      })
    },

    findCharge: (reference) =>
      isReference(reference) ? find(reference) : Effect.succeed(PspOutcome.done(undefined)),

    cancelCharge: (reference) =>
      isReference(reference)
        ? settled({
            heard: http.call({
              kind: "cancelCharge",
              scope: "pix",
              method: "PATCH",
              path: `${cancel ?? cob}/${reference}`,
              body: { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" }
            }),
            read: about(reference),
            find: find(reference),
            // What is neither paid nor removed has not been taken back, whatever the answer was.
            isOrdered: ({ status }) => status !== "active"
          })
        : Effect.succeed(badReference)
  }
}

const badReference = PspOutcome.rejected(
  "invalid_reference",
  "A txid has 26 to 35 letters and digits."
)

/** What no bank can be asked for; most of them would say so, and some would take it for something else. */
const refusalOf = (charge: NewPspCharge): PspOutcome<never> | undefined => {
  if (!isReference(charge.reference)) return badReference
  if (!isPayable(charge.amount))
    return PspOutcome.rejected("invalid_amount", "The amount cannot be paid by Pix.")
  return Number.isInteger(charge.expiresInSeconds) && charge.expiresInSeconds > 0
    ? undefined
    : PspOutcome.rejected("invalid_expiration", "A charge lasts whole seconds, one at least.")
}
