import { Effect, Result, Schema, SchemaIssue, SchemaTransformation } from "effect"
import { JsonNumber } from "./StrictJson.ts"

/** An amount of BRL in hundredths. Negative for debts and differences; a payment checks its own sign. */
export const Centavos = Schema.BigInt.pipe(Schema.brand("Centavos"))
export type Centavos = typeof Centavos.Type

/** A rate in ten-thousandths of a percent: 1 % is 10 000 and 100 % is 1 000 000. */
export const Percent = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })).pipe(
  Schema.brand("Percent")
)
export type Percent = typeof Percent.Type

const sentences = {
  exponent: "has an exponent. Write all its digits, such as 1000 or 0.01.",
  format: "is not a plain decimal number. Send a number such as 37 or 10.5.",
  negative: "is negative. Send it without the minus sign.",
  precision: "has too many decimals. Use at most 2 for an amount and 4 for a percent.",
  range:
    "is too large. Use at most 12 digits before the point for an amount, and at most 100 for a percent.",
  wire: "is not an amount of the Pix API. Write 1 to 10 digits, a point and 2 digits, such as 37.00."
} as const

/** The text of an amount or of a percent breaks its rule. */
export class InvalidAmount extends Schema.TaggedError<InvalidAmount>()("InvalidAmount", {
  reason: Schema.Literals(Object.keys(sentences) as ReadonlyArray<keyof typeof sentences>)
}) {
  override get message(): string {
    return `The number ${sentences[this.reason]}`
  }
}

/**
 * Reads the source text of a JSON number as BRL: up to 12 digits, then up to 2 decimals.
 * Signs (also -0), exponents, leading zeros and more decimals are refused, never rounded.
 */
export const parseBrl = (source: string): Result.Result<Centavos, InvalidAmount> => {
  const match = brl.exec(source)
  return match === null
    ? Result.fail(new InvalidAmount({ reason: whyNot(source, 12) }))
    : Result.succeed(centavosOf(match))
}

/** Reads the source text of a JSON number as a percent: 0 to 100 with up to 4 decimals, so 1.5 gives 15 000. */
export const parsePercent = (source: string): Result.Result<Percent, InvalidAmount> => {
  const match = percent.exec(source)
  if (match === null) return Result.fail(new InvalidAmount({ reason: whyNot(source, 3) }))
  const units = Number(`${match[1]}${(match[2] ?? "").padEnd(4, "0")}`)
  return units > 1_000_000
    ? Result.fail(new InvalidAmount({ reason: "range" }))
    : Result.succeed(units as Percent)
}

/** Reads an amount of the Pix API (`^\d{1,10}\.\d{2}$`). */
export const parseBacenAmount = (text: string): Result.Result<Centavos, InvalidAmount> => {
  const match = bacenAmount.exec(text)
  return match === null
    ? Result.fail(new InvalidAmount({ reason: "wire" }))
    : Result.succeed(centavosOf(match))
}

/** The largest amount that the Pix API and a BR Code can carry: 9 999 999 999.99. */
export const bacenAmountMax: Centavos = Centavos.make(999_999_999_999n)

