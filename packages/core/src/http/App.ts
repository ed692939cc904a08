import { Clock, Context, Effect, Layer, Scope, Tracer } from "effect"
import type { HttpRouter } from "effect/http"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import { Storage } from "../storage/Storage.ts"
import { Ids } from "../time/Ids.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import type { Watch } from "../kernel/Within.ts"
import { watchOf, withinOf } from "../kernel/Within.ts"
import { underGuard } from "../telemetry/SpanGuarder.ts"
import { acknowledged } from "./Acknowledged.ts"
import { compileApi } from "./CompiledApi.ts"
import { Exchange } from "./Exchange.ts"
import type { ApiName } from "./ObservedRequests.ts"
import { counterOf, observed, spanTraceOf } from "./ObservedRequests.ts"
import type { Paths } from "./Paths.ts"
import { pathsOf, Unserved } from "./Paths.ts"
import { traceOf, tracesOf } from "./TraceId.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** Answers every request, whatever happens; only an abort of the client passes through. */
export type App = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** What handlers take from the request they answer. */
type AskedFor = HttpRouter.Request<"Requires", ServiceTime>

/**
 * Makes an API into one effect that answers requests. Everything that handlers, the framework or a bug can come to leaves
 * in the envelope of the API's errors, and every answer carries the headers that keep it out of caches. What is the same
 * for every request is made here, once (decision 0086).
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
  const nextTrace = tracesOf(yield* (yield* Ids).next())
  const home = yield* underGuard(homeOf(handlers as Layer.Layer<never, E, R>))
  const { epoch, sync } = yield* Storage
  const paths = pathsOf(api, yield* Unserved, compileApi(api, home, acknowledged(sync)))
  const clock = yield* Clock.Clock
  const within = withinOf(clock)
  const isHome = Context.get(home, Home)

  const app = Effect.withFiber((fiber) => {
    const context = fiber.context as Context.Context<HttpServerRequest.HttpServerRequest>
    const request = Context.get(context, HttpServerRequest.HttpServerRequest)
    const found = paths.find(request.method, request.url)
    const traced = Effect.withFiber((inner) => {
      const trace = traceOf(request.headers["traceparent"]) ?? spanTraceOf(inner) ?? nextTrace()
      const exchange = new Exchange(request, found, trace, epoch?.())
      return Effect.updateContext(
        Effect.map(inTime(exchange, paths, within), (response) =>
          HttpServerResponse.setHeaders(response, exchange.headersOf(response))
        ),
        () => exchange.within(inner.context) as Context.Context<unknown>
      )
    })
    const whole =
      Context.get(context, Home) === isHome ? traced : Effect.provideContext(traced, home)
    return observed(whole as App, fiber, { api: name, request, route: found?.handler.template })
  }) as App
  fronts.set(app, {
    home,
    watch: watchOf(clock),
    begin: (request) => {
      const found = paths.find(request.method, request.url)
      const trace = traceOf(request.headers["traceparent"]) ?? nextTrace()
      return new Exchange(request, found, trace, epoch?.())
    },
    answered: (exchange) => exchange.answered(paths),
    count: counterOf(name, clock, home)
  })
  return app
})

/** An answer that is given up where its endpoint takes longer than it may. */
const inTime = (
  exchange: Exchange,
  paths: Paths,
  within: ReturnType<typeof withinOf>
): Effect.Effect<Response, never, ServiceTime> => {
  const answer = exchange.answered(paths)
  if (exchange.found === undefined) return answer
  // The framework runs an app so that nothing but the app itself can be cut off.
  const answered = Effect.interruptible(within(answer, exchange.timeAllowed))
  return Effect.flatMap(answered, (response) =>
    response === undefined ? exchange.late : Effect.succeed(response)
  )
}

/** An app in its parts, for who runs its requests without the framework's handler. */
export interface Front {
  /** What every request is answered in. */
  readonly home: Context.Context<never>
  readonly watch: Watch
  readonly begin: (request: Request) => Exchange
  readonly answered: (exchange: Exchange) => Effect.Effect<Response, never, ServiceTime>
  readonly count: ReturnType<typeof counterOf>
}

const fronts = new WeakMap<App, Front>()

/** The parts of an app; none, where it was not made here. */
export const frontOf = (app: App): Front | undefined => fronts.get(app)

/** Runs what begins the requests of an app so that each of them begins in what its handlers run in. */
export const atHome = <A, E, R>(app: App, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateContext(
    effect,
    (context: Context.Context<R>) => (fronts.get(app)?.home ?? context) as Context.Context<R>
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
