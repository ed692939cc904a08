import type { Duration } from "effect"
import { Config, Context, Effect, Layer, Logger, Option, Schema, Tracer } from "effect"
import { FetchHttpClient, HttpClient, HttpClientError } from "effect/http"
import {
  OtlpExporter,
  OtlpLogger,
  OtlpMetrics,
  OtlpSerialization,
  OtlpTracer
} from "effect/observability"
import { PagoraError } from "./PagoraError.ts"
import { guardedLogger } from "./telemetry/LogGuarder.ts"
import { guarded } from "./telemetry/SpanGuarder.ts"

/** Where spans, metrics and log entries go, by OTLP over HTTP. */
export interface OtlpOptions {
  /** The collector, without the signal's path: `http://localhost:4318`. */
  readonly url: string
  /** Sent with every export, such as an Authorization of the collector. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** What the service is called there. Default: `OTEL_SERVICE_NAME`, or `pagora`. */
  readonly serviceName?: string | undefined
  /** Default `http/protobuf`. */
  readonly protocol?: "http/protobuf" | "http/json" | undefined
  /** What is exported. Default: all three. */
  readonly signals?: ReadonlyArray<"traces" | "metrics" | "logs"> | undefined
  /** How often spans and log entries are sent; metrics every minute. Default 5 seconds. */
  readonly every?: Duration.Input | undefined
}

/** Exports of `Pagora.start`, made by `otlp`. */
export interface Telemetry {
  readonly _tag: "Otlp"
  readonly layer: Layer.Layer<never, PagoraError>
}

/** Sends spans, metrics and log entries to a collector. A collector that hangs or is down delays no request and fails none. */
export const otlp = (options: OtlpOptions): Telemetry => ({
  _tag: "Otlp",
  layer: layerOtlp(options)
})

/** The same for programs in Effect, which put it beneath the service. */
export const layerOtlp = (options: OtlpOptions): Layer.Layer<never, PagoraError> =>
  isCollector(options.url)
    ? exporters(options).pipe(
        Layer.provide(
          options.protocol === "http/json"
            ? OtlpSerialization.layerJson
            : OtlpSerialization.layerProtobuf
        ),
        Layer.provide([OtlpExporter.layerFlusher, collectorClient])
      )
    : Layer.effectDiscard(
        wrong(
          "The URL of the OTLP collector is not one of HTTP: give one such as http://localhost:4318."
        )
      )

const wrong = (sentence: string) => Effect.fail(new PagoraError("INVALID_CONFIGURATION", sentence))

/**
 * The same by the variables that every program with OpenTelemetry knows: `OTEL_EXPORTER_OTLP_ENDPOINT`,
 * `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_EXPORTER_OTLP_PROTOCOL`, `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`,
 * `OTEL_SDK_DISABLED`, and `OTEL_TRACES_EXPORTER=none` and its like for metrics and logs. Without an endpoint nothing
 * is exported, and nothing done for it.
 */
export const otlpFromEnvironment: Layer.Layer<never, PagoraError> = Layer.unwrap(
  Effect.gen(function* () {
    const { disabled, endpoint, headers, protocol, signals } = yield* environment
    if (disabled || endpoint === "") return Layer.empty
    if (protocol !== "http/protobuf" && protocol !== "http/json")
      return yield* wrong("OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json.")
    return layerOtlp({ url: endpoint, headers, protocol, signals })
  }).pipe(
    Effect.catchTag("ConfigError", () =>
      wrong(
        "The variables OTEL_* cannot be read: OTEL_EXPORTER_OTLP_HEADERS is a list such as key=value,other=value."
      )
    )
  )
)

const text = (name: string) => Config.withDefault(Config.String(name), "")
const exporter = (signal: string) => text(`OTEL_${signal}_EXPORTER`)

const environment = Effect.gen(function* () {
  const headers = yield* Config.option(
    Config.Record(Schema.String, Schema.StringFromUriComponent, "OTEL_EXPORTER_OTLP_HEADERS")
  )
  const off = {
    traces: yield* exporter("TRACES"),
    metrics: yield* exporter("METRICS"),
    logs: yield* exporter("LOGS")
  }
  return {
    endpoint: yield* text("OTEL_EXPORTER_OTLP_ENDPOINT"),
    headers: Option.getOrUndefined(headers),
    protocol: (yield* text("OTEL_EXPORTER_OTLP_PROTOCOL")) || "http/protobuf",
    disabled: (yield* text("OTEL_SDK_DISABLED")).toLowerCase() === "true",
    signals: (["traces", "metrics", "logs"] as const).filter((signal) => off[signal] !== "none")
  }
})

const isCollector = (url: unknown): boolean =>
  typeof url === "string" && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)

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
