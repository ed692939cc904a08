import { Refusal } from "./Refusal.ts"

/** An amount on the wire: BRL with at most two decimals. */
export const amountSchema = { type: "number", minimum: 0.01, maximum: 9_999_999_999.99 }

/** Rounding tells what is no whole centavo from what a binary fraction cannot hold. */
export const toCentavos = (brl: number): number => {
  const centavos = Math.round(brl * 100)
  if (Math.abs(brl * 100 - centavos) > 1e-4)
    throw new Refusal(400, "amount: send at most two decimals.")
  return centavos
}

export const toBrl = (centavos: number): number => centavos / 100
