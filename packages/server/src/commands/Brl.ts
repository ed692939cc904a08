import { Money } from "@pagora/core"
import { Result } from "effect"

/** An amount of the wire as people of Brazil read it: 1234.56 is R$ 1.234,56. */
export const shownBrl = (amount: number): string => {
  const [reais = "", centavos = ""] = Math.abs(amount).toFixed(2).split(".")
  const grouped = reais.replace(/\B(?=(\d{3})+$)/gu, ".")
  return `${amount < 0 ? "-" : ""}R$ ${grouped},${centavos}`
}

/** An amount as it is typed, such as 10.50, read from its text; with a sign where money may be taken away. */
export const readBrl = (
  text: string,
  options: { readonly isSigned?: boolean } = {}
): Result.Result<number, string> => {
  const isNegative = options.isSigned === true && text.startsWith("-")
  return Money.parseBrl(isNegative ? text.slice(1) : text).pipe(
    Result.map((amount) => Money.toBrlNumber(amount) * (isNegative ? -1 : 1)),
    Result.mapError(() => `an amount in BRL such as 1234.56: digits, a point, at most two decimals`)
  )
}

/** A percent as it is typed, such as 1.5. */
export const readPercent = (text: string): Result.Result<number, string> =>
  Money.parsePercent(text).pipe(
    // The text is known to be a plain decimal of at most seven digits.
    Result.map(() => Number(text)),
    Result.mapError(() => "a percent from 0 to 100 with at most four decimals, such as 1.5")
  )
