import { Clock, Context, Effect, Layer, References, Scope, Tracer } from "effect"
import type { FindMyWay, HttpRouter } from "effect/http"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import type { Uuid } from "../kernel/Ids.ts"
import { Ids } from "../ports/Ids.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { withinOf } from "../ports/Within.ts"
import { CurrentWriteMark, WriteMark } from "../ports/WriteMark.ts"
import { underGuard } from "../telemetry/SpanGuarder.ts"
import { AnswerHeaders } from "./AnswerHeaders.ts"
import { compileApi, RouteFound } from "./CompiledApi.ts"
import { stamp } from "./ErrorEnvelope.ts"
import type { ApiName } from "./ObservedRequests.ts"
import { observed, spanTraceOf } from "./ObservedRequests.ts"
import type { Paths, Route } from "./Paths.ts"
import { pathsOf, Unserved } from "./Paths.ts"
import { TraceId } from "./TraceId.ts"
import { failed, noSuchPath, notAllowed, notNow, refusedAsUnclear } from "./Unanswered.ts"
import { unclear } from "./Unclear.ts"

/** Answers every request, whatever happens; only an abort of the client passes through. */
export type App = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

type Request = HttpServerRequest.HttpServerRequest
type Found = FindMyWay.FindResult<Route>
/** What handlers take from the request they answer. */
type AskedFor = HttpRouter.Request<"Requires", ServiceTime>

/**
 * Makes an API into one effect that answers requests. Everything that handlers, the framework or a bug can come to leaves
 * in the envelope of the API's errors, and every answer carries the headers that keep it out of caches. What is the same
 * for every request is made here, once (decision 0094).
 */
export const make = Effect.fnUntraced(function* <
  Id extends string,
  Groups extends HttpApiGroup.Constraint,
  E,
  R
>(
  name: ApiName,
  api: HttpApi.HttpApi<Id, Groups>,
  handlers: Layer.Layer<HttpApiGroup.ToService<Id, Groups>, E, R | AskedFor>
) {
  const ids = yield* Ids
  const home = yield* underGuard(homeOf(handlers as Layer.Layer<never, E, R>))
  const paths = pathsOf(api, yield* Unserved, compileApi(api, home))
  const answer = answersOf(paths, withinOf(yield* Clock.Clock))
  const isHome = Context.get(home, Home)

  const app = Effect.withFiber((fiber) => {
    const context = fiber.context as Context.Context<HttpServerRequest.HttpServerRequest>
    const request = Context.get(context, HttpServerRequest.HttpServerRequest)
    const found = paths.find(request.method, request.url)
    const traced = Effect.withFiber((inner) => {
      const trace = traceOf(request.headers["traceparent"]) ?? spanTraceOf(inner)
      return trace === undefined
        ? Effect.flatMap(ids.next<Uuid>(), (id) => answer(request, found, id.replaceAll("-", "")))
        : answer(request, found, trace)
    })
    const whole =
      Context.get(context, Home) === isHome ? traced : Effect.provideContext(traced, home)
    return observed(whole as App, fiber, { api: name, request, route: found?.handler.template })
  }) as App
  homes.set(app, home)
  return app
})

/** Answers a request whose route was looked for, under its trace. */
const answersOf = (paths: Paths, within: ReturnType<typeof withinOf>) => {
  const routed = (request: Request, { handler }: Found) => {
    const mark = new WriteMark()
    const whole = handler.answering.pipe(
      Effect.catchCause((cause) => failed(request, handler, mark, cause)),
      Effect.provideService(CurrentWriteMark, mark)
    )
    const late = Effect.andThen(
      Effect.logWarning("A request took too long and was given up."),
      Effect.suspend(() => notNow(request, handler, mark))
    )
    // The framework runs an app so that nothing but the app itself can be cut off.
    const answered = Effect.interruptible(within(whole, handler.timeAllowed))
    return Effect.flatMap(answered, (response) =>
      response === undefined ? late : Effect.succeed(response)
    )
  }

  const answer = (request: Request, found: Found | undefined) => {
    const wrong = unclear(request)
    if (wrong !== undefined)
      return refusedAsUnclear(wrong, found?.handler.hasTwoFieldErrors === true)
    if (found !== undefined) return routed(request, found)
    const allowed = paths.methods(request.url)
    return Effect.map(stamp, (at) =>
      allowed.length === 0 ? noSuchPath(paths.spelled(request.url), at) : notAllowed(allowed, at)
    )
  }

  return (request: Request, found: Found | undefined, trace: string) => {
    const added = new Map<string, string>()
    return Effect.updateContext(
      Effect.map(answer(request, found), (response) => withHeaders(response, added)),
      (context: Context.Context<never>) =>
        context.pipe(
          Context.add(TraceId, trace),
          Context.add(AnswerHeaders, added),
          Context.add(References.CurrentLogAnnotations, {
            ...Context.get(context, References.CurrentLogAnnotations),
            traceId: trace
          }),
          Context.add(RouteFound, found ?? nothingFound)
        ) as Context.Context<unknown>
    )
  }
}

const nothingFound = { params: {}, searchParams: {} }

const homes = new WeakMap<App, Context.Context<never>>()

/** Runs what begins the requests of an app so that each of them begins in what its handlers run in. */
export const atHome = <A, E, R>(app: App, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateContext(
    effect,
    (context: Context.Context<R>) => (homes.get(app) ?? context) as Context.Context<R>
  )

/** Tells for which app a fiber was begun. */
const Home = Context.Reference<object | undefined>("@pagora/core/http/Home", {
  defaultValue: () => undefined
})

/** What handlers run in, the tracer too: made once, with room for what a request adds. */
const homeOf = Effect.fnUntraced(function* <E, R>(handlers: Layer.Layer<never, E, R>) {
  const outer = yield* Effect.context<R | ServiceTime | Scope.Scope>()
  const memo = Layer.CurrentMemoMap.forkOrCreate(outer)
  const built = yield* Layer.buildWithMemoMap(handlers, memo, Context.get(outer, Scope.Scope))
  const services = new Map(Context.merge(outer, built).mapUnsafe)
  services.delete(Scope.Scope.key)
  services.delete(Tracer.ParentSpan.key)
  services.set(Home.key, {})
  return Context.makeUnsafe<ServiceTime>(services, { maxDepth: 32 })
})

/** The headers of every answer, after its own. */
const withHeaders = (
  response: HttpServerResponse.HttpServerResponse,
  added: ReadonlyMap<string, string>
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setHeaders(response, {
    // Whoever is sent away is told when to come back.
    ...(response.status === 429 || response.status === 503 ? { "retry-after": "1" } : {}),
    ...(added.size === 0 ? {} : Object.fromEntries(added)),
    // What is the same for everybody says so by itself.
    "cache-control": response.headers["cache-control"] ?? "no-store",
    "x-content-type-options": "nosniff"
  })

/** The trace id of a well-formed traceparent (W3C Trace Context). */
const traceOf = (header: string | undefined): string | undefined => {
  if (header === undefined) return undefined
  const trace = /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(header)?.[1]
  return trace === undefined || /^0+$/.test(trace) ? undefined : trace
}
