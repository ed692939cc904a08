import { DateTime, Effect, Option, Result, Schema, SchemaIssue, SchemaTransformation } from "effect"
import * as Document from "../kernel/Document.ts"
import { Centavos, parseBrl } from "../kernel/Money.ts"
import type { JsonObject, JsonValue } from "../kernel/StrictJson.ts"
import { JsonNumber, sourceOf, toPlain } from "../kernel/StrictJson.ts"

/** A time on the wire: RFC 3339 in UTC with milliseconds. */
export const Instant: Schema.Codec<DateTime.Utc, string> = Schema.String.annotate({
  format: "date-time"
}).pipe(Schema.decodeTo(Schema.DateTimeUtc, SchemaTransformation.dateTimeUtcFromString))

/** A time in a query: RFC 3339 with its offset, or a day in UTC. */
export const instantInQuery: Schema.Codec<DateTime.Utc, string> = Schema.String.pipe(
  Schema.decodeTo(
    Schema.DateTimeUtc,
    SchemaTransformation.transformEffect<DateTime.Utc, string>({
      decode: (value, options) => {
        // A + in a query reads as a space.
        const spelled = value.replace(" ", "+")
        const parsed = rfc3339.test(spelled) ? DateTime.make(spelled) : Option.none()
        return Option.isSome(parsed)
          ? Effect.succeed(DateTime.toUtc(parsed.value))
          : Effect.fail(new SchemaIssue.InvalidValue({ message: badInstant }, value, options))
      },
      encode: (instant) => Effect.succeed(DateTime.formatIso(instant))
    })
  )
)

const rfc3339 = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/
const badInstant = "Send a time such as 2026-11-21T12:00:00Z, or a day such as 2026-11-21."

const brl = (amount: Centavos): string =>
  `${amount / 100n}.${String(amount % 100n).padStart(2, "0")}`

/** An amount of a request between two bounds. */
export const amountBetween = (
  minimum: Centavos,
  maximum: Centavos
): Schema.Codec<Centavos, number> =>
  jsonNumber({
    type: "number",
    minimum: Number(brl(minimum)),
    maximum: Number(brl(maximum)),
    multipleOf: 0.01
  }).pipe(
    Schema.decodeTo(
      Centavos,
      refining<bigint>(
        (source) => {
          const parsed = parseBrl(source)
          if (Result.isFailure(parsed)) return parsed.failure.message
          if (parsed.success < minimum) return `The smallest amount is ${brl(minimum)}.`
          return parsed.success > maximum
            ? `The largest amount is ${brl(maximum)}.`
            : parsed.success
        },
        (amount) => Number(brl(amount as Centavos))
      )
    )
  )

/** A whole number of a request between two bounds, spelled without a point or exponent. */
export const wholeBetween = (minimum: number, maximum: number): Schema.Codec<number, number> =>
  jsonNumber({ type: "integer", minimum, maximum }).pipe(
    Schema.decodeTo(
      Schema.Int,
      refining<number>(
        (source) => {
          if (!/^(0|[1-9]\d{0,14})$/.test(source)) return "Send a whole number, such as 3600."
          const number = Number(source)
          return number >= minimum && number <= maximum
            ? number
            : `Send a number from ${minimum} to ${maximum}.`
        },
        (number) => number
      )
    )
  )

/**
 * Characters as Unicode and JSON Schema count them: one outside the basic plane, such as most emoji, is one. The strict
 * parse lets no half of a pair in.
 */
const charactersOf = (value: string): number => {
  let count = value.length
  for (let index = 0; index < value.length; index++) {
    if ((value.charCodeAt(index) & 0xfc00) === 0xd800) count -= 1
  }
  return count
}

/** Free text of a request. Its characters were already checked by the strict parse. */
export const text = (minimum: number, maximum: number) =>
  Schema.String.check(
    Schema.makeFilter(
      (value: string) => {
        const count = charactersOf(value)
        return count >= minimum && count <= maximum
          ? true
          : `Send a text of ${minimum} to ${maximum} characters.`
      },
      { toJsonSchema: () => ({ minLength: minimum, maxLength: maximum }) }
    )
  )

/** Free text without the space around it. */
export const trimmed = (minimum: number, maximum: number) =>
  Schema.String.pipe(
    Schema.decodeTo(
      text(minimum, maximum),
      SchemaTransformation.transformEffect<string, string>({
        decode: (value) => Effect.succeed(value.trim()),
        encode: Effect.succeed
      })
    )
  )

/** A CPF or CNPJ in any usual spelling; kept in its one form. */
export const document = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transformEffect<string, string>({
      decode: (value, options) => {
        const parsed = Document.parse(value)
        return Result.isSuccess(parsed)
          ? Effect.succeed(parsed.success)
          : Effect.fail(
              new SchemaIssue.InvalidValue({ message: parsed.failure.message }, value, options)
            )
      },
      encode: (value) => Effect.succeed(value)
    })
  )
)

