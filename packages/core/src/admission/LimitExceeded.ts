import { DateTime } from "effect"
import type { LimitReached } from "../accounts/PeriodLimit.ts"
import type { Centavos } from "../kernel/Money.ts"
import { toBrlNumber, toBrlString } from "../kernel/Money.ts"
import type { Refusal } from "../http/ErrorEnvelope.ts"

/** What a caller is told who is outside the limits of the account. */
export const limitExceeded = (
  { bound, limit, period, requested }: LimitReached,
  sentences: Readonly<Record<LimitReached["limit"], (bound: string) => string>>
): Refusal => {
  const sentence = sentences[limit](toBrlString(bound as Centavos))
  const details = { limit, value: brl(bound), requested: brl(requested) }
  if (period === undefined) return { message: sentence, code: "LIMIT_EXCEEDED", details }
  const { used } = period
  const remaining = used < bound ? bound - used : 0n
  const resetsAt = DateTime.formatIso(period.resetsAt)
  return {
    message: `${sentence} ${toBrlString(used as Centavos)} BRL are used, ${toBrlString(remaining as Centavos)} BRL are left until ${resetsAt}.`,
    code: "LIMIT_EXCEEDED",
    details: { ...details, used: brl(used), remaining: brl(remaining), resetsAt }
  }
}

const brl = (amount: bigint): number => toBrlNumber(amount as Centavos)
