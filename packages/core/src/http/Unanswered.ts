import { Cause, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpServerResponse } from "effect/http"
import type { WriteMark } from "../storage/WriteMark.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import type { Stamp } from "./ErrorEnvelope.ts"
import { BadRequest, internal, stamp, unavailableNow } from "./ErrorEnvelope.ts"
import type { Route } from "./Paths.ts"
import { arrivedLate } from "./PlainError.ts"
import { storageErrorIn, unavailable } from "./Unavailable.ts"
import type { Unclear } from "./Unclear.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

const json = (status: number, body: object): Response =>
  HttpServerResponse.jsonUnsafe(body, { status })

/** What the storage keeps from being answered. */
export const notNow = Effect.fnUntraced(function* (
  request: Request,
  route: Route | undefined,
  mark: WriteMark
) {
  const hasKey = "idempotency-key" in request.headers
  const refusal = unavailable(request.method !== "GET" && mark.mayBeWritten, hasKey)
  return route?.hasTwoFieldErrors === true
    ? json(503, { error: "Service Unavailable", message: refusal.message })
    : json(503, unavailableNow(refusal, yield* stamp))
})

/** Whether its client has not sent all of it yet. */
export const isOnItsWay = ({ source }: Request): boolean =>
  "complete" in source && source.complete === false

/** A request of which the rest never came. Its connection cannot be used for another one. */
export const notArrived = (
  hasTwoFieldErrors: boolean
): Effect.Effect<Response, never, ServiceTime> =>
  Effect.map(stamp, (at) => {
    const { code, error, message, statusCode } = arrivedLate
    return HttpServerResponse.setHeader(
      hasTwoFieldErrors
        ? json(statusCode, { error: "Request Timeout", message })
        : json(statusCode, { statusCode, error, message, details: { code }, ...at }),
      "connection",
      "close"
    )
  })

/** What ends with no answer of an endpoint. */
export const failed = Effect.fnUntraced(function* (
  request: Request,
  route: Route,
  mark: WriteMark,
  cause: Cause.Cause<unknown>
) {
  if (Cause.hasInterruptsOnly(cause)) return yield* Effect.interrupt
  if (storageErrorIn(cause) !== undefined) {
    yield* Effect.logWarning("A request could not be answered.", safeCause(cause))
    return yield* notNow(request, route, mark)
  }
  yield* Effect.logError("A request failed.", safeCause(cause))
  return json(500, internal(yield* stamp))
})

/** A request that may mean two things. */
export const refusedAsUnclear = ({ details, message }: Unclear, hasTwoFieldErrors: boolean) =>
  hasTwoFieldErrors
    ? Effect.succeed(json(400, { error: "Bad Request", message }))
    : Effect.map(stamp, (at) => json(400, new BadRequest({ message, details, ...at })))

/** A path that is not there. Scanners ask for many: it is written as it is sent, in the order of the envelope. */
export const noSuchPath = (spelled: string, at: Stamp, hasSlashTooMany = false): Response =>
  json(404, {
    statusCode: 404,
    error: "NotFound",
    message: hasSlashTooMany
      ? "There is no such path. There is one without the slash at its end."
      : "There is no such path.",
    details: { code: "ROUTE_NOT_FOUND", resource: "path", id: spelled },
    ...at
  })

/** A path that takes other methods. */
export const notAllowed = (allowed: ReadonlyArray<string>, at: Stamp): Response =>
  HttpServerResponse.setHeader(
    json(405, {
      statusCode: 405,
      error: "MethodNotAllowed",
      message: `This path takes ${allowed.join(", ")}.`,
      details: { code: "METHOD_NOT_ALLOWED", allowed },
      ...at
    }),
    "allow",
    allowed.join(", ")
  )
