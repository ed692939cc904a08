import type { DateTime } from "effect"
import type { Account } from "../accounts/Account.ts"
import { counterKey } from "../accounts/PeriodLimit.ts"
import type { Centavos } from "../kernel/Money.ts"
import { periods } from "../kernel/CounterPeriod.ts"
import type { CounterWrite } from "../units/Unit.ts"

const limited = (account: Account) =>
  periods.flatMap((period) => {
    const max = account.limits.charge?.[period]
    return max === undefined ? [] : [{ period, max }]
  })

/**
 * Holds a new charge against what the account may still receive in the period, and counts nothing: only what is paid
 * counts, so charges that nobody pays use no limit up (decision 0040).
 */
export const room = (
  account: Account,
  amount: Centavos,
  at: DateTime.Utc
): ReadonlyArray<CounterWrite> =>
  limited(account).map(({ max, period }) => ({
    key: counterKey("charge", account.id, period, at),
    add: 0n as Centavos,
    max: (max - amount) as Centavos
  }))

/** Counts a payment. It is credited whatever the limits say: the money has arrived. */
export const received = (
  account: Account,
  amount: Centavos,
  at: DateTime.Utc
): ReadonlyArray<CounterWrite> =>
  limited(account).map(({ period }) => ({
    key: counterKey("charge", account.id, period, at),
    add: amount
  }))
