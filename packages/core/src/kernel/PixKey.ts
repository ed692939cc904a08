import { Result, Schema } from "effect"
import * as Document from "./Document.ts"

/** The five kinds of key in the DICT, the directory of Pix keys; "random" is the EVP. */
export const PixKeyType = Schema.Literals(["cpf", "cnpj", "email", "phone", "random"])
export type PixKeyType = typeof PixKeyType.Type

/** A key in the form that the DICT stores; `parse` makes it from what people type. */
export const PixKey = Schema.Struct({ type: PixKeyType, value: Schema.String })
  .check(
    Schema.makeFilter(
      ({ type, value }: { readonly type: PixKeyType; readonly value: string }) =>
        canonical[type](value) === value,
      { expected: "a Pix key in the form of the DICT" }
    )
  )
  .pipe(Schema.brand("PixKey"))
export type PixKey = typeof PixKey.Type

const sentences = {
  cnpj: "is not a CNPJ with right check digits. Send its 14 letters and digits.",
  cpf: "is not a CPF with right check digits. Send its 11 digits.",
  email: "is not an e-mail address of at most 77 ASCII characters.",
  phone:
    "is not a Brazilian mobile number. Send it as +55, area code, 9 and 8 digits, such as +5511987654321.",
  random: "is not a random key. Send its 36 characters with hyphens, as the bank shows it.",
  unknown: "has none of the forms of a CPF, CNPJ, e-mail, phone or random key."
} as const

/** The text is not a key of the type. It does not carry the text, which is personal data. */
export class InvalidPixKey extends Schema.TaggedError<InvalidPixKey>()("InvalidPixKey", {
  type: Schema.Literals(Object.keys(sentences) as ReadonlyArray<keyof typeof sentences>)
}) {
  override get message(): string {
    return `The Pix key ${sentences[this.type]}`
  }
}

/**
 * Reads a key as people type it and gives it as the DICT stores it: without punctuation, e-mail and random keys in
 * small letters, phones with +55. The type must be told, since 11 digits may be a CPF or a phone.
 */
export const parse = (type: PixKeyType, text: string): Result.Result<PixKey, InvalidPixKey> => {
  const value = canonical[type](text)
  return value === undefined
    ? Result.fail(new InvalidPixKey({ type }))
    : Result.succeed({ type, value } as PixKey)
}

/** Finds the type of a key that is already in the form of the DICT, where no text fits two types. */
export const fromDictForm = (text: string): Result.Result<PixKey, InvalidPixKey> => {
  const type = PixKeyType.literals.find((type) => canonical[type](text) === text)
  return type === undefined
    ? Result.fail(new InvalidPixKey({ type: "unknown" }))
    : Result.succeed({ type, value: text } as PixKey)
}

// The DICT's own pattern, which has no percent sign. Length is checked first, so its cost is bounded.
const email =
  /^[a-z0-9.!#$&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/
const ascii = /^[\x21-\x7e]*$/

// Mobile numbers only: a 9 follows the area code. The DICT has area codes such as 10 in its examples.
const phone = /^(?:\+?55[ -]?)?\(?([1-9]\d)\)?[ -]?(9\d{4})[ -]?(\d{4})$/

// Any UUID: the directory's own examples are not of version 4.
const random = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

const canonical: Record<PixKeyType, (text: string) => string | undefined> = {
  cpf: (text) => Result.getOrUndefined(Document.parseCpf(text)),
  cnpj: (text) => Result.getOrUndefined(Document.parseCnpj(text)),
  email: (text) => {
    // ASCII first: the Kelvin sign would become a plain k in small letters.
    if (text.length > 77 || !ascii.test(text)) return undefined
    const lower = text.toLowerCase()
    return email.test(lower) ? lower : undefined
  },
  phone: (text) => {
    const match = phone.exec(text)
    return match === null ? undefined : `+55${match[1]}${match[2]}${match[3]}`
  },
  random: (text) => {
    const lower = ascii.test(text) ? text.toLowerCase() : ""
    return random.test(lower) ? lower : undefined
  }
}
