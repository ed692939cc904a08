import { Config, Context, Effect, Layer, Logger, Tracer } from "effect"
import { FetchHttpClient, HttpClient, HttpClientError } from "effect/http"
import {
  OtlpExporter,
  OtlpLogger,
  OtlpMetrics,
  OtlpSerialization,
  OtlpTracer
} from "effect/observability"
import type { OtlpOptions } from "./Otlp.ts"
import { guardedLogger } from "../telemetry/LogGuarder.ts"
import { guarded } from "../telemetry/SpanGuarder.ts"

/** Sends what the options name to the collector, which is there. */
export const layer = (options: OtlpOptions): Layer.Layer<never> =>
  exporters(options).pipe(
    Layer.provide(
      options.protocol === "http/json"
        ? OtlpSerialization.layerJson
        : OtlpSerialization.layerProtobuf
    ),
    Layer.provide([OtlpExporter.layerFlusher, collectorClient])
  )

const exporters = (options: OtlpOptions) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { every = "5 seconds", headers, signals = ["traces", "metrics", "logs"] } = options
      const settings = {
        headers,
        resource: { serviceName: yield* nameOf(options) },
        exportInterval: every,
        shutdownTimeout: "2 seconds"
      } as const
      const url = (signal: string) => `${options.url.replace(/\/+$/, "")}/v1/${signal}`
      let context: Context.Context<never> = Context.empty()
      if (signals.includes("traces")) {
        const tracer = yield* OtlpTracer.make({ ...settings, url: url("traces") })
        context = Context.add(context, Tracer.Tracer, guarded(tracer))
      }
      if (signals.includes("logs")) {
        const logger = yield* OtlpLogger.make({ ...settings, url: url("logs") })
        const loggers = new Set([...(yield* Logger.CurrentLoggers), guardedLogger(logger)])
        context = Context.add(context, Logger.CurrentLoggers, loggers)
      }
      if (signals.includes("metrics"))
        yield* OtlpMetrics.make({ ...settings, exportInterval: "1 minute", url: url("metrics") })
      return context
    })
  )

const text = (name: string) => Config.withDefault(Config.String(name), "")

/** OpenTelemetry knows two variables for it; the resource's attributes are read with them. */
const nameOf = Effect.fnUntraced(function* ({ serviceName }: OtlpOptions) {
  if (serviceName !== undefined) return serviceName
  const known = yield* Effect.orDie(
    Effect.all([text("OTEL_SERVICE_NAME"), text("OTEL_RESOURCE_ATTRIBUTES")])
  )
  return known[0] === "" && !/(^|,)\s*service\.name=/.test(known[1]) ? "pagora" : undefined
})

/** An export that takes longer is given up, and so is one while so many are under way: nothing piles up. */
const exportWithin = "5 seconds"
const underWayMax = 6

/** The exports' own client: nothing of it is traced, and it shares nothing with the clients of PSPs. */
const collectorClient = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, (client) => {
    let underWay = 0
    return HttpClient.transform(client, (response, request) =>
      Effect.suspend(() => {
        // Of a kind that the exporter does not try again: it rests for a minute instead.
        const refused = (description: string) =>
          new HttpClientError.HttpClientError({
            reason: new HttpClientError.InvalidUrlError({ request, description })
          })
        if (underWay >= underWayMax) return refused("too many exports are under way")
        underWay++
        return response.pipe(
          Effect.timeoutOrElse({
            duration: exportWithin,
            orElse: () => refused("the collector did not answer in time")
          }),
          Effect.ensuring(Effect.sync(() => underWay--))
        )
      })
    )
  })
).pipe(Layer.provide(FetchHttpClient.layer), Layer.fresh)
