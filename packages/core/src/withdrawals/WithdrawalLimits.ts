import { DateTime, Duration } from "effect"
import type { Account } from "../accounts/Account.ts"
import type { AccountId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { CounterWrite } from "../ports/Unit.ts"

/** The bounds of a withdrawal, and how its PSP is asked. Where the spec shows none: decision 0018. */
export const withdrawalLimits = {
  externalReferenceMax: 255,
  holderNameMax: 200,
  /** A key of the DICT has at most 77 characters; people add punctuation. */
  pixKeyMax: 100,
  /** A request to the PSP leaves within so long of its intent, or not at all. */
  sendWithin: Duration.seconds(5),
  /** How often a payout must not be found, at a time when that is final, to count as never made. */
  notFoundTimes: 3,
  /** After so long without a word from the PSP the operator decides. */
  unknownMax: Duration.hours(24),
  /** How long to wait before the PSP is asked again: half of what passed since it was told, between these. */
  askAgainMin: Duration.seconds(1),
  askAgainMax: Duration.minutes(5)
} as const

/** The periods that limits sum over go by the calendar of the Central Bank. */
const zone = DateTime.zoneMakeNamedUnsafe("America/Sao_Paulo")

export const periods = ["daily", "monthly"] as const
export type Period = (typeof periods)[number]

const units = { daily: "day", monthly: "month" } as const

/** The counter of an account's withdrawals in the period around an instant. All its wallets count together. */
export const counterKey = (account: AccountId, period: Period, at: DateTime.Utc): string => {
  const date = DateTime.formatIsoDate(DateTime.setZone(at, zone))
  const name = period === "daily" ? date : date.slice(0, "2026-11".length)
  return `withdrawal/${account}/${period}/${name}`
}

/** When the counter of the period around an instant begins anew. */
export const resetOf = (period: Period, at: DateTime.Utc): DateTime.Utc => {
  const start = DateTime.startOf(DateTime.setZone(at, zone), units[period])
  const next = period === "daily" ? { days: 1 } : { months: 1 }
  return DateTime.toUtc(DateTime.add(start, next))
}

/**
 * Counts an accepted withdrawal, up to what the account's limits allow. It is counted without limits too, so that a
 * limit that is set today knows what was withdrawn before it.
 */
export const counted = (
  account: Account,
  amount: Centavos,
  at: DateTime.Utc
): ReadonlyArray<CounterWrite> =>
  periods.map((period) => {
    const max = account.limits.withdrawal?.[period]
    const key = counterKey(account.id, period, at)
    return { key, add: amount, ...(max === undefined ? {} : { max }) }
  })

/** Takes a withdrawal that came to nothing out of the counters of the time when it was accepted. */
export const uncounted = (
  account: AccountId,
  amount: Centavos,
  at: DateTime.Utc
): ReadonlyArray<CounterWrite> =>
  periods.map((period) => ({
    key: counterKey(account, period, at),
    add: -amount as Centavos
  }))
