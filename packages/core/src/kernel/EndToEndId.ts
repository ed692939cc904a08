import { DateTime, Option, Result, Schema } from "effect"

/** The id of a settled Pix in all of Brazil: E, the payer's ISPB, the UTC minute and 11 characters. Case matters. */
export const EndToEndId = idSchema("E").pipe(Schema.brand("EndToEndId"))
export type EndToEndId = typeof EndToEndId.Type

/** The id of a return (*devolução*) of a Pix: the same form with a D. */
export const ReturnId = idSchema("D").pipe(Schema.brand("ReturnId"))
export type ReturnId = typeof ReturnId.Type

/** What both ids are made of. */
export interface IdParts {
  /** The participant: the first 8 characters of its CNPJ, which may hold capital letters. */
  readonly ispb: string
  /** When the id was made; seconds are dropped. The SPI refuses ids more than 90 minutes off. */
  readonly minute: DateTime.Utc
  /** 11 letters and digits, different for every id of this participant and minute. */
  readonly suffix: string
}

const sentences = {
  form: "must have 32 characters: E (a payment) or D (a return), 8 of the ISPB, 12 digits of the UTC minute, 11 more.",
  ispb: "needs an ISPB of 8 digits or capital letters.",
  minute: "holds no real date and time where the UTC minute (yyyyMMddHHmm) stands.",
  suffix: "needs a suffix of 11 letters and digits without accents."
} as const

export class InvalidEndToEndId extends Schema.TaggedError<InvalidEndToEndId>()(
  "InvalidEndToEndId",
  {
    reason: Schema.Literals(Object.keys(sentences) as ReadonlyArray<keyof typeof sentences>)
  }
) {
  override get message(): string {
    return `The id ${sentences[this.reason]}`
  }
}

export const parse = (text: string): Result.Result<EndToEndId, InvalidEndToEndId> =>
  Result.map(readParts("E", text), () => text as EndToEndId)

export const parseReturn = (text: string): Result.Result<ReturnId, InvalidEndToEndId> =>
  Result.map(readParts("D", text), () => text as ReturnId)

export const partsOf = (id: EndToEndId | ReturnId): IdParts =>
  Result.getOrThrow(readParts(id.charAt(0), id))

/** The caller gives the suffix, so that one payment keeps one id however often it is made. */
export const make = (parts: IdParts): Result.Result<EndToEndId, InvalidEndToEndId> =>
  Result.map(write("E", parts), (id) => id as EndToEndId)

export const makeReturn = (parts: IdParts): Result.Result<ReturnId, InvalidEndToEndId> =>
  Result.map(write("D", parts), (id) => id as ReturnId)

const form = /^([ED])([0-9A-Z]{8})(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})([A-Za-z0-9]{11})$/

function idSchema(letter: "E" | "D") {
  return Schema.String.check(
    Schema.makeFilter((text: string) => Result.isSuccess(readParts(letter, text)), {
      expected: `an id of 32 characters that starts with ${letter} and holds a real UTC minute`
    })
  )
}

const refuse = (reason: InvalidEndToEndId["reason"]) =>
  Result.fail(new InvalidEndToEndId({ reason }))

const readParts = (letter: string, text: string): Result.Result<IdParts, InvalidEndToEndId> => {
  const [, kind, ispb = "", year, month, day, hour, minute, suffix = ""] = form.exec(text) ?? []
  if (kind !== letter) return refuse("form")
  const iso = `${year}-${month}-${day}T${hour}:${minute}:00.000Z`
  const instant = Option.getOrUndefined(DateTime.make(iso))
  // Date parsers roll 30 February over to March, so only an instant that prints the same is real.
  return instant === undefined || DateTime.formatIso(instant) !== iso
    ? refuse("minute")
    : Result.succeed({ ispb, minute: instant, suffix })
}

const write = (letter: "E" | "D", parts: IdParts): Result.Result<string, InvalidEndToEndId> => {
  if (!/^[0-9A-Z]{8}$/.test(parts.ispb)) return refuse("ispb")
  if (!/^[A-Za-z0-9]{11}$/.test(parts.suffix)) return refuse("suffix")
  const minute = DateTime.formatIso(parts.minute).slice(0, 16).replace(/[-T:]/g, "")
  return /^\d{12}$/.test(minute)
    ? Result.succeed(`${letter}${parts.ispb}${minute}${parts.suffix}`)
    : refuse("minute")
}