/** "37.00"; "-0.05" for a difference. From zero to `bacenAmountMax` this is the form of the Pix API. */
export const toBrlString = (amount: Centavos): string => {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(3, "0")
  return `${amount < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** The JSON number of an amount. Exact below 10^15 centavos; a larger one is a bug and throws. */
export const toBrlNumber = (amount: Centavos): number => {
  const number = exactNumber(amount)
  if (number === undefined)
    throw new RangeError(`${amount} centavos do not fit a JSON number exactly`)
  return number
}

export const zero: Centavos = Centavos.make(0n)
/** The smallest amount that can be paid. */
export const oneCentavo: Centavos = Centavos.make(1n)

export const plus = (one: Centavos, other: Centavos): Centavos => (one + other) as Centavos

export const minus = (one: Centavos, other: Centavos): Centavos => (one - other) as Centavos

export const negated = (amount: Centavos): Centavos => -amount as Centavos

/** The total; zero for none. */
export const sum = (amounts: Iterable<Centavos>): Centavos => {
  let total = zero
  for (const amount of amounts) total = plus(total, amount)
  return total
}

export const min = (one: Centavos, other: Centavos): Centavos => (one < other ? one : other)

export const max = (one: Centavos, other: Centavos): Centavos => (one > other ? one : other)

/** The part of an amount, rounded half up to the centavo; half away from zero below zero, so a reversal cancels. */
export const percentHalfUp = (amount: Centavos, rate: Percent): Centavos => {
  const product = amount * BigInt(rate)
  return ((product + (product < 0n ? -500_000n : 500_000n)) / 1_000_000n) as Centavos
}

/**
 * An amount from zero up on the wire: a JSON number in BRL. Decoding wants the `JsonNumber` of a strict parse, whose
 * source text is exact; a plain number passes when its shortest decimal form does.
 */
export const BrlNumber: Schema.Codec<Centavos, number> = wireNumber({
  minimum: 0,
  multipleOf: 0.01
}).pipe(
  Schema.decodeTo(
    Centavos,
    exactly<bigint, Centavos>(parseBrl, (amount) => (amount < 0n ? undefined : exactNumber(amount)))
  )
)

/** Like `BrlNumber` for a correction, which may take money away: one leading minus is allowed, except on zero. */
export const SignedBrlNumber: Schema.Codec<Centavos, number> = wireNumber({
  multipleOf: 0.01
}).pipe(Schema.decodeTo(Centavos, exactly<bigint, Centavos>(parseSignedBrl, exactNumber)))

/** A percent on the wire: a JSON number from 0 to 100 with up to 4 decimals. */
export const PercentNumber: Schema.Codec<Percent, number> = wireNumber({
  minimum: 0,
  maximum: 100,
  multipleOf: 0.0001
}).pipe(
  Schema.decodeTo(
    Percent,
    exactly<number, Percent>(parsePercent, (rate) => rate / 10_000)
  )
)

/** Centavos in stored documents: a decimal integer as a string, since JSON has no bigint. */
export const CentavosString: Schema.Codec<Centavos, string> = Schema.String.check(
  Schema.isPattern(/^(?:0|-?[1-9]\d*)$/, { expected: "centavos as a decimal integer" })
).pipe(
  Schema.decodeTo(
    Centavos,
    SchemaTransformation.transform({
      decode: (text) => BigInt(text),
      encode: (amount) => amount.toString()
    })
  )
)

const brl = /^(0|[1-9]\d{0,11})(?:\.(\d{1,2}))?$/
const percent = /^(0|[1-9]\d{0,2})(?:\.(\d{1,4}))?$/
const bacenAmount = /^(\d{1,10})\.(\d{2})$/

const centavosOf = (match: RegExpExecArray): Centavos =>
  BigInt(`${match[1]}${(match[2] ?? "").padEnd(2, "0")}`) as Centavos

const whyNot = (source: string, digitsMax: number): InvalidAmount["reason"] => {
  if (/^-?[\d.]+[eE][+-]?\d+$/.test(source)) return "exponent"
  if (source.startsWith("-")) return "negative"
  const plain = /^(0|[1-9]\d*)(?:\.\d+)?$/.exec(source)
  if (plain === null) return "format"
  return plain[1] !== undefined && plain[1].length > digitsMax ? "range" : "precision"
}

function parseSignedBrl(source: string): Result.Result<Centavos, InvalidAmount> {
  return /^-.*[1-9]/.test(source)
    ? Result.map(parseBrl(source.slice(1)), negated)
    : parseBrl(source)
}

/** Doubles tell apart every decimal of 15 digits. */
function exactNumber(amount: Centavos): number | undefined {
  const limit = 1_000_000_000_000_000n
  return amount > -limit && amount < limit ? Number(toBrlString(amount)) : undefined
}

/** The wire side of a decimal: at run time a `JsonNumber` or a number, for clients and in OpenAPI a number. */
function wireNumber(jsonSchema: { readonly [keyword: string]: number }) {
  return Schema.declare<number>(
    (value): value is number => value instanceof JsonNumber || typeof value === "number",
    { message: "A JSON number must stand here, such as 37 or 10.5.", toCodecJson: () => undefined }
  ).check(
    Schema.makeFilter(() => true, { toJsonSchema: () => ({ type: "number", ...jsonSchema }) })
  )
}

function exactly<Raw, A extends Raw>(
  parse: (source: string) => Result.Result<A, InvalidAmount>,
  write: (value: A) => number | undefined
): SchemaTransformation.Transformation<Raw, number> {
  return SchemaTransformation.transformEffect<Raw, number>({
    decode: (input: unknown, options) =>
      Result.match(parse(sourceText(input)), {
        onFailure: (refused) =>
          Effect.fail(new SchemaIssue.InvalidValue({ message: refused.message }, input, options)),
        onSuccess: (value) => Effect.succeed(value)
      }),
    encode: (value, options) => {
      const number = write(value as A)
      return number === undefined
        ? Effect.fail(
            new SchemaIssue.InvalidValue(
              { expected: "an amount that this field can carry" },
              value,
              options
            )
          )
        : Effect.succeed(number)
    }
  })
}

/** A plain -0 prints as 0, yet no reader may see two different zeros. */
const sourceText = (input: unknown): string => {
  if (input instanceof JsonNumber) return input.source
  return Object.is(input, -0) ? "-0" : String(input)
}
