import { DateTime, Effect } from "effect"
import * as BrCode from "../kernel/BrCode.ts"
import type { PspCredentialId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { NewPspCharge, PspCharge, PspOutcome, PspShape } from "../ports/Psp.ts"
import { done } from "../ports/Psp.ts"
import type { SandboxRejected } from "./SandboxAnswers.ts"
import { amountRefusal, referenceRefusal, reject, spoiled } from "./SandboxAnswers.ts"
import { remove, SandboxCharge, toPspCharge } from "./SandboxCharge.ts"
import type { SandboxCharges } from "./SandboxCharges.ts"
import { misquote } from "./SandboxFault.ts"
import type { SandboxFaults } from "./SandboxFaults.ts"

/** Who receives the money, as the BR Codes say. */
export interface SandboxMerchant {
  readonly merchantName: string
  readonly merchantCity: string
}

/** The calls about charges, each of which the faults may spoil. */
export const makeCalls = (options: {
  readonly credential: PspCredentialId
  readonly merchant: SandboxMerchant
  readonly charges: SandboxCharges
  readonly faults: SandboxFaults
}): Pick<PspShape, "createCharge" | "findCharge" | "cancelCharge"> => {
  const { charges, credential, faults, merchant } = options

  const open = (asked: NewPspCharge) =>
    Effect.gen(function* () {
      const refused = refusalOf(asked)
      if (refused !== undefined) return yield* refused
      const { amount, expiresInSeconds, reference } = asked
      const pixCopyPaste = yield* Effect.orDie(
        Effect.fromResult(brCode(merchant, reference, amount))
      )
      const charge = yield* charges.open(reference, (id, now) =>
        Effect.succeed({
          entry: new SandboxCharge({
            id,
            credential,
            reference,
            status: "active",
            amount,
            pixCopyPaste,
            createdAt: now,
            expiresAt: DateTime.add(now, { seconds: expiresInSeconds }),
            payments: []
          })
        })
      )
      return toPspCharge(charge)
    })

  const find = (reference: string) =>
    Effect.map(charges.find(reference), (found) =>
      // What was paid to the key itself is no charge.
      found === undefined || found.value.isDirect === true ? undefined : toPspCharge(found.value)
    )

  const cancel = (reference: string) =>
    Effect.gen(function* () {
      const found = yield* charges.change(reference, (charge) =>
        Effect.succeed({ entry: remove(charge) })
      )
      return found === undefined
        ? yield* reject("NOT_FOUND", "There is no charge under this reference.")
        : toPspCharge(found.value)
    })

  return {
    createCharge: Effect.fn("SandboxPsp.createCharge")((charge) =>
      spoiled<PspCharge>(faults, "createCharge", open(charge), misquoted)
    ),
    findCharge: Effect.fn("SandboxPsp.findCharge")((reference) =>
      spoiled<PspCharge | undefined>(faults, "findCharge", find(reference), unpaid)
    ),
    cancelCharge: Effect.fn("SandboxPsp.cancelCharge")((reference) =>
      spoiled<PspCharge>(faults, "cancelCharge", cancel(reference))
    )
  }
}

/** The dynamic code of a charge; `merchant` is what can make it refuse. */
export const brCode = (merchant: SandboxMerchant, reference: string, amount: Centavos) =>
  BrCode.build({
    kind: "dynamic",
    use: "single",
    location: `pix.example.com/qr/v2/${reference}`,
    amount,
    ...merchant
  })

const misquoted = (charge: PspCharge) => done({ ...charge, amount: misquote(charge.amount) })

const unpaid = (charge: PspCharge | undefined): PspOutcome<PspCharge | undefined> | undefined =>
  charge === undefined || charge.payments.length === 0
    ? undefined
    : done({
        ...charge,
        status: charge.status === "paid" ? "active" : charge.status,
        payments: []
      })

const refusalOf = (charge: NewPspCharge): SandboxRejected | undefined => {
  const refused = referenceRefusal(charge.reference) ?? amountRefusal(charge.amount)
  if (refused !== undefined) return refused
  // 32 bits in the Pix API.
  const isWhole = Number.isInteger(charge.expiresInSeconds)
  return isWhole && charge.expiresInSeconds > 0 && charge.expiresInSeconds < 2 ** 31
    ? undefined
    : reject("INVALID_EXPIRY", "A charge must last 1 to 2147483647 seconds.")
}
