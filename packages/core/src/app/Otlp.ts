import type { Duration } from "effect"
import { Config, Effect, Layer, Option, Schema } from "effect"
import { PagoraError } from "./PagoraError.ts"

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
    ? exported(options)
    : Layer.effectDiscard(
        wrong(
          "The URL of the OTLP collector is not one of HTTP: give one such as http://localhost:4318."
        )
      )

/** Loaded where something is exported: most hosts need nothing of it. */
const exported = (options: OtlpOptions): Layer.Layer<never> =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("./OtlpExporters.ts")),
      ({ layer }) => layer(options)
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
