import type { Duration, Layer, Scope } from "effect"
import { Cause, Clock, Context, Effect } from "effect"
import {
  FindMyWay,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import type { HttpApiGroup } from "effect/http-api"
import { HttpApi } from "effect/http-api"
import type { Uuid } from "../kernel/Ids.ts"
import { Ids } from "../ports/Ids.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { withinOf } from "../ports/Within.ts"
import { CurrentWriteMark, WriteMark } from "../ports/WriteMark.ts"
import { underGuard } from "../telemetry/SpanGuarder.ts"
import { AnswerHeaders } from "./AnswerHeaders.ts"
import type { Stamp } from "./ErrorEnvelope.ts"
import {
  internal,
  MethodNotAllowed,
  NotFound,
  stamp,
  TwoFieldErrors,
  unavailableNow
} from "./ErrorEnvelope.ts"
import type { ApiName } from "./ObservedRequests.ts"
import { observeRequests, spanTraceOf } from "./ObservedRequests.ts"
import { TimeAllowed } from "./TimeAllowed.ts"
import { TraceId } from "./TraceId.ts"
import { storageErrorIn, unavailable } from "./Unavailable.ts"
import { safeCause } from "../telemetry/SafeCause.ts"

/** Answers every request, whatever happens; only an abort of the client passes through. */
export type App = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

interface Paths {
  /** Which methods a path has: the router itself knows only whole routes. */
  readonly methods: (url: string) => ReadonlyArray<string>
  readonly hasTwoFieldErrors: (method: string, url: string) => boolean
  readonly timeAllowed: (method: string, url: string) => Duration.Duration
  /** The template of the route, such as `/transactions/:id`. */
  readonly template: (method: string, url: string) => string | undefined
  /** A path as an error may name it: the words that paths of this API have. The others may be somebody's data. */
  readonly spelled: (url: string) => string
}

const pathsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): Paths => {
  const paths = FindMyWay.make<Route>(routerConfig)
  const methods = new Set<string>()
  const words = new Set<string>([""])
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, mergedAnnotations }) => {
      methods.add(endpoint.method)
      const hasTwo = Context.get(endpoint.annotations, TwoFieldErrors)
      const timeAllowed = Context.get(mergedAnnotations, TimeAllowed)
      const path = endpoint.path as FindMyWay.PathInput
      paths.on(endpoint.method, path, { hasTwo, template: path, timeAllowed })
      for (const word of path.split("/")) words.add(word)
    }
  })
  return {
    methods: (url) => [...methods].filter((method) => paths.find(method, url) !== undefined),
    hasTwoFieldErrors: (method, url) => paths.find(method, url)?.handler.hasTwo === true,
    timeAllowed: (method, url) =>
      paths.find(method, url)?.handler.timeAllowed ?? TimeAllowed.defaultValue(),
    template: (method, url) => paths.find(method, url)?.handler.template,
    spelled: (url) =>
      (url.split(/[?#]/)[0] ?? "")
        .split("/")
        .slice(0, 12)
        .map((part) => (words.has(part) ? part : "…"))
        .join("/")
  }
}

interface Route {
  readonly hasTwo: boolean
  readonly timeAllowed: Duration.Duration
  readonly template: string
}

const routerConfig = {
  // Room for a reference of 255 characters, each of them percent-encoded four times over.
  maxParamLength: 3_072,
  // One path has one spelling, so that a rule about it in a proxy cannot be written around.
  caseSensitive: true,
  ignoreDuplicateSlashes: false
} as const

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
  const paths = pathsOf(api)
  const within = withinOf(yield* Clock.Clock)
  const { failed, notNow } = failuresOf(paths)
  // What is captured here is what handlers run in, the tracer too.
  const app = yield* underGuard(
    Effect.provideService(HttpRouter.toHttpEffect(routes), HttpRouter.RouterConfig, routerConfig)
  )

  const answer = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const twice = repeatedHeader(request)
    if (twice !== undefined) {
      const message = `The header ${twice} must be sent once.`
      if (paths.hasTwoFieldErrors(request.method, request.url)) {
        return json(400, { error: "Bad Request", message })
      }
      const at = yield* stamp
      return json(400, {
        statusCode: 400,
        error: "BadRequest",
        message,
        details: { code: "DUPLICATE_HEADER", header: twice },
        ...at
      })
    }
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
      "cache-control": "no-store",
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
    const at = yield* stamp
    if (isRouteNotFound(cause))
      return noRoute(paths.spelled(request.url), paths.methods(request.url), at)
    yield* Effect.logError("A request failed.", safeCause(cause))
    return json(500, internal(at))
  })

  return { failed, notNow }
}

const json = (status: number, body: object): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(body, { status })

const isRouteNotFound = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some(
    (reason) =>
      Cause.isFailReason(reason) &&
      HttpServerError.isHttpServerError(reason.error) &&
      reason.error.reason._tag === "RouteNotFound"
  )

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
