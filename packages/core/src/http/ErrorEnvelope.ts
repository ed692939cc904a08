import { Context, DateTime, Effect, Schema } from "effect"
import { maskAll } from "../kernel/Document.ts"
import { present } from "../kernel/Present.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { TraceId } from "./TraceId.ts"

/** Marks an endpoint whose errors have the fields `error` and `message` only (spec, Errors: `POST /auth`). */
export const TwoFieldErrors = Context.Reference<boolean>("@pagora/core/http/TwoFieldErrors", {
  defaultValue: () => false
})

const details = Schema.Record(Schema.String, Schema.Unknown)

const envelope = <Status extends number, Name extends string>(status: Status, name: Name) => ({
  statusCode: Schema.Literal(status).pipe(Schema.withConstructorDefault(Effect.succeed(status))),
  error: Schema.Literal(name).pipe(Schema.withConstructorDefault(Effect.succeed(name))),
  message: Schema.String,
  details: Schema.optionalKey(details),
  timestamp: Schema.String,
  traceId: Schema.optionalKey(Schema.String)
})

/** The input is not what the endpoint takes, or a rule of the business refuses it (spec, Errors). */
export class BadRequest extends Schema.Error<BadRequest>("BadRequest")(
  envelope(400, "BadRequest"),
  {
    httpApiStatus: 400
  }
) {}

export class Unauthorized extends Schema.Error<Unauthorized>("Unauthorized")(
  envelope(401, "Unauthorized"),
  {
    httpApiStatus: 401
  }
) {}

export class Forbidden extends Schema.Error<Forbidden>("Forbidden")(envelope(403, "Forbidden"), {
  httpApiStatus: 403
}) {}

export class NotFound extends Schema.Error<NotFound>("NotFound")(envelope(404, "NotFound"), {
  httpApiStatus: 404
}) {}

/** The rest of the request did not come in time: nothing was done, and its connection ends. */
export class RequestTimeout extends Schema.Error<RequestTimeout>("RequestTimeout")(
  envelope(408, "RequestTimeout"),
  { httpApiStatus: 408 }
) {}

/** Something of that name is there already, or is being worked on. */
export class Conflict extends Schema.Error<Conflict>("Conflict")(envelope(409, "Conflict"), {
  httpApiStatus: 409
}) {}

/** The Idempotency-Key belongs to another request. */
export class UnprocessableEntity extends Schema.Error<UnprocessableEntity>("UnprocessableEntity")(
  envelope(422, "UnprocessableEntity"),
  { httpApiStatus: 422 }
) {}

export class PayloadTooLarge extends Schema.Error<PayloadTooLarge>("PayloadTooLarge")(
  envelope(413, "PayloadTooLarge"),
  { httpApiStatus: 413 }
) {}

export class UnsupportedMediaType extends Schema.Error<UnsupportedMediaType>(
  "UnsupportedMediaType"
)(envelope(415, "UnsupportedMediaType"), { httpApiStatus: 415 }) {}

export class TooManyRequests extends Schema.Error<TooManyRequests>("TooManyRequests")(
  envelope(429, "TooManyRequests"),
  { httpApiStatus: 429 }
) {}

export class InternalError extends Schema.Error<InternalError>("InternalError")(
  envelope(500, "InternalError"),
  {
    httpApiStatus: 500
  }
) {}

/** The storage keeps the request from being answered. What became of it, `details.code` says. */
export class ServiceUnavailable extends Schema.Error<ServiceUnavailable>("ServiceUnavailable")(
  envelope(503, "ServiceUnavailable"),
  { httpApiStatus: 503 }
) {}

/** What every envelope carries beside its message. */
export interface Stamp {
  readonly timestamp: string
  readonly traceId: string
}

/** A human sentence that tells what to do, and what a program needs to tell cases apart. */
export interface Refusal {
  readonly message: string
  /** A stable code, in `details.code`. */
  readonly code?: string
  readonly details?: Readonly<Record<string, unknown>>
}

export const stamp: Effect.Effect<Stamp, never, ServiceTime> = Effect.contextWith(
  (context: Context.Context<ServiceTime>) =>
    Effect.map(Context.get(context, ServiceTime).now, (now) => ({
      timestamp: DateTime.formatIso(now),
      traceId: Context.get(context, TraceId)
    }))
)

/** What an envelope is made of. */
export interface Fields extends Stamp {
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
}

const fields = (refusal: Refusal, at: Stamp): Fields => {
  const all = { ...present({ code: refusal.code }), ...refusal.details }
  return {
    message: masked(refusal.message),
    ...at,
    ...(Object.keys(all).length === 0 ? {} : { details: echoed(all) as typeof all })
  }
}

/**
 * What an error tells back of a request is what was asked for: ids, references, names of fields. Where somebody uses a
 * CPF or CNPJ for one of them, or puts a secret in its place, it is masked, because errors end in the logs of whoever
 * receives them.
 */
const echoed = (value: unknown): unknown => {
  if (typeof value === "string") return masked(value)
  if (Array.isArray(value)) return value.map(echoed)
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, echoed(inner)]))
    : value
}

const masked = (text: string): string => maskAll(text.replace(anySecret, "***"))

/** What is issued here to be kept secret has a form of its own: client secrets, webhook secrets, tokens. */
const anySecret = /(?:psk|whsec)_[\w+/=-]+|\beyJ[\w-]*\.[\w-]+\.[\w-]*/g

/** Fails with one of the envelopes above, stamped with the time and the trace. */
export const refuse = <Wire>(
  Envelope: new (fields: Fields) => Wire,
  refusal: Refusal
): Effect.Effect<never, Wire, ServiceTime> =>
  Effect.flatMap(stamp, (at) => Effect.fail(withoutStack(() => new Envelope(fields(refusal, at)))))

/** An answer tells its caller what to do. Where it was made, nobody ever asks, and to note it costs as much as the rest. */
const withoutStack = <A>(make: () => A): A => {
  const { stackTraceLimit } = Error
  Reflect.set(Error, "stackTraceLimit", 0)
  try {
    return make()
  } finally {
    Reflect.set(Error, "stackTraceLimit", stackTraceLimit)
  }
}

/** The envelope of what keeps a request from being answered for now. */
export const unavailableNow = (refusal: Refusal, at: Stamp): ServiceUnavailable =>
  new ServiceUnavailable(fields(refusal, at))

/** The envelope of a defect: says nothing about what happened, only where to look it up. */
export const internal = (at: Stamp): InternalError =>
  new InternalError({
    message: "Something went wrong on our side. Quote the traceId when you report it.",
    ...at
  })
