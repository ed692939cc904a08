import { ByteSize, Context, Effect, Layer, Result } from "effect"
import type { HttpServerError } from "effect/http"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import { HttpApiError, HttpApiMiddleware } from "effect/http-api"
import type { JsonValue } from "../kernel/StrictJson.ts"
import * as StrictJson from "../kernel/StrictJson.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { invalid, issuesOfQuery } from "./Invalid.ts"
import {
  BadRequest,
  PayloadTooLarge,
  refuse,
  RequestTimeout,
  ServiceUnavailable,
  UnsupportedMediaType
} from "./ErrorEnvelope.ts"
import type { Refusal } from "./ErrorEnvelope.ts"

/** The parsed body of the request; undefined when it has none. */
export class RequestBody extends Context.Service<
  RequestBody,
  { readonly json: JsonValue | undefined }
>()("@pagora/core/http/RequestBody") {}

/** Bytes. Everything the API takes is far smaller. */
export const bodyBytesMax = 65_536

export type BodyRefused =
  | { readonly _tag: "TooLarge" }
  | { readonly _tag: "NotJson"; readonly type: string }
  | { readonly _tag: "Malformed"; readonly refusal: Refusal }

/**
 * Reads the body as strict JSON, before anybody asks who is calling. Its size, encoding, depth and form are
 * checked here once, so that nothing further in meets a document that it cannot store or send on.
 */
export const readBody: Effect.Effect<
  JsonValue | undefined,
  BodyRefused,
  HttpServerRequest.HttpServerRequest
> = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
  // Most requests have none, and are told so in one step.
  request.headers["content-length"] === undefined && hasNone(request)
    ? Effect.undefined
    : readIt(request)
)

const readIt = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const bytes = yield* bytesOf(request)
  if (bytes.length === 0) return undefined
  const type = request.headers["content-type"]
  if (type !== undefined && !/^application\/json\s*(;|$)/i.test(type)) {
    return yield* Effect.fail<BodyRefused>({ _tag: "NotJson", type })
  }
  const parsed = Result.flatMap(
    Result.mapError(StrictJson.decodeUtf8(bytes), (error): { readonly message: string } =>
      isCompressed(request) ? compressed : error
    ),
    (text) => StrictJson.parse(text, StrictJson.jsonLimits)
  )
  return Result.isSuccess(parsed)
    ? parsed.success
    : yield* Effect.fail<BodyRefused>({
        _tag: "Malformed",
        refusal: { message: parsed.failure.message, code: "MALFORMED_JSON" }
      })
})

/** Whether it says so. A proxy may have decompressed it by then. */
const isCompressed = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  (headers["content-encoding"] ?? "identity").toLowerCase() !== "identity"

const compressed = {
  message: "Nothing here decompresses a body: send it without Content-Encoding."
}

/** The bytes of a body, up to `bodyBytesMax`. */
export const bytesOf = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<Uint8Array, BodyRefused> => {
  // Asked first, so that a body which says it is too large is not read at all.
  if (Number(request.headers["content-length"] ?? 0) > bodyBytesMax)
    return Effect.fail({ _tag: "TooLarge" })
  if (hasNone(request)) return Effect.succeed(noBytes)
  return wholeOf(request).pipe(
    Effect.mapError(({ reason }): BodyRefused =>
      reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
        ? { _tag: "TooLarge" }
        : unreadable
    )
  )
}

const wholeOf = (
  request: HttpServerRequest.HttpServerRequest & BytesGiven
): Effect.Effect<Uint8Array, HttpServerError.HttpServerError> =>
  request.bytes ??
  request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bodyBytesMax)),
    Effect.map((buffer) => new Uint8Array(buffer))
  )

/** A request of whose body nothing is copied, and which is no longer than it says. */
interface BytesGiven {
  readonly bytes?: Effect.Effect<Uint8Array, HttpServerError.HttpServerError>
}

const noBytes = new Uint8Array()

/** Whether a request says that it has no body: then nobody waits for the end of one. */
const hasNone = ({ headers, source }: HttpServerRequest.HttpServerRequest): boolean =>
  "rawHeaders" in source
    ? // By these two alone a message of HTTP/1.1 says that it has one (RFC 9112, 6.3).
      headers["content-length"] === undefined && headers["transfer-encoding"] === undefined
    : "body" in source && source.body === null

const unreadable: BodyRefused = {
  _tag: "Malformed",
  refusal: {
    message: "The request body could not be read to its end. Send it again.",
    code: "BODY_UNREADABLE"
  }
}

/** Every endpoint of the API but `POST /auth` reads its body so. */
export class StrictBody extends HttpApiMiddleware.Service<StrictBody, { provides: RequestBody }>()(
  "@pagora/core/http/StrictBody",
  // Whatever an endpoint does, it rests on the storage.
  { error: [BadRequest, RequestTimeout, PayloadTooLarge, UnsupportedMediaType, ServiceUnavailable] }
) {
  static readonly layer: Layer.Layer<StrictBody, never, ServiceTime> = Layer.effect(
    StrictBody,
    Effect.gen(function* () {
      const time = yield* ServiceTime
      return StrictBody.of((httpEffect) => {
        const withBody = (json: JsonValue | undefined) =>
          Effect.provideService(httpEffect, RequestBody, { json })
        const without = withBody(undefined)
        const stamped = Effect.provideService(ServiceTime, time)
        return readBody.pipe(
          Effect.catch((refused) => stamped(refusal(refused))),
          Effect.flatMap((json) => (json === undefined ? without : withBody(json))),
          // The type of a middleware's inner effect does not name this error.
          Effect.catch((error) =>
            HttpApiError.HttpApiSchemaError.is(error)
              ? stamped(undecodable(error))
              : Effect.fail(error)
          )
        )
      })
    })
  )
}

/** A query or a path that does not decode is the caller's; an answer that does not encode is our defect. */
const undecodable = (
  error: HttpApiError.HttpApiSchemaError
): Effect.Effect<never, BadRequest, ServiceTime> =>
  error.kind === "Body" || error.kind === "ResponseHeaders"
    ? Effect.die(error)
    : invalid(error.cause.issue, "The query of the request is not valid.", issuesOfQuery)

const refusal = (
  refused: BodyRefused
): Effect.Effect<never, BadRequest | PayloadTooLarge | UnsupportedMediaType, ServiceTime> => {
  switch (refused._tag) {
    case "TooLarge":
      return refuse(PayloadTooLarge, tooLarge)
    case "NotJson":
      return refuse(UnsupportedMediaType, notJson(refused.type))
    case "Malformed":
      return refuse(BadRequest, refused.refusal)
  }
}

export const tooLarge: Refusal = {
  message: `The request body is larger than ${bodyBytesMax} bytes.`,
  code: "PAYLOAD_TOO_LARGE"
}

export const notJson = (type: string): Refusal => ({
  message: "The request body must be JSON: send it with Content-Type: application/json.",
  code: "UNSUPPORTED_MEDIA_TYPE",
  details: { contentType: type.slice(0, 100) }
})
