import { DateTime, Schema } from "effect"
import type { AccountId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { Period } from "../kernel/CounterPeriod.ts"
import { inZone, nameOf, periods } from "../kernel/CounterPeriod.ts"
import type { Account } from "./Account.ts"

/** What an account's limits bound. */
export type LimitedOperation = keyof Account["limits"]

/** The operation is outside what the account may do. Amounts are in centavos. */
export class LimitReached extends Schema.TaggedError<LimitReached>()("LimitReached", {
  limit: Schema.Literals(["min", "max", "daily", "monthly"]),
  bound: Schema.BigInt,
  requested: Schema.BigInt,
  /** Of a limit over a period: what counts to it already, and when it begins anew. */
  period: Schema.optionalKey(Schema.Struct({ used: Schema.BigInt, resetsAt: Schema.DateTimeUtc }))
}) {}

/** What one operation breaks by itself; sums over a day or month are the counters'. */
export const limitBrokenBy = (
  operation: LimitedOperation,
  account: Account,
  requested: Centavos
): LimitReached | undefined => {
  const limits = account.limits[operation]
  if (limits?.min !== undefined && requested < limits.min)
    return new LimitReached({ limit: "min", bound: limits.min, requested })
  return limits?.max !== undefined && requested > limits.max
    ? new LimitReached({ limit: "max", bound: limits.max, requested })
    : undefined
}

const units = { daily: "day", monthly: "month" } as const

/** The counter of an account's operations in the period around an instant. All its wallets count together. */
export const counterKey = (
  operation: LimitedOperation,
  account: AccountId,
  period: Period,
  at: DateTime.Utc
): string => `${operation}/${account}/${period}/${nameOf(period, at)}`

/** When the counter of the period around an instant begins anew. */
export const resetOf = (period: Period, at: DateTime.Utc): DateTime.Utc => {
  const start = DateTime.startOf(inZone(at), units[period])
  const next = period === "daily" ? { days: 1 } : { months: 1 }
  return DateTime.toUtc(DateTime.add(start, next))
}

/** The limit that a full counter stands for. */
export const reachedBy = (
  operation: LimitedOperation,
  account: Account,
  { key, used }: { readonly key: string; readonly used: bigint },
  { at, requested }: { readonly at: DateTime.Utc; readonly requested: Centavos }
): LimitReached => {
  const limit =
    periods.find((period) => key === counterKey(operation, account.id, period, at)) ?? "daily"
  const bound = account.limits[operation]?.[limit] ?? 0n
  const period = { used, resetsAt: resetOf(limit, at) }
  return new LimitReached({ limit, bound, requested, period })
}
