import type { DateTime } from "effect"
import { Duration } from "effect"
import type { Account } from "../accounts/Account.ts"
import { counterKey } from "../accounts/PeriodLimit.ts"
import { periods } from "../kernel/CounterPeriod.ts"
import type { Centavos } from "../kernel/Money.ts"
import { bacenAmountMax } from "../kernel/Money.ts"
import type { CounterWrite } from "../units/Unit.ts"

/** The bounds of a charge. Where the spec shows none: decision 0006. */
export const chargeLimits = {
  /** BACEN Pix API: ten digits before the point. */
  amountMax: bacenAmountMax,
  /** pacs.008: remittance information of a PIX. */
  descriptionMax: 140,
  externalReferenceMax: 255,
  customerNameMax: 200,
  emailMax: 254,
  phoneMax: 30,
  metadataKeysMax: 50,
  metadataKeyLengthMax: 40,
  metadataStringMax: 500,
  metadataBytesMax: 16_384,
  splitLegsMax: 20,
  /** Seconds. */
  expiresInMin: 60,
  expiresInDefault: 86_400,
  expiresInMax: 1_209_600,
  /** After so long without the PSP's answer the worker clears an intent up. */
  creatingMax: Duration.minutes(2)
} as const

const limited = (account: Account) =>
  periods.flatMap((period) => {
    const max = account.limits.charge?.[period]
    return max === undefined ? [] : [{ period, max }]
  })

/**
 * Holds a new charge against what the account may still receive in the period, and counts nothing: only what is paid
 * counts, so charges that nobody pays use no limit up (decision 0038).
 */
export const limitChecks = (
  account: Account,
  amount: Centavos,
  at: DateTime.Utc
): ReadonlyArray<CounterWrite> =>
  limited(account).map(({ max, period }) => ({
    key: counterKey("charge", account.id, period, at),
    add: 0n,
    max: max - amount
  }))

/** Counts a payment. It is credited whatever the limits say: the money has arrived. */
export const limitCounts = (
  account: Account,
  amount: Centavos,
  at: DateTime.Utc
): ReadonlyArray<CounterWrite> =>
  limited(account).map(({ period }) => ({
    key: counterKey("charge", account.id, period, at),
    add: amount
  }))
