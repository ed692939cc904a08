import type { Layer, Scope } from "effect"
import { Cause, Clock, Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import type { Uuid } from "../kernel/Ids.ts"
import { Ids } from "../ports/Ids.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { withinOf } from "../ports/Within.ts"
import { CurrentWriteMark, WriteMark } from "../ports/WriteMark.ts"
import { underGuard } from "../telemetry/SpanGuarder.ts"
import { AnswerHeaders } from "./AnswerHeaders.ts"
import type { Stamp } from "./ErrorEnvelope.ts"
import {
  BadRequest,
  internal,
  MethodNotAllowed,
  NotFound,
  stamp,
  unavailableNow
} from "./ErrorEnvelope.ts"
import type { ApiName } from "./ObservedRequests.ts"
import { observeRequests, spanTraceOf } from "./ObservedRequests.ts"
import type { Paths } from "./Paths.ts"
import { nulInQuery, pathsOf, routerConfig, Unserved } from "./Paths.ts"
import { TraceId } from "./TraceId.ts"
import { storageErrorIn, unavailable } from "./Unavailable.ts"
import { safeCause } from "../telemetry/SafeCause.ts"

/** Answers every request, whatever happens; only an abort of the client passes through. */
export type App = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/**
 * Makes an API into one effect that answers requests. Everything that the router, the framework or a bug can
 * come to leaves in the envelope of the API's errors, and every answer carries the headers that keep it out
 * of caches.
 */
export const make = Effect.fnUntraced(function* <
  Id extends string,
  Groups extends HttpApiGroup.Constraint,
  E,
  R
>(name: ApiName, api: HttpApi.HttpApi<Id, Groups>, routes: Layer.Layer<never, E, R>) {
  const time = yield* ServiceTime
  const ids = yield* Ids
  const paths = pathsOf(api, yield* Unserved)
  const within = withinOf(yield* Clock.Clock)
  const { failed, notNow } = failuresOf(paths)
  // What is captured here is what handlers run in, the tracer too.
  const app = yield* underGuard(
    Effect.provideService(HttpRouter.toHttpEffect(routes), HttpRouter.RouterConfig, routerConfig)
  )

  const answer = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const wrong = unclear(request)
    if (wrong !== undefined) {
      const { details, message } = wrong
      return paths.hasTwoFieldErrors(request.method, request.url)
        ? json(400, { error: "Bad Request", message })
        : json(400, new BadRequest({ message, details, ...(yield* stamp) }))
    }
    if (paths.template(request.method, request.url) === undefined)
      return noRoute(paths.spelled(request.url), paths.methods(request.url), yield* stamp)
    const mark = new WriteMark()
    const answered = yield* app.pipe(
      Effect.catchCause((cause) => failed(request, cause, mark)),
      Effect.provideService(CurrentWriteMark, mark),
      (whole) => within(whole, paths.timeAllowed(request.method, request.url)),
      // The framework runs an app so that nothing but the app itself can be cut off.
      Effect.interruptible
    )
    if (answered !== undefined) return answered
    yield* Effect.logWarning("A request took too long and was given up.")
    return yield* notNow(request, mark)
  })

  const whole = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const trace =
      traceOf(request.headers["traceparent"]) ??
      (yield* Effect.withFiber((fiber) => Effect.succeed(spanTraceOf(fiber)))) ??
      (yield* ids.next<Uuid>()).replaceAll("-", "")
    const added = new Map<string, string>()
    const response = yield* answer(request).pipe(
      Effect.provideService(TraceId, trace),
      Effect.provideService(AnswerHeaders, added),
      Effect.annotateLogs({ traceId: trace })
    )
    return HttpServerResponse.setHeaders(response, {
      // Whoever is sent away is told when to come back.
      ...(response.status === 429 || response.status === 503 ? { "retry-after": "1" } : {}),
      ...Object.fromEntries(added),
      // What is the same for everybody says so by itself.
      "cache-control": response.headers["cache-control"] ?? "no-store",
      "x-content-type-options": "nosniff"
    })
  }).pipe(Effect.provideService(ServiceTime, time)) as App
  return observeRequests({ api: name, routeOf: paths.template })(whole)
})

/** What is answered where there is no answer. */
const failuresOf = (paths: Paths) => {
  /** What the storage keeps from being answered. */
  const notNow = Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    mark: WriteMark
  ) {
    const hasKey = "idempotency-key" in request.headers
    const refusal = unavailable(request.method !== "GET" && mark.mayBeWritten, hasKey)
    return paths.hasTwoFieldErrors(request.method, request.url)
      ? json(503, { error: "Service Unavailable", message: refusal.message })
      : json(503, unavailableNow(refusal, yield* stamp))
  })

  const failed = Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    cause: Cause.Cause<unknown>,
    mark: WriteMark
  ) {
    if (Cause.hasInterruptsOnly(cause)) return yield* Effect.interrupt
    if (storageErrorIn(cause) !== undefined) {
      yield* Effect.logWarning("A request could not be answered.", safeCause(cause))
      return yield* notNow(request, mark)
    }
    yield* Effect.logError("A request failed.", safeCause(cause))
    return json(500, internal(yield* stamp))
  })

  return { failed, notNow }
}

const json = (status: number, body: object): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(body, { status })

const noRoute = (
  spelled: string,
  allowed: ReadonlyArray<string>,
  at: Stamp
): HttpServerResponse.HttpServerResponse =>
  allowed.length === 0
    ? json(
        404,
        new NotFound({
          message: "There is no such path.",
          details: { code: "ROUTE_NOT_FOUND", resource: "path", id: spelled },
          ...at
        })
      )
    : HttpServerResponse.setHeader(
        json(
          405,
          new MethodNotAllowed({
            message: `This path takes ${allowed.join(", ")}.`,
            details: { code: "METHOD_NOT_ALLOWED", allowed },
            ...at
          })
        ),
        "allow",
        allowed.join(", ")
      )

/** What two readers of a request could take for two things, or nothing can be done with. */
const unclear = (request: HttpServerRequest.HttpServerRequest) => {
  const header = repeatedHeader(request)
  if (header !== undefined) {
    const message = `The header ${header} must be sent once.`
    return { message, details: { code: "DUPLICATE_HEADER", header } }
  }
  const field = nulInQuery(request.url)
  if (field === undefined) return undefined
  const message = "This holds the NUL character, which no text here has."
  return {
    message: `${field}: ${message}`,
    details: { code: "VALIDATION_ERROR", issues: [{ field, message }] }
  }
}

/** The trace id of a well-formed traceparent (W3C Trace Context). */
const traceOf = (header: string | undefined): string | undefined => {
  const trace = /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(header ?? "")?.[1]
  return trace === undefined || /^0+$/.test(trace) ? undefined : trace
}

/** Headers that decide who may do what. Two of one kind and two readers may not agree which counts. */
const singular = new Set([
  "authorization",
  "content-length",
  "content-type",
  "host",
  "idempotency-key",
  "transfer-encoding",
  "x-sub-account"
])

/** Where the host is Node, the raw headers still show what its parser merged or dropped. */
const repeatedHeader = (request: HttpServerRequest.HttpServerRequest): string | undefined => {
  const { rawHeaders } = request.source as { readonly rawHeaders?: ReadonlyArray<string> }
  if (!Array.isArray(rawHeaders)) return undefined
  const seen = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = String(rawHeaders[index]).toLowerCase()
    if (!singular.has(name)) continue
    if (seen.has(name)) return name
    seen.add(name)
  }
  return undefined
}
