import { DateTime } from "effect"
import type { DiscrepancyReason } from "../discrepancies/Discrepancy.ts"
import { answersLag } from "../kernel/Waiting.ts"
import type { FindPspRefund, PspOutcome, PspRefund } from "../ports/Psp.ts"
import type { Return } from "./Return.ts"

/** By what its PSP is asked for it. */
export const askedFor = ({ endToEndId, reference }: Return): FindPspRefund => ({
  reference,
  endToEndId
})

/** Whether the PSP answers with another return than it was asked for. That says nothing of this one. */
export const isAnother = ({ reference }: Return, known: PspRefund): boolean =>
  known.reference !== reference

/** Whether the PSP speaks of this return. What moves another amount, or another payment, is not it. */
export const isSame = (money: Return, known: PspRefund): boolean =>
  !isAnother(money, known) && known.endToEndId === money.endToEndId && known.amount === money.amount

/** What the PSP says, asked for a return that has no end, that it does or has done; undefined where it says nothing of the kind. */
export const carriedOut = (
  money: Return,
  outcome: PspOutcome<PspRefund | undefined>
): "processing" | "confirmed" | undefined => {
  const known = outcome._tag === "Done" ? outcome.value : undefined
  return known !== undefined && isSame(money, known) && known.status !== "rejected"
    ? known.status
    : undefined
}

/**
 * What the PSP says now that cannot be, after it or a person said how the return ended. Of what has no end yet it may be
 * older than that, as with payouts and charges: for an hour it contradicts nothing.
 */
export const contradiction = (
  money: Return,
  known: PspRefund | undefined,
  now: DateTime.Utc
): DiscrepancyReason | undefined => {
  if (known !== undefined && isAnother(money, known)) return "reference_mismatch"
  const hasEnd = known !== undefined && known.status !== "processing"
  const mayLag = DateTime.isLessThan(now, DateTime.addDuration(money.updatedAt, answersLag))
  if (!hasEnd && mayLag) return undefined
  if (money.status !== "confirmed") {
    return known !== undefined && known.status !== "rejected" ? "failed_but_paid" : undefined
  }
  // A person who paid by another way knows that the PSP has nothing of it.
  if (known === undefined)
    return money.resolution === undefined ? "completed_but_rejected" : undefined
  if (known.status === "confirmed") return isSame(money, known) ? undefined : "amount_mismatch"
  // What a person calls completed may still be settling at the PSP.
  return known.status === "processing" && money.resolution !== undefined
    ? undefined
    : "completed_but_rejected"
}
