import { DateTime, Effect } from "effect"
import type { PspCharge, PspOutcome, PspShape } from "../ports/Psp.ts"
import { done } from "../ports/Psp.ts"
import { callPsp } from "../psp-calls/PspCall.ts"
import { isDue } from "./Charge.ts"
import type { LoadedCharge } from "./ChargeBooks.ts"

/** Whether its wallet takes nothing any more. */
export const isOwnerClosed = ({ account, subAccount }: LoadedCharge): boolean =>
  account.value.status === "closed" || subAccount?.value.status === "closed"

/** Whether its time is over at the PSP too. Payments made in time may still be settling there before. */
export const isOver = ({ charge }: LoadedCharge, psp: PspShape, at: DateTime.Utc): boolean =>
  isDue(charge.value, DateTime.subtractDuration(at, psp.capabilities.settlementLag))

/**
 * What the PSP says of a charge whose time is over. It is told to take the charge back, so that nobody pays it any more;
 * where it has, and shows no payment, that is the answer (decision 0102). Otherwise it is asked.
 */
export const takeBack = Effect.fnUntraced(function* (
  psp: PspShape,
  reference: string
): Effect.fn.Return<PspOutcome<PspCharge | undefined>> {
  const told = yield* callPsp("cancelCharge", psp.cancelCharge(reference), reference)
  if (told._tag === "Done" && told.value.status === "removed" && told.value.payments.length === 0)
    return told
  return both(told, yield* callPsp("findCharge", psp.findCharge(reference), reference))
})

/**
 * What a PSP says when it was told to take a charge back, and asked then. The answer to the question decides, but it may be
 * the older one: a payment that either shows was made.
 */
export const both = (
  told: PspOutcome<PspCharge>,
  asked: PspOutcome<PspCharge | undefined>
): PspOutcome<PspCharge | undefined> => {
  return asked._tag === "Done" ? done(shownByEither(told, asked.value)) : asked
}

/** The same where the question is answered already. */
export const shownByEither = (
  told: PspOutcome<PspCharge>,
  known: PspCharge | undefined
): PspCharge | undefined => {
  if (told._tag !== "Done" || told.value.payments.length === 0) return known
  if (known === undefined) return told.value
  const shown = new Set(known.payments.map(({ endToEndId }) => endToEndId))
  const others = told.value.payments.filter(({ endToEndId }) => !shown.has(endToEndId))
  return { ...known, payments: [...known.payments, ...others] }
}
