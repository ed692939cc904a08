/**
 * An amount in whole centavos. A number, because it is what tests write, and whole up to 90 trillion reais.
 */
export type Centavos = number

/** Refuses what is no amount of money: a mistake of whoever wrote the test. */
export const checkedCentavos = (centavos: Centavos): Centavos => {
  if (Number.isSafeInteger(centavos) && centavos > 0) return centavos
  throw new RangeError(`An amount is a whole number of centavos above zero, not ${centavos}.`)
}

/** `2590` is `"25.90"`, as the API of the Central Bank writes money. */
export const toReais = (centavos: Centavos): string => {
  const digits = String(Math.abs(centavos)).padStart(3, "0")
  return `${centavos < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Undefined where the text is not how the API of the Central Bank writes money. */
export const fromReais = (text: unknown): Centavos | undefined =>
  typeof text === "string" && /^\d{1,10}\.\d{2}$/.test(text)
    ? Number(text.replace(".", ""))
    : undefined
