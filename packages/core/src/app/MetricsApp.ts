import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import { measureLag } from "../jobs/Backlogs.ts"
import type { App } from "../http/App.ts"

/** How long a scrape waits for the storage. Without it there is everything but the newest lag of the queues. */
const lagWithin = "2 seconds"

/** Every metric of this process in the text format of Prometheus, the lag of the queues looked up first. */
export const metricsText: Effect.Effect<string, never, Storage | ServiceTime> = measureLag.pipe(
  Effect.catchCause(() => Effect.void),
  Effect.timeoutOption(lagWithin),
  Effect.andThen(PrometheusMetrics.format())
)

/**
 * Answers a scrape of Prometheus, at whatever path it is mounted. It asks for no key: mount it where only the operator
 * comes, beside the operator's API.
 */
export const metricsApp: Effect.Effect<App, never, Storage | ServiceTime> = Effect.gen(
  function* () {
    const context = yield* Effect.context<Storage | ServiceTime>()
    return Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (request.method !== "GET" && request.method !== "HEAD")
        return HttpServerResponse.empty({ status: 405, headers: { allow: "GET, HEAD" } })
      const text = yield* Effect.provideContext(metricsText, context)
      return HttpServerResponse.text(text, {
        contentType: "text/plain; version=0.0.4; charset=utf-8",
        headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" }
      })
    })
  }
)
