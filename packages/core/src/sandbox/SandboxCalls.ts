import { DateTime, Effect, Result } from "effect"
import * as BrCode from "../kernel/BrCode.ts"
import type { PspCredentialId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { bacenAmountMax } from "../kernel/Money.ts"
import * as TxId from "../kernel/TxId.ts"
import type { NewPspCharge, PspCharge, PspOutcome, PspShape } from "../ports/Psp.ts"
import { done } from "../ports/Psp.ts"
import type { StorageError } from "../ports/Refused.ts"
import { remove, SandboxCharge, toPspCharge } from "./SandboxCharge.ts"
import type { SandboxCharges } from "./SandboxCharges.ts"
import type { SandboxOperation } from "./SandboxFault.ts"
import { misquote } from "./SandboxFault.ts"
import type { SandboxFaults } from "./SandboxFaults.ts"

/** Who receives the money, as the BR Codes say. */
export interface SandboxMerchant {
  readonly merchantName: string
  readonly merchantCity: string
}

/** The three calls of the PSP's side, each of which the faults may spoil. */
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
      if (refused !== undefined) return refused
      const { amount, expiresInSeconds, reference } = asked
      const pixCopyPaste = yield* Effect.orDie(
        Effect.fromResult(brCode(merchant, reference, amount))
      )
      const charge = yield* charges.open(
        reference,
        (id, now) =>
          new SandboxCharge({
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
      )
      return charge === undefined
        ? rejected("REFERENCE_TAKEN", "Another receiver has a charge under this reference.")
        : done(toPspCharge(charge))
    })

  const find = (reference: string) =>
    Effect.map(charges.find(reference), (found) =>
      done(found === undefined ? undefined : toPspCharge(found.value))
    )

  const cancel = (reference: string) =>
    Effect.map(
      charges.change(reference, (charge) => Effect.succeed({ charge: remove(charge) })),
      (found) =>
        found === undefined
          ? rejected("NOT_FOUND", "There is no charge under this reference.")
          : done(toPspCharge(found.value))
    )

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

/** Does it, except where a fault gets in the way, and answers what the faults leave of the answer. */
const spoiled = Effect.fnUntraced(function* <A>(
  faults: SandboxFaults,
  operation: SandboxOperation,
  doing: Effect.Effect<PspOutcome<A>, StorageError>,
  lieAbout: (answer: A) => A | undefined = () => undefined
): Effect.fn.Return<PspOutcome<A>> {
  if ((yield* faults.strike(operation, "dropRequest")) !== undefined) {
    return unknown("The request was lost on its way.")
  }
  const outcome = yield* doing.pipe(
    Effect.catchTag("StorageError", (error) => Effect.succeed(trouble(error))),
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logError("The sandbox PSP died", defect), unknown("The PSP broke down."))
    )
  )
  const lie = outcome._tag === "Done" ? lieAbout(outcome.value) : undefined
  const isLie = lie !== undefined && (yield* faults.strike(operation, "lie")) !== undefined
  const delay = yield* faults.strike(operation, "delay")
  if (delay !== undefined) yield* Effect.sleep(`${delay.delaySeconds ?? 1} seconds`)
  const lost = yield* faults.strike(operation, "dropAnswer", "errorAfterDoing")
  if (lost?.kind === "dropAnswer") return unknown("The answer was lost on its way.")
  if (lost !== undefined) return unknown("The PSP answered 500 Internal Server Error.")
  return isLie ? done(lie) : outcome
})

/** The dynamic code of a charge; `merchant` is what can make it refuse. */
export const brCode = (merchant: SandboxMerchant, reference: string, amount: Centavos) =>
  BrCode.build({
    kind: "dynamic",
    use: "single",
    location: `pix.example.com/qr/v2/${reference}`,
    amount,
    ...merchant
  })

const misquoted = (charge: PspCharge): PspCharge => ({ ...charge, amount: misquote(charge.amount) })

const unpaid = (charge: PspCharge | undefined): PspCharge | undefined =>
  charge === undefined || charge.payments.length === 0
    ? undefined
    : { ...charge, status: charge.status === "paid" ? "active" : charge.status, payments: [] }

const rejected = (code: string, message: string): PspOutcome<never> => ({
  _tag: "Rejected",
  code,
  message
})

const unknown = (detail: string): PspOutcome<never> => ({ _tag: "Unknown", detail })

/** The book is where the PSP keeps what it did: where nothing was written, nothing was done. */
const trouble = (error: StorageError): PspOutcome<never> =>
  error.reason === "OutcomeUnknown"
    ? unknown("The PSP does not know whether it did it.")
    : { _tag: "NotSent", detail: `The PSP could not be reached (${error.reason}).` }

const refusalOf = (charge: NewPspCharge): PspOutcome<never> | undefined => {
  if (Result.isFailure(TxId.parse(charge.reference))) {
    return rejected("INVALID_REFERENCE", "The reference must have 26 to 35 letters and digits.")
  }
  if (charge.amount < 1n || charge.amount > bacenAmountMax) {
    return rejected("INVALID_AMOUNT", "The amount must be 0.01 to 9999999999.99.")
  }
  // 32 bits in the Pix API.
  const isWhole = Number.isInteger(charge.expiresInSeconds)
  return isWhole && charge.expiresInSeconds > 0 && charge.expiresInSeconds < 2 ** 31
    ? undefined
    : rejected("INVALID_EXPIRY", "A charge must last 1 to 2147483647 seconds.")
}
