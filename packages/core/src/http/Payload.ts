import { Effect, Schema } from "effect"
import type { ServiceTime } from "../ports/ServiceTime.ts"
import type { BadRequest } from "./ErrorEnvelope.ts"
import { invalid } from "./Invalid.ts"
import { RequestBody } from "./StrictBody.ts"

/** Decodes the body of the request. An absent body is `{}`. */
export const payload = <A, E>(
  schema: Schema.Codec<A, E>
): Effect.Effect<A, BadRequest, RequestBody | ServiceTime> => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all" })
  return Effect.flatMap(RequestBody, ({ json }) =>
    Effect.catch(decode(json ?? {}), ({ issue }) =>
      invalid(issue, "The request body must be a JSON object.")
    )
  )
}
