import type { BankCharges } from "./BankCharges.ts"
import type { ChargeLies } from "./BankChargeLies.ts"
import { chargeLies } from "./BankChargeLies.ts"
import { lateLies } from "./BankLie.ts"
import type { MoneyLies } from "./BankMoneyLies.ts"
import { moneyLies } from "./BankMoneyLies.ts"
import type { BankPayouts } from "./BankPayouts.ts"
import type { BankReturns } from "./BankReturns.ts"
import type { BankVault } from "./BankVault.ts"

/** The lies that can be told in answer to each call. */
export interface BankLies extends ChargeLies, MoneyLies {}

export const makeLies = (
  vault: BankVault,
  books: {
    readonly charges: BankCharges
    readonly payouts: BankPayouts
    readonly returns: BankReturns
  }
): BankLies => {
  const late = lateLies(vault)
  return { ...chargeLies(vault, books.charges, late), ...moneyLies(vault, books, late) }
}
