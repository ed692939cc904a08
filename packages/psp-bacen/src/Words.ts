import type { Centavos } from "@pagora/core"
import { Document, Money } from "@pagora/core"
import { DateTime, Option, Result, Schema } from "effect"

// What the answers of all banks are written in. What does not fit throws, and the answer counts as none.

/** `12.34`; some banks send a JSON number. */
export const Amount = Schema.Union([Schema.String, Schema.Number])

/** RFC 3339; some banks leave out the zone, and mean that of Brasília then. */
export const Time = Schema.String

export const readAmount = (amount: string | number): Centavos =>
  Result.getOrThrow(
    typeof amount === "string" ? Money.parseBacenAmount(amount) : Money.parseBrl(String(amount))
  )

/** More than one payment can be; and an account that is overdrawn holds less than nothing. */
export const readBalance = (balance: string | number): Centavos => {
  const text = String(balance)
  const amount = Result.getOrThrow(Money.parseBrl(text.replace(/^-/, "")))
  return text.startsWith("-") ? Money.negated(amount) : amount
}

export const readTime = (text: string): DateTime.Utc => {
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}-03:00`
  return DateTime.toUtc(Option.getOrThrow(DateTime.make(zoned)))
}

/** Without fractions: Santander takes no other form, and the others take this. */
export const writeTime = (time: DateTime.Utc): string =>
  DateTime.formatIso(time).replace(/\.\d+Z$/, "Z")

/** The same second, or the next one where the time is not whole. */
export const writeTimeUp = (time: DateTime.Utc): string =>
  writeTime(DateTime.add(time, { milliseconds: 999 }))

/** `cpf` or `cnpj`, as the Pix API names a document; undefined where it is none. */
export const documentField = (
  text: string
): { readonly cpf: string } | { readonly cnpj: string } | undefined => {
  const document = Result.getOrUndefined(Document.parse(text))
  if (document === undefined) return undefined
  return Document.kindOf(document) === "cpf" ? { cpf: document } : { cnpj: document }
}
