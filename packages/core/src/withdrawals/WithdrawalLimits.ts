import type { DateTime } from "effect"
import { Duration } from "effect"
import type { Account } from "../accounts/Account.ts"
import { counterKey } from "../accounts/PeriodLimit.ts"
import type { AccountId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { periods } from "../kernel/CounterPeriod.ts"
import { present } from "../kernel/Present.ts"
import type { CounterWrite } from "../units/Unit.ts"

/** The bounds of a withdrawal, and how its PSP is asked. Where the spec shows none: decision 0017. */
export const withdrawalLimits = {
  externalReferenceMax: 255,
  holderNameMax: 200,
  /** A key of the DICT has at most 77 characters; people add punctuation. */
  pixKeyMax: 100,
  /** After so long without a word from the PSP the operator decides. */
  unknownMax: Duration.hours(24),
  /** How long to wait before the PSP is asked again: half of what passed since it was told, between these. */
  askAgainMin: Duration.seconds(1),
  askAgainMax: Duration.minutes(5),
  /** How long to wait before what the PSP refused for want of money is sent again: at first, and at last. */
  refusedAgainMin: Duration.minutes(1),
  refusedAgainMax: Duration.minutes(15)
} as const

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
    const key = counterKey("withdrawal", account.id, period, at)
    return { key, add: amount, ...present({ max }) }
  })

/** Takes a withdrawal that came to nothing out of the counters of the time when it was accepted. */
export const uncounted = (
  account: AccountId,
  amount: Centavos,
  at: DateTime.Utc
): ReadonlyArray<CounterWrite> =>
  periods.map((period) => ({
    key: counterKey("withdrawal", account, period, at),
    add: -amount
  }))
