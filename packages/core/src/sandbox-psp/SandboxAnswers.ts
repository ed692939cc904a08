import { Effect, Result, Schema } from "effect"
import type { Centavos } from "../kernel/Money.ts"
import { bacenAmountMax } from "../kernel/Money.ts"
import * as TxId from "../kernel/TxId.ts"
import { done, PspOutcome } from "../ports/Psp.ts"
import type { StorageError } from "../units/Refused.ts"
import type { SandboxOperation } from "./SandboxFault.ts"
import type { SandboxFaults } from "./SandboxFaults.ts"
import { safeDefect } from "../telemetry/SafeCause.ts"

/** The simulated PSP will not do it and has not done it. */
export class SandboxRejected extends Schema.TaggedError<SandboxRejected>()("SandboxRejected", {
  code: Schema.String,
  message: Schema.String
}) {}

export const reject = (code: string, message: string) => new SandboxRejected({ code, message })

/** What asks for something to be done, so that it can be refused. */
const refusable: ReadonlySet<SandboxOperation> = new Set([
  "createCharge",
  "cancelCharge",
  "sendPayout",
  "refund",
  "defendInfraction"
])

/** What can be done and answered as if it were refused. */
const deniable: ReadonlySet<SandboxOperation> = new Set(["createCharge", "sendPayout", "refund"])

const refusedByFault = {
  _tag: "Rejected",
  code: "REFUSED",
  message: "A fault makes the PSP refuse this."
} as const

/** Does it, except where a fault gets in the way, and answers what the faults leave of the answer. */
export const spoiled = Effect.fnUntraced(function* <A>(
  faults: SandboxFaults,
  operation: SandboxOperation,
  doing: Effect.Effect<A, SandboxRejected | StorageError>,
  lieAbout: (answer: A) => PspOutcome<A> | undefined = () => undefined
): Effect.fn.Return<PspOutcome<A>> {
  if ((yield* faults.strike(operation, "dropRequest")) !== undefined) {
    return unknown("The request was lost on its way.")
  }
  if (refusable.has(operation) && (yield* faults.strike(operation, "refuse")) !== undefined) {
    return refusedByFault
  }
  const closed = yield* faults.strike(operation, "notNow")
  if (closed !== undefined)
    return PspOutcome.notNow(
      "The PSP takes no requests now.",
      `${closed.delaySeconds ?? 1} seconds`
    )
  const outcome = yield* doing.pipe(
    Effect.map(done),
    Effect.catchTag("SandboxRejected", ({ code, message }) =>
      Effect.succeed<PspOutcome<A>>({ _tag: "Rejected", code, message })
    ),
    Effect.catchTag("StorageError", (error) => Effect.succeed<PspOutcome<A>>(trouble(error))),
    Effect.catchDefect((defect) =>
      Effect.as(
        Effect.logError("The sandbox PSP died", safeDefect(defect)),
        unknown("The PSP broke down.")
      )
    )
  )
  const lie = outcome._tag === "Done" ? lieAbout(outcome.value) : undefined
  const isLie = lie !== undefined && (yield* faults.strike(operation, "lie")) !== undefined
  const delay = yield* faults.strike(operation, "delay")
  if (delay !== undefined) yield* Effect.sleep(`${delay.delaySeconds ?? 1} seconds`)
  const lost = yield* faults.strike(operation, "dropAnswer", "errorAfterDoing")
  if (lost?.kind === "dropAnswer") return unknown("The answer was lost on its way.")
  if (lost !== undefined) return unknown("The PSP answered 500 Internal Server Error.")
  const isDenied =
    outcome._tag === "Done" &&
    deniable.has(operation) &&
    (yield* faults.strike(operation, "refuseAfterDoing")) !== undefined
  if (isDenied) return refusedByFault
  return isLie ? lie : outcome
})

/** The lie that there is nothing under a reference. */
export const nothingThere = <A>(answer: A | undefined): PspOutcome<A | undefined> | undefined =>
  answer === undefined ? undefined : done(undefined)

export const referenceRefusal = (reference: string): SandboxRejected | undefined =>
  Result.isFailure(TxId.parse(reference))
    ? reject("INVALID_REFERENCE", "The reference must have 26 to 35 letters and digits.")
    : undefined

export const amountRefusal = (amount: Centavos): SandboxRejected | undefined =>
  amount < 1n || amount > bacenAmountMax
    ? reject("INVALID_AMOUNT", "The amount must be 0.01 to 9999999999.99.")
    : undefined

const unknown = (detail: string): PspOutcome<never> => ({ _tag: "Unknown", detail })

/** The book is where the PSP keeps what it did: where nothing was written, nothing was done. */
const trouble = (error: StorageError): PspOutcome<never> =>
  error.reason === "OutcomeUnknown"
    ? unknown("The PSP does not know whether it did it.")
    : { _tag: "NotSent", detail: `The PSP could not be reached (${error.reason}).` }