const uuidOfEitherCase = /^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/u

/** An id in a body. A UUID is the same in letters of either case (RFC 9562); kept in small ones. */
export const idOf = <Id extends string>(id: Schema.Codec<Id, string>): Schema.Codec<Id, string> =>
  Schema.String.check(
    Schema.isPattern(uuidOfEitherCase, {
      message: "Send a UUID, such as 019a2b3c-0000-7000-8000-00000000000a."
    })
  ).pipe(
    Schema.decodeTo(
      id,
      SchemaTransformation.transformEffect<string, string>({
        decode: (value) => Effect.succeed(value.toLowerCase()),
        encode: Effect.succeed
      })
    )
  )

export interface MetadataBounds {
  readonly keysMax: number
  readonly keyLengthMax: number
  readonly stringMax: number
  readonly bytesMax: number
}

/**
 * A free object. Decodes to its JSON text exactly as it was sent, so that nothing of it is lost; a number
 * that a reader's double would change is refused instead of changed.
 */
export const metadata = (
  bounds: MetadataBounds
): Schema.Codec<string, Readonly<Record<string, unknown>>> =>
  jsonObject.pipe(
    Schema.decodeTo(
      Schema.String,
      SchemaTransformation.transformEffect<string, Readonly<Record<string, unknown>>>({
        decode: (value, options) => {
          const wrong = metadataFault(value as JsonObject, bounds)
          const source = sourceOf(value as JsonObject)
          return wrong === undefined && source !== undefined
            ? Effect.succeed(source)
            : Effect.fail(
                new SchemaIssue.InvalidValue(
                  { message: wrong ?? "Send an object." },
                  value,
                  options
                )
              )
        },
        encode: (value) => Effect.succeed(JSON.parse(value))
      })
    )
  )

const metadataFault = (value: JsonObject, bounds: MetadataBounds): string | undefined => {
  const entries: ReadonlyArray<[string, JsonValue]> = Object.entries(value)
  if (entries.length > bounds.keysMax) return `Send at most ${bounds.keysMax} keys.`
  if (entries.some(([key]) => charactersOf(key) > bounds.keyLengthMax)) {
    return `A key may have at most ${bounds.keyLengthMax} characters.`
  }
  if (
    entries.some(([, entry]) => typeof entry === "string" && charactersOf(entry) > bounds.stringMax)
  ) {
    return `A text may have at most ${bounds.stringMax} characters.`
  }
  if ((sourceOf(value) ?? "").length > bounds.bytesMax)
    return `Send at most ${bounds.bytesMax} bytes.`
  const plain = toPlain(value)
  return Result.isFailure(plain) ? plain.failure.message : undefined
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof JsonNumber)

const jsonObject = Schema.declare<Readonly<Record<string, unknown>>>(isObject, {
  message: "A JSON object must stand here.",
  toCodecJson: () => undefined
}).check(
  Schema.makeFilter(() => true, {
    toJsonSchema: () => ({ type: "object", additionalProperties: true })
  })
)

const jsonNumber = (jsonSchema: { readonly [keyword: string]: number | string }) =>
  Schema.declare<number>(
    (value): value is number => value instanceof JsonNumber || typeof value === "number",
    {
      message: "A JSON number must stand here.",
      toCodecJson: () => undefined
    }
  ).check(Schema.makeFilter(() => true, { toJsonSchema: () => jsonSchema }))

/** Decodes a number from its source text; the decoder answers the value, or the sentence that refuses it. */
const refining = <A extends bigint | number>(
  decode: (source: string) => A | string,
  encode: (value: A) => number
): SchemaTransformation.Transformation<A, number> =>
  SchemaTransformation.transformEffect<A, number>({
    decode: (input: unknown, options) => {
      const decoded = decode(input instanceof JsonNumber ? input.source : String(input))
      return typeof decoded === "string"
        ? Effect.fail(new SchemaIssue.InvalidValue({ message: decoded }, input, options))
        : Effect.succeed(decoded)
    },
    encode: (value) => Effect.succeed(encode(value))
  })

/** A decimal of a request between two bounds, where being exact to the digit does not matter. */
export const numberBetween = (minimum: number, maximum: number): Schema.Codec<number, number> =>
  jsonNumber({ type: "number", minimum, maximum }).pipe(
    Schema.decodeTo(
      Schema.Finite,
      refining<number>(
        (source) => {
          const number = Number(source)
          return number >= minimum && number <= maximum
            ? number
            : `Send a number from ${minimum} to ${maximum}.`
        },
        (number) => number
      )
    )
  )
