import { Effect } from "effect"
import type { Block } from "../blocks/Block.ts"
import { isOpen } from "../blocks/Block.ts"
import type { InfractionBlocks } from "../blocks/InfractionBlocks.ts"
import type { ChargeId } from "../kernel/Ids.ts"
import * as TxId from "../kernel/TxId.ts"
import type { PspReceived, PspShape } from "../ports/Psp.ts"
import { callPsp } from "../psp-calls/PspCall.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import type { StorageError } from "../units/Refused.ts"
import type { ReportReads } from "./ReportReads.ts"
import type { Known, KnownBlock } from "./ReportVerdict.ts"

/** What is asked beside what a report is about, before it comes to an end that a late answer would have prevented. */
interface Asking {
  readonly blocks: InfractionBlocks["Service"]
  readonly time: ServiceTime["Service"]
}

/**
 * Before a payment goes into suspense its charge is asked about here: its own look may be late, as that of this report is where
 * the PSP, or this service, was away.
 */
export const chargeAsked = Effect.fnUntraced(function* (
  known: Known,
  {
    isLast,
    payment: { endToEndId },
    psp
  }: { readonly psp: PspShape; readonly payment: PspReceived; readonly isLast: boolean }
): Effect.fn.Return<Known> {
  const { charge } = known
  if (charge === undefined || !isLast) return known
  const reference = TxId.fromUuid(charge.id)
  const outcome = yield* callPsp("findCharge", psp.findCharge(reference), reference)
  if (outcome._tag !== "Done") return known
  const { payments = [] } = outcome.value ?? {}
  const isShown = payments.some((payment) => payment.endToEndId === endToEndId)
  return { ...known, charge: { ...charge, isShown } }
})

/** Which of several infractions about a payment its PSP has accepted: they bear first what it gives back (decision 0111). */
export const acceptedOf = Effect.fnUntraced(function* (
  { blocks, time }: Asking,
  psp: PspShape,
  charge: ChargeId
): Effect.fn.Return<Required<Pick<Known, "accepted" | "isUntold">> | undefined, StorageError> {
  const claims = yield* blocks.claimsOn(charge)
  const reported = (claims?.blocks ?? []).flatMap(({ value }) =>
    isOpen(value) && value.infraction !== undefined ? [value.infraction] : []
  )
  const find = psp.findInfraction?.bind(psp)
  if (find === undefined || reported.length < 2) return undefined
  const accepted = new Set<string>()
  let isUntold = false
  for (const id of reported) {
    const outcome = yield* callPsp("findInfraction", find(id, yield* time.now))
    if (outcome._tag !== "Done") isUntold = true
    else if (outcome.value?.status === "accepted") accepted.add(id)
  }
  return { accepted, isUntold }
})

/** What its PSP has given back of a payment, and is not booked, as its own look may come later than this one. */
export const restOf = Effect.fnUntraced(function* (
  { returnsOf }: ReportReads,
  psp: PspShape,
  { e2eId, pspCredentialId }: Block
): Effect.fn.Return<NonNullable<KnownBlock["rest"]>, StorageError> {
  const find = psp.findPayment?.bind(psp)
  if (find === undefined) return "none"
  const outcome = yield* callPsp("findPayment", find(e2eId))
  if (outcome._tag !== "Done") return "untold"
  if (outcome.value?.endToEndId !== e2eId) return "none"
  const known = yield* returnsOf(pspCredentialId, outcome.value)
  const others = outcome.value.returns.filter(({ reference }) => !known.has(reference))
  if (others.some(({ status }) => status === "confirmed")) return "shown"
  return others.some(({ status }) => status === "processing") ? "untold" : "none"
})
