import { DateTime } from "effect"
import type { DiscrepancyReason } from "../discrepancies/Discrepancy.ts"
import { answersLag } from "../kernel/Waiting.ts"
import type { PspCharge } from "../ports/Psp.ts"
import type { Charge } from "./Charge.ts"

/**
 * How a PSP contradicts the payment that a charge was booked by: it does not know it any more, or knows another amount.
 * Undefined where it does not, or where nothing was booked.
 */
export const contradiction = (
  { amount, e2eId, updatedAt }: Charge,
  known: PspCharge | undefined,
  now: DateTime.Utc
): DiscrepancyReason | undefined => {
  if (e2eId === undefined) return undefined
  const payment = (known?.payments ?? []).find(({ endToEndId }) => endToEndId === e2eId)
  if (payment !== undefined) return payment.amount === amount ? undefined : "amount_mismatch"
  const mayLag = DateTime.isLessThan(now, DateTime.addDuration(updatedAt, answersLag))
  return mayLag ? undefined : "payment_gone"
}
