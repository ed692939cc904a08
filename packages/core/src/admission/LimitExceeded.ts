import { DateTime } from "effect"
import type { LimitReached } from "../accounts/PeriodLimit.ts"
import { max, minus, toBrlNumber, toBrlString, zero } from "../kernel/Money.ts"
import type { Refusal } from "../http/ErrorEnvelope.ts"

/** What a caller is told who is outside the limits of the account. */
export const limitExceeded = (
  { bound, limit, period, requested }: LimitReached,
  sentences: Readonly<Record<LimitReached["limit"], (bound: string) => string>>
): Refusal => {
  const sentence = sentences[limit](toBrlString(bound))
  const details = { limit, value: toBrlNumber(bound), requested: toBrlNumber(requested) }
  if (period === undefined) return { message: sentence, code: "LIMIT_EXCEEDED", details }
  const { used } = period
  const remaining = max(minus(bound, used), zero)
  const resetsAt = DateTime.formatIso(period.resetsAt)
  return {
    message: `${sentence} ${toBrlString(used)} BRL are used, ${toBrlString(remaining)} BRL are left until ${resetsAt}.`,
    code: "LIMIT_EXCEEDED",
    details: { ...details, used: toBrlNumber(used), remaining: toBrlNumber(remaining), resetsAt }
  }
}
