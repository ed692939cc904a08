import { Effect, Result, Schema, SchemaIssue, SchemaTransformation } from "effect"

const sentences = {
  checkDigits: "has wrong check digits. Look for a mistyped character.",
  format: "is neither a CPF (11 digits) nor a CNPJ (14 characters, the last two digits).",
  formatCnpj:
    "is not a CNPJ. Send its 14 characters, such as 12ABC34501DE35, with or without punctuation.",
  formatCpf: "is not a CPF. Send its 11 digits, with or without punctuation.",
  repeated: "repeats one digit, which no issued document does."
} as const

/** The text is not a CPF or CNPJ. It does not carry the text, which is personal data. */
export class InvalidDocument extends Schema.TaggedError<InvalidDocument>()("InvalidDocument", {
  reason: Schema.Literals(Object.keys(sentences) as ReadonlyArray<keyof typeof sentences>)
}) {
  override get message(): string {
    return `The document ${sentences[this.reason]}`
  }
}

const Canonical = Schema.String.check(
  Schema.makeFilter((text: string) => isCanonical(text), {
    expected: "a CPF or CNPJ without punctuation"
  })
).pipe(Schema.brand("Document"))

/**
 * A CPF (11 digits) or a CNPJ (12 digits or capital letters, then 2 digits) with right check digits and without
 * punctuation. Letters came in July 2026, so it is never a number; leading zeros count.
 */
export type Document = typeof Canonical.Type

/** Decoding also takes punctuation and small letters, and gives the one form that we store and compare. */
export const Document = Schema.String.pipe(
  Schema.decodeTo(
    Canonical,
    SchemaTransformation.transformEffect<string, string>({
      decode: (text, options) =>
        Result.match(parse(text), {
          onFailure: (refused) =>
            Effect.fail(new SchemaIssue.InvalidValue({ message: refused.message }, text, options)),
          onSuccess: (document) => Effect.succeed(document)
        }),
      encode: (document) => Effect.succeed(document)
    })
  )
)

/** Which of the two a text is meant to be shows from its length alone. */
export const parse = (text: string): Result.Result<Document, InvalidDocument> => {
  if (cpfShape.test(text)) return parseCpf(text)
  return cnpjShape.test(text) ? parseCnpj(text) : refuse("format")
}

/** Takes 11 digits, or the usual punctuation 123.456.789-09. */
export const parseCpf = (text: string): Result.Result<Document, InvalidDocument> => {
  if (!cpfShape.test(text)) return refuse("formatCpf")
  const digits = text.replace(/[.-]/g, "")
  if (isRepeated(digits)) return refuse("repeated")
  const isRight = checkDigit(digits, 9, cpfWeights) && checkDigit(digits, 10, cpfWeights)
  return isRight ? Result.succeed(digits as Document) : refuse("checkDigits")
}

/** Takes 14 characters, or the usual punctuation 12.ABC.345/01DE-35, and makes letters capital. */
export const parseCnpj = (text: string): Result.Result<Document, InvalidDocument> => {
  if (!cnpjShape.test(text)) return refuse("formatCnpj")
  const characters = text.replace(/[./-]/g, "").toUpperCase()
  if (isRepeated(characters)) return refuse("repeated")
  const isRight = checkDigit(characters, 12, cnpjWeights) && checkDigit(characters, 13, cnpjWeights)
  return isRight ? Result.succeed(characters as Document) : refuse("checkDigits")
}

export const kindOf = (document: Document): "cpf" | "cnpj" =>
  document.length === 11 ? "cpf" : "cnpj"

/** For logs and screens: keeps the middle, as Brazilian receipts do (***.456.789-**, **.ABC.345/01DE-**). */
export const mask = (document: Document): string =>
  kindOf(document) === "cpf"
    ? `***.${document.slice(3, 6)}.${document.slice(6, 9)}-**`
    : `**.${document.slice(2, 5)}.${document.slice(5, 8)}/${document.slice(8, 12)}-**`

/**
 * The same text with every document in it masked: what has one of the usual forms and right check digits. Letters may
 * stand beside digits, as in `cpf52998224725`; a UUID is never taken for one.
 */
export const maskAll = (text: string): string =>
  text.replace(anyDocument, (found) =>
    Result.match(parse(found), { onFailure: () => found, onSuccess: mask })
  )

const anyDocument = new RegExp(
  [
    String.raw`(?<![^\W_])[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?![^\W_])`,
    String.raw`(?<!\d)\d{3}\.?\d{3}\.?\d{3}-?\d{2}(?!\d)`,
    String.raw`(?<!\d)\d{2}\.?\d{3}\.?\d{3}\/?\d{4}-?\d{2}(?!\d)`,
    String.raw`(?<![^\W_])[\da-z]{2}\.?[\da-z]{3}\.?[\da-z]{3}\/?[\da-z]{4}-?\d{2}(?![^\W_])`
  ].join("|"),
  "gi"
)

// ASCII classes only: upper-casing must never turn a look-alike such as dotless i into a letter.
const cpfShape = /^\d{3}\.?\d{3}\.?\d{3}-?\d{2}$/
const cnpjShape = /^[\dA-Za-z]{2}\.?[\dA-Za-z]{3}\.?[\dA-Za-z]{3}\/?[\dA-Za-z]{4}-?\d{2}$/

const cpfWeights = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]
const cnpjWeights = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]

const refuse = (reason: InvalidDocument["reason"]) => Result.fail(new InvalidDocument({ reason }))

// Repeated digits satisfy the check digits, so they need a rule of their own.
const isRepeated = (text: string): boolean => text === text.charAt(0).repeat(text.length)

/** Module 11 over the characters before `index`, each worth its ASCII code minus 48; the weights end in 2 there. */
const checkDigit = (text: string, index: number, weights: ReadonlyArray<number>): boolean => {
  let total = 0
  for (let i = 0; i < index; i++) {
    total += (text.charCodeAt(i) - 48) * (weights[weights.length - index + i] ?? 0)
  }
  const rest = total % 11
  return text.charCodeAt(index) - 48 === (rest < 2 ? 0 : 11 - rest)
}

const isCanonical = (text: string): boolean => Result.getOrUndefined(parse(text)) === text
