import type { Duration } from "effect"
import { Context, Effect, References } from "effect"
import type { FindMyWay } from "effect/http"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ServiceTime } from "../time/ServiceTime.ts"
import { CurrentEpoch } from "../storage/Epoch.ts"
import { CurrentWriteMark, WriteMark } from "../storage/WriteMark.ts"
import type { Added } from "./AnswerHeaders.ts"
import { AnswerHeaders } from "./AnswerHeaders.ts"
import { RouteFound } from "./CompiledApi.ts"
import { stamp } from "./ErrorEnvelope.ts"
import type { Paths, Route } from "./Paths.ts"
import { requestMax } from "./TimeAllowed.ts"
import { TraceId } from "./TraceId.ts"
import {
  failed,
  isOnItsWay,
  noSuchPath,
  notAllowed,
  notArrived,
  notNow,
  refusedAsUnclear
} from "./Unanswered.ts"
import { unclear } from "./Unclear.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse
type Found = FindMyWay.FindResult<Route>

/** A request that is being answered: its route, and what its answer is made of beside what the endpoint says. */
export class Exchange implements Added {
  readonly request: Request
  readonly found: Found | undefined
  readonly trace: string
  headers: Map<string, string> | undefined = undefined
  private readonly mark = new WriteMark()
  private readonly epoch: number | undefined

  /** @param epoch That of the primary, before anything of it is read. */
  constructor(request: Request, found: Found | undefined, trace: string, epoch?: number) {
    this.request = request
    this.found = found
    this.trace = trace
    this.epoch = epoch
  }

  /** What it is answered in: a context with all that belongs to the request. */
  within(context: Context.Context<never>): Context.Context<ServiceTime> {
    return context.pipe(
      Context.add(HttpServerRequest.HttpServerRequest, this.request),
      Context.add(TraceId, this.trace),
      Context.add(AnswerHeaders, this),
      Context.add(CurrentWriteMark, this.mark),
      Context.add(CurrentEpoch, this.epoch),
      Context.add(References.CurrentLogAnnotations, {
        ...Context.get(context, References.CurrentLogAnnotations),
        traceId: this.trace
      }),
      Context.add(RouteFound, this.found ?? nothingFound)
    ) as Context.Context<never> as Context.Context<ServiceTime>
  }

  /** Its answer, whatever happens; only an abort passes through. */
  answered(paths: Paths): Effect.Effect<Response, never, ServiceTime> {
    const { found, request } = this
    const wrong = unclear(request)
    if (wrong !== undefined)
      return refusedAsUnclear(wrong, found?.handler.hasTwoFieldErrors === true)
    if (found !== undefined)
      return Effect.catchCause(paths.answering(found.handler) as Effect.Effect<Response>, (cause) =>
        failed(request, found.handler, this.mark, cause)
      )
    const allowed = paths.methods(request.url)
    return Effect.map(stamp, (at) =>
      allowed.length === 0
        ? noSuchPath(paths.spelled(request.url), at, paths.hasSlashTooMany(request.url))
        : notAllowed(allowed, at)
    )
  }

  /** How long it may take. */
  get timeAllowed(): Duration.Duration {
    return this.found?.handler.timeAllowed ?? requestMax
  }

  /** What it is answered when that is over. */
  get late(): Effect.Effect<Response, never, ServiceTime> {
    return Effect.suspend(() => {
      const route = this.found?.handler
      // Nobody here was slow.
      if (isOnItsWay(this.request) && !this.mark.mayBeWritten)
        return notArrived(route?.hasTwoFieldErrors === true)
      return Effect.andThen(
        Effect.logWarning("A request took too long and was given up."),
        notNow(this.request, route, this.mark)
      )
    })
  }

  /** The headers of its answer, after those of the endpoint. */
  headersOf(response: Response): Readonly<Record<string, string>> {
    const { status } = response
    const headers: Record<string, string> = { ...response.headers }
    // Whoever is sent away is told when to come back.
    if (status === 429 || status === 503) headers["retry-after"] = "1"
    // Whoever is not known is told how to make himself known (RFC 9110, 11.6.1; RFC 6750, 3).
    if (status === 401) headers["www-authenticate"] = "Bearer"
    if (this.headers !== undefined) for (const [name, value] of this.headers) headers[name] = value
    // What is the same for everybody says so by itself.
    headers["cache-control"] = response.headers["cache-control"] ?? "no-store"
    headers["x-content-type-options"] = "nosniff"
    return headers
  }
}

const nothingFound = { params: {}, searchParams: {} }
