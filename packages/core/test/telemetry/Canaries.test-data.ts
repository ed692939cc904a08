import type { Tracer } from "effect"
import {
  Context,
  Effect,
  Layer,
  Logger,
  Metric,
  Option,
  References,
  Tracer as Tracers
} from "effect"

/** Data of nobody, and secrets that open nothing: none of it may be told outside. */
export const canaries = {
  payerCpf: "52998224725",
  customerCpf: "39053344705",
  companyCnpj: "11444777000161",
  alphanumericCnpj: "12ABC34501DE35",
  pixKey: "chave.canario@example.com",
  phone: "+5511912345678",
  payerName: "Zacarias Canário",
  customerName: "Zenaide Canário",
  description: "canary description of an order",
  metadata: "canary-metadata-value",
  idempotencyKey: "canary-idempotency-key",
  wrongSecret: "psk_canary-secret-that-opens-nothing",
  wrongToken: "canary.token.that-opens-nothing",
  urlPassword: "canary-password-of-a-url",
  databasePassword: "canary-password-of-a-database",
  pspCredential: "canary-credential-of-a-psp",
  collectorKey: "canary-key-of-a-collector"
} as const

const base64 = (text: string): ReadonlyArray<string> =>
  // Wherever it begins inside a longer text, one of three cuts of it is there.
  [0, 1, 2].map((skip) => {
    const encoded = Buffer.from(`${"\0".repeat(skip)}${text}`, "utf8").toString("base64url")
    const first = [0, 2, 3][skip] ?? 0
    return encoded.slice(first, encoded.length - 2)
  })

/** Forms that a text can take on its way: as it is, encoded for a URL or in base64, and a document with punctuation. */
const formsOf = (text: string): ReadonlyArray<string> => [
  text,
  encodeURIComponent(text),
  JSON.stringify(text).slice(1, -1),
  ...base64(text)
]

const plain = (text: string): string => text.toLowerCase()
/** Without what is put between the digits of a document, and with base64 in one alphabet. */
const unpunctuated = (text: string): string => text.replace(/[.\-/\s]/g, "")
const isNumber = (text: string): boolean => /^[\dA-Z+]{11,14}$/.test(text)

/** Which of the secrets can be read in a text. */
export const leaksIn = (
  text: string,
  secrets: Readonly<Record<string, string>> = canaries
): ReadonlyArray<string> => {
  const low = plain(text)
  const oneAlphabet = plain(text.replaceAll("+", "-").replaceAll("/", "_"))
  const bare = unpunctuated(low)
  return Object.entries(secrets).flatMap(([name, secret]) =>
    formsOf(secret).some(
      (form) => low.includes(plain(form)) || oneAlphabet.includes(plain(form))
    ) ||
    (isNumber(secret) && bare.includes(plain(secret)))
      ? [name]
      : []
  )
}

/** All that a run told, by the way it left. */
export interface Told {
  readonly logs: Array<string>
  readonly spans: Array<RecordedSpan>
  readonly registry: Map<string, Metric.Metric.Metadata<never, unknown>>
}

class RecordedSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly spanId: string
  readonly traceId: string
  readonly attributes = new Map<string, unknown>()
  readonly events: Array<unknown> = []
  readonly links: Array<Tracer.SpanLink>
  readonly name: string
  readonly parent: Tracer.Span["parent"]
  readonly annotations: Tracer.Span["annotations"]
  readonly sampled: boolean
  readonly kind: Tracer.SpanKind
  status: Tracer.SpanStatus
  constructor(options: Parameters<Tracer.Tracer["span"]>[0], number: number) {
    const hex = number.toString(16)
    this.name = options.name
    this.parent = options.parent
    this.annotations = options.annotations
    this.sampled = options.sampled
    this.kind = options.kind
    this.links = options.links
    this.spanId = hex.padStart(16, "0")
    this.traceId = Option.isSome(options.parent)
      ? options.parent.value.traceId
      : hex.padStart(32, "a")
    this.status = { _tag: "Started", startTime: options.startTime }
  }
  end(endTime: bigint, exit: Parameters<Tracer.Span["end"]>[1]) {
    this.status = { _tag: "Ended", startTime: this.status.startTime, endTime, exit }
  }
  attribute(key: string, value: unknown) {
    this.attributes.set(key, value)
  }
  event(name: string, _: bigint, attributes?: Record<string, unknown>) {
    this.events.push([name, attributes])
  }
  addLinks(links: ReadonlyArray<Tracer.SpanLink>) {
    this.links.push(...links)
  }
}

/** A logger down to Trace, a tracer and metrics as a host may bring them: they hide nothing by themselves. */
export const recording = (): { readonly told: Told; readonly layer: Layer.Layer<never> } => {
  const told: Told = { logs: [], spans: [], registry: new Map() }
  const logger = Logger.make((options) => {
    told.logs.push(Logger.formatJson.log(options), Logger.formatLogFmt.log(options))
  })
  const tracer = Tracers.make({
    span: (options) => {
      const span = new RecordedSpan(options, told.spans.length + 1)
      told.spans.push(span)
      return span
    }
  })
  const layer = Layer.mergeAll(
    Logger.layer([logger]),
    Layer.succeed(References.MinimumLogLevel, "Trace"),
    Layer.succeed(Tracers.Tracer, tracer),
    Layer.succeed(Metric.MetricRegistry, told.registry as Metric.MetricRegistry)
  )
  return { told, layer }
}

const exitText = ({ status }: RecordedSpan): string =>
  status._tag === "Ended" && status.exit._tag === "Failure"
    ? status.exit.cause.reasons
        .map((reason) =>
          errorText("error" in reason ? reason.error : "defect" in reason ? reason.defect : "")
        )
        .join("\n")
    : ""

const errorText = (error: unknown): string =>
  error instanceof Error
    ? [error.name, error.message, error.stack, JSON.stringify(error), errorText(error.cause)].join(
        "\n"
      )
    : (JSON.stringify(error) ?? "")

/** Everything of a run as text, one for each way that something leaves by. */
export const channelsOf = ({ logs, registry, spans }: Told): Readonly<Record<string, string>> => ({
  logs: logs.join("\n"),
  spanNames: spans.map(({ name }) => name).join("\n"),
  spanAttributes: spans.map(({ attributes }) => JSON.stringify([...attributes])).join("\n"),
  spanEvents: spans.map(({ events }) => JSON.stringify(events)).join("\n"),
  spanLinks: spans
    .map(({ links }) => JSON.stringify(links.map((link) => link.attributes)))
    .join("\n"),
  spanErrors: spans.map(exitText).join("\n"),
  metrics: JSON.stringify(
    Metric.snapshotUnsafe(
      Context.make(
        Metric.MetricRegistry,
        registry as Metric.MetricRegistry
      ) as Context.Context<never>
    ).map(({ attributes, description, id }) => [id, description, attributes])
  )
})

/** Runs an effect as the service runs its own: within the host's logger, tracer and metrics. */
export const toldBy = async (effect: Effect.Effect<unknown, unknown>): Promise<Told> => {
  const { layer, told } = recording()
  await Effect.runPromise(Effect.provide(Effect.exit(effect), layer))
  return told
}
