import { Effect, Schema, SchemaAST } from "effect"
import type { JsonValue } from "../kernel/StrictJson.ts"
import { JsonNumber } from "../kernel/StrictJson.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import { BadRequest, refuse } from "./ErrorEnvelope.ts"
import { invalid, issuesMax } from "./Invalid.ts"
import { RequestBody } from "./StrictBody.ts"

/**
 * Refuses fields that the endpoint does not have, by their names. Elsewhere they are ignored; where what is left out decides
 * over money, a field that is not known was meant to say something.
 */
export const nothingUnknown = (
  fields: Schema.Struct.Fields,
  why: string
): Effect.Effect<void, BadRequest, RequestBody | ServiceTime> =>
  Effect.flatMap(RequestBody, ({ json }) => {
    if (typeof json !== "object" || json === null || Array.isArray(json)) return Effect.void
    const unknown = Object.keys(json).filter((name) => !Object.hasOwn(fields, name))
    const [first] = unknown
    if (first === undefined) return Effect.void
    return refuse(BadRequest, {
      message: `${first}: ${why}`,
      code: "VALIDATION_ERROR",
      details: { issues: unknown.slice(0, issuesMax).map((field) => ({ field, message: why })) }
    })
  })

interface Decoder<A> {
  readonly decode: (json: unknown) => Effect.Effect<A, Schema.SchemaError>
  readonly wire: SchemaAST.AST
}

/** Decoders by options, each made once for a schema: to make one costs more than to use it. */
const decoding = (options: SchemaAST.ParseOptions) => {
  const decoders = new WeakMap<object, Decoder<unknown>>()
  const decoderOf = <A, E>(schema: Schema.Codec<A, E>): Decoder<A> => {
    // What is kept under a schema was made of it.
    const known = decoders.get(schema) as Decoder<A> | undefined
    if (known !== undefined) return known
    const made = {
      decode: Schema.decodeUnknownEffect(schema, { errors: "all", ...options }),
      wire: SchemaAST.toEncoded(schema.ast)
    }
    decoders.set(schema, made)
    return made
  }
  return <A, E>(
    schema: Schema.Codec<A, E>
  ): Effect.Effect<A, BadRequest, RequestBody | ServiceTime> => {
    const { decode, wire } = decoderOf(schema)
    return Effect.flatMap(RequestBody, ({ json }) =>
      Effect.catch(decode(withoutPosers(wire, json === undefined ? {} : json)), ({ issue }) =>
        invalid(issue, "The request body must be a JSON object.")
      )
    )
  }
}

/** Decodes the body of the request; fields that are not known are ignored. An absent body is `{}`. */
export const payload = decoding({})

/**
 * Decodes the body of a request in which every field counts, at every depth: one that is not known is refused by its name. What
 * the operator means to say must not be lost in a word that is misspelt (decision 0027).
 */
export const exactPayload = decoding({ onExcessProperty: "error" })

/**
 * A `JsonNumber` is an object to the decoder, and one without fields passes where all fields are optional. Where an
 * object should stand it becomes the plain number that is refused. Everything else stays the same by identity,
 * because the source text of an object hangs on it.
 */
const withoutPosers = (ast: SchemaAST.AST, value: unknown): unknown => {
  if (SchemaAST.isUnion(ast)) {
    const types = ast.types.filter((type) => SchemaAST.isObjects(type))
    return types.length === ast.types.length && types[0] !== undefined
      ? withoutPosers(types[0], value)
      : value
  }
  if (SchemaAST.isArrays(ast) && Array.isArray(value)) {
    const [rest] = ast.rest
    if (rest === undefined) return value
    const items = value.map((item) => withoutPosers(rest, item))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (!SchemaAST.isObjects(ast)) return value
  if (value instanceof JsonNumber) return value.toNumber()
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value
  const object = value as Readonly<Record<PropertyKey, JsonValue>>
  const changed = ast.propertySignatures.flatMap(({ name, type }) => {
    const field = Object.hasOwn(object, name) ? withoutPosers(type, object[name]) : undefined
    return field === undefined || field === object[name] ? [] : [[name, field] as const]
  })
  return changed.length === 0 ? value : { ...object, ...Object.fromEntries(changed) }
}
