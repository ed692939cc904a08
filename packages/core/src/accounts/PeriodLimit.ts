import { DateTime, Schema } from "effect"
import type { AccountId } from "../kernel/Ids.ts"
import type { Account } from "./Account.ts"

/** What an account's limits bound. */
export type LimitedOperation = keyof Account["limits"]

/** The operation is outside what the account may do: `bound` is in centavos. */
export class LimitReached extends Schema.TaggedError<LimitReached>()("LimitReached", {
  limit: Schema.Literals(["min", "max", "daily", "monthly"]),
  bound: Schema.BigInt,
  resetsAt: Schema.optionalKey(Schema.DateTimeUtc)
}) {}

/** The periods that limits sum over go by the calendar of the Central Bank. */
const zone = DateTime.zoneMakeNamedUnsafe("America/Sao_Paulo")

export const periods = ["daily", "monthly"] as const
export type Period = (typeof periods)[number]

const units = { daily: "day", monthly: "month" } as const

/** The counter of an account's operations in the period around an instant. All its wallets count together. */
export const counterKey = (
  operation: LimitedOperation,
  account: AccountId,
  period: Period,
  at: DateTime.Utc
): string => {
  const date = DateTime.formatIsoDate(DateTime.setZone(at, zone))
  const name = period === "daily" ? date : date.slice(0, "2026-11".length)
  return `${operation}/${account}/${period}/${name}`
}

/** When the counter of the period around an instant begins anew. */
export const resetOf = (period: Period, at: DateTime.Utc): DateTime.Utc => {
  const start = DateTime.startOf(DateTime.setZone(at, zone), units[period])
  const next = period === "daily" ? { days: 1 } : { months: 1 }
  return DateTime.toUtc(DateTime.add(start, next))
}

/** The limit that a full counter stands for. */
export const reachedBy = (
  operation: LimitedOperation,
  account: Account,
  key: string,
  at: DateTime.Utc
): LimitReached => {
  const limit =
    periods.find((period) => key === counterKey(operation, account.id, period, at)) ?? "daily"
  const bound = account.limits[operation]?.[limit] ?? 0n
  return new LimitReached({ limit, bound, resetsAt: resetOf(limit, at) })
}
