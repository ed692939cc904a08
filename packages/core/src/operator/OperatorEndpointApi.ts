import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { BadRequest, InternalError, NotFound, TooManyRequests } from "../http/ErrorEnvelope.ts"
import { text } from "../http/WireCodecs.ts"

/** What every endpoint of the operator's can answer when it does not do what it is asked. */
export const errors = [BadRequest, NotFound, TooManyRequests, InternalError] as const

export const inAccount = { id: Schema.String }
export const created = HttpApiSchema.status(201)

/** The reference of a sub-account, or `principal`. */
export const reference = text(2, 32)
