import { Result } from "effect"

/** An amount of the wire as people of Brazil read it: 1234.56 is R$ 1.234,56. */
export const shownBrl = (amount: number): string => {
  const [reais = "", centavos = ""] = Math.abs(amount).toFixed(2).split(".")
  const grouped = reais.replace(/\B(?=(\d{3})+$)/gu, ".")
  return `${amount < 0 ? "-" : ""}R$ ${grouped},${centavos}`
}

// The rules of the API's amounts (`Money` of `@pagora/core`, which is not loaded for them; a test holds them against it).
const brl = /^(?:0|[1-9]\d{0,11})(?:\.\d{1,2})?$/u
const percent = /^(?:0|[1-9]\d{0,2})(?:\.\d{1,4})?$/u

/** An amount as it is typed, such as 10.50, read from its text; with a sign where money may be taken away. */
export const readBrl = (
  text: string,
  { isSigned = false }: { readonly isSigned?: boolean } = {}
): Result.Result<number, string> => {
  const size = isSigned && text.startsWith("-") ? text.slice(1) : text
  // At most fourteen digits: the number is exact to the centavo.
  return brl.test(size)
    ? Result.succeed(Number(text))
    : Result.fail("an amount in BRL such as 1234.56: digits, a point, at most two decimals")
}

/** A percent as it is typed, such as 1.5. */
export const readPercent = (text: string): Result.Result<number, string> =>
  percent.test(text) && Number(text) <= 100
    ? Result.succeed(Number(text))
    : Result.fail("a percent from 0 to 100 with at most four decimals, such as 1.5")
