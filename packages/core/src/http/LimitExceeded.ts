import { DateTime } from "effect"
import type { LimitReached } from "../accounts/PeriodLimit.ts"
import type { Centavos } from "../kernel/Money.ts"
import { toBrlNumber, toBrlString } from "../kernel/Money.ts"
import type { Refusal } from "./ErrorEnvelope.ts"

/** What a caller is told who is outside the limits of the account. */
export const limitExceeded = (
  { bound, limit, resetsAt }: LimitReached,
  sentences: Readonly<Record<LimitReached["limit"], (bound: string) => string>>
): Refusal => ({
  message: sentences[limit](toBrlString(bound as Centavos)),
  code: "LIMIT_EXCEEDED",
  details: {
    limit,
    value: toBrlNumber(bound as Centavos),
    ...(resetsAt === undefined ? {} : { resetsAt: DateTime.formatIso(resetsAt) })
  }
})
