import { Effect, Schema, SchemaIssue, SchemaTransformation } from "effect"

/** What a text of a query stands for, as the JSON Schema that the contract shows of it. */
export const queryAnnotation = "x-query"

/** A whole number in a query between two bounds, spelled in digits alone. */
export const wholeInQuery = (minimum: number, maximum: number): Schema.Codec<number, string> =>
  Schema.String.annotate({ [queryAnnotation]: { type: "integer", minimum, maximum } }).pipe(
    Schema.decodeTo(
      Schema.Int,
      SchemaTransformation.transformEffect<number, string>({
        decode: (text, options) => {
          const number = /^[1-9]\d{0,9}$|^0$/.test(text) ? Number(text) : Number.NaN
          return number >= minimum && number <= maximum
            ? Effect.succeed(number)
            : Effect.fail(
                new SchemaIssue.InvalidValue(
                  { message: `Send a whole number from ${minimum} to ${maximum}.` },
                  text,
                  options
                )
              )
        },
        encode: (number) => Effect.succeed(String(number))
      })
    )
  )
