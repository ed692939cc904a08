import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Answer } from "./Idempotent.ts"

/**
 * The answer of a POST: 201 for a create, unless told otherwise. The body is encoded here and not by the framework, so that a replay, made from what was
 * stored, has the same bytes; the header says that it is one.
 */
export const replayable = <A, E>(
  schema: Schema.Codec<A, E>,
  { isReplay }: Answer<unknown>,
  body: A,
  status: 200 | 201 = 201
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(Effect.orDie(encoderOf(schema)(body)), (json) =>
    HttpServerResponse.jsonUnsafe(json, {
      status,
      headers: isReplay ? { "idempotent-replayed": "true" } : {}
    })
  )

type Encoder = (body: unknown) => Effect.Effect<unknown, Schema.SchemaError>

const encoders = new WeakMap<object, Encoder>()

/** Made once for each schema: to make one costs more than to use it. */
const encoderOf = <A, E>(schema: Schema.Codec<A, E>): Encoder => {
  const known = encoders.get(schema)
  if (known !== undefined) return known
  const made: Encoder = Schema.encodeUnknownEffect(Schema.toCodecJson(schema))
  encoders.set(schema, made)
  return made
}
