import type { Fiber } from "effect"
import { Clock, Context, Effect, Exit, Option, Tracer } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpTraceContext } from "effect/http"
import { httpRequests } from "../telemetry/Metrics.ts"
import { isTraced, underGuard } from "../telemetry/SpanGuarder.ts"
import type { App } from "./App.ts"

/** Which API a request is for, as metrics and spans call it; `program` is the one that asks for no token. */
export type ApiName = "tenant" | "program" | "operator" | "sandbox"

interface Observed {
  readonly api: ApiName
  readonly request: HttpServerRequest.HttpServerRequest
  /** The template of the route that the request has, or undefined where it has none. */
  readonly route: string | undefined
}

const methods: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"])

type Ended = Exit.Exit<HttpServerResponse.HttpServerResponse, never>

/** `aborted` is a request whose client did not wait for the answer. */
const classOf = (exit: Ended): string =>
  Exit.isSuccess(exit) ? `${Math.floor(exit.value.status / 100)}xx` : "aborted"

/**
 * Counts a request and measures how long it takes, and where somebody looks at spans gives it its own. The framework's own
 * span would carry whole paths and headers, so there is none (see `Listener`).
 */
export const observed = (
  app: App,
  fiber: Fiber.Fiber<unknown, unknown>,
  { api, request, route = "none" }: Observed
): App => {
  const method = methods.has(request.method) ? request.method : "other"
  const clock = fiber.getRef(Clock.Clock)
  const begun = clock.monotonicTimeNanosUnsafe()
  const ended = (exit: Ended) =>
    Effect.sync(() => {
      const took = Number(clock.monotonicTimeNanosUnsafe() - begun) / 1e9
      httpRequests
        .of(api, method, route, classOf(exit))
        .updateUnsafe(took, fiber.context as Context.Context<never>)
    })
  return Effect.onExit(isTraced(fiber) ? traced(app, { api, method, route, request }) : app, ended)
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
      ...(parent === undefined ? {} : { parent })
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
