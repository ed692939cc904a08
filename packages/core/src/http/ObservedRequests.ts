import type { Fiber } from "effect"
import { Clock, Context, Effect, Exit, Option, Tracer } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpTraceContext } from "effect/http"
import { httpRequests } from "../telemetry/Metrics.ts"
import { isTraced, underGuard } from "../telemetry/SpanGuarder.ts"
import type { App } from "./App.ts"
import { present } from "../kernel/Present.ts"

/** Which API a request is for, as metrics and spans call it; `program` is the one that asks for no token. */
export type ApiName = "tenant" | "program" | "operator" | "sandbox"

interface Observed {
  readonly api: ApiName
  readonly request: HttpServerRequest.HttpServerRequest
  /** The template of the route that the request has, or undefined where it has none. */
  readonly route: string | undefined
}

const methods: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"])

/**
 * Counts the requests of an API and measures how long they take: each from this call on, until it is told the status of its
 * answer; none, where its client did not wait for it.
 */
export const counterOf =
  (api: ApiName, clock: Clock.Clock, context: Context.Context<never>) =>
  (asked: string, route = "none"): ((status: number | undefined) => void) => {
    const begun = clock.monotonicTimeNanosUnsafe()
    return (status) => {
      const method = methodOf(asked)
      const took = Number(clock.monotonicTimeNanosUnsafe() - begun) / 1e9
      const end = status === undefined ? "aborted" : `${Math.floor(status / 100)}xx`
      httpRequests.of(api, method, route, end).updateUnsafe(took, context)
    }
  }

const methodOf = (method: string): string => (methods.has(method) ? method : "other")

/**
 * Counts a request, and where somebody looks at spans gives it its own. The framework's own span would carry whole paths and
 * headers, so there is none (see `Listener`).
 */
export const observed = (
  app: App,
  fiber: Fiber.Fiber<unknown, unknown>,
  { api, request, route = "none" }: Observed
): App => {
  const method = methodOf(request.method)
  const context = fiber.context as Context.Context<never>
  const ended = counterOf(api, fiber.getRef(Clock.Clock), context)(method, route)
  return Effect.onExit(
    isTraced(fiber) ? traced(app, { api, method, route, request }) : app,
    (exit) => Effect.sync(() => ended(Exit.isSuccess(exit) ? exit.value.status : undefined))
  )
}

const traced = (
  app: App,
  {
    api,
    method,
    request,
    route
  }: {
    readonly api: ApiName
    readonly method: string
    readonly route: string
    readonly request: HttpServerRequest.HttpServerRequest
  }
): App => {
  const parent = Option.getOrUndefined(HttpTraceContext.fromHeaders(request.headers))
  const answered = Effect.tap(app, ({ status }) =>
    Effect.annotateCurrentSpan("http.response.status_code", status)
  )
  return underGuard(
    Effect.withSpan(answered, `${method} ${route}`, {
      kind: "server",
      attributes: { "http.request.method": method, "http.route": route, "pagora.api": api },
      ...present({ parent })
    })
  ) as App
}

/** The trace of the request's span in the form of W3C, where it has one. */
export const spanTraceOf = (fiber: Fiber.Fiber<unknown, unknown>): string | undefined => {
  if (!isTraced(fiber)) return undefined
  const span = Context.getOption(fiber.context as Context.Context<never>, Tracer.ParentSpan)
  return Option.isSome(span) && /^[0-9a-f]{32}$/.test(span.value.traceId)
    ? span.value.traceId
    : undefined
}
