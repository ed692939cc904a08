import { Schema } from "effect"
import type { Centavos } from "../kernel/Money.ts"

export const sandboxOperations = [
  "createCharge",
  "findCharge",
  "cancelCharge",
  "sendPayout",
  "findPayout",
  "refund",
  "findRefund",
  "findPayment",
  "listPayments",
  "confirmPayer",
  "findInfraction",
  "listInfractions",
  "defendInfraction",
  "notify"
] as const
export type SandboxOperation = (typeof sandboxOperations)[number]

/**
 * What the simulated PSP can do wrong. A kind strikes only where it means something:
 *
 * - `dropRequest`: the call never arrives: nothing is done, and the answer is `Unknown`. A notice is lost on its
 *   way; the PSP knows that it was not accepted and sends it again like any other such notice.
 * - `dropAnswer`: all is done, but the answer is lost. A notice is received, but the PSP does not learn it, so it
 *   sends it again later.
 * - `errorAfterDoing`: all is done, and the answer is an error 500. A notice: as `dropAnswer`.
 * - `delay`: the answer comes `delaySeconds` late (1 by default) on the real clock. A notice goes out that much
 *   later, in the background: the payer does not wait for it.
 * - `duplicate` (notices): it goes out two or three times.
 * - `reorder` (notices): it waits until a later notice has gone first, at most `delaySeconds` (5
 *   by default).
 * - `lie`: `createCharge` answers another amount than was asked for; `findCharge` says of a paid charge that
 *   nobody paid; `findPayout`, `findRefund`, `findPayment` and `findInfraction` say that there is nothing under the name
 *   although there is; `listPayments` says that nothing was received, `listInfractions` that nothing was reported, and
 *   `confirmPayer` the opposite of what is so; a notice tells another amount than was paid, sent or returned.
 * - `refuse`: `createCharge`, `cancelCharge`, `sendPayout`, `refund` and `defendInfraction` are definitely refused, and nothing is done;
 * - `notNow`: nothing is done, and the answer is to come again after `delaySeconds` (1 by default);
 * - `refuseAfterDoing`: `createCharge`, `sendPayout` and `refund` are done, and the answer is that they are refused: what
 *   failed is paid later;
 * - `answerAnother`: `sendPayout` and `findPayout` answer with the oldest other payout, where there is one;
 * - `forget` (notices): it does not arrive, and the PSP takes it for accepted: it is never sent again.
 */
export const sandboxFaultKinds = [
  "delay",
  "dropRequest",
  "dropAnswer",
  "duplicate",
  "reorder",
  "errorAfterDoing",
  "lie",
  "refuse",
  "notNow",
  "refuseAfterDoing",
  "answerAnother",
  "forget"
] as const
export type SandboxFaultKind = (typeof sandboxFaultKinds)[number]

export const SandboxFault = Schema.Struct({
  /** Absent: every operation where the kind means something. */
  operation: Schema.optionalKey(Schema.Literals(sandboxOperations)),
  kind: Schema.Literals(sandboxFaultKinds),
  /** Of each strike; absent: always. */
  probability: Schema.optionalKey(
    Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
  ),
  /** How often it still strikes; absent: for ever. */
  times: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))),
  delaySeconds: Schema.optionalKey(
    Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 60 }))
  )
})
export type SandboxFault = typeof SandboxFault.Type

/** What a lie makes of an amount. */
export const misquote = (amount: Centavos): Centavos => (amount + 1n) as Centavos
