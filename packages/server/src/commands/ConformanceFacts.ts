import { Effect, FileSystem, Option, Redacted, Result, Schema, Stdio, Stream } from "effect"
import { Flag } from "effect/cli"
import { CommandFailed } from "./CommandFailed.ts"
import type { Connection } from "./OperatorConnection.ts"
import { fromEnvironment, operatorKeyOf, reading, readUrl } from "./OperatorConnection.ts"

/** A deployment, as the conformance kit takes it. */
export interface Deployment {
  readonly baseUrl: string
  readonly operatorUrl: string
  readonly operatorKey: string
  readonly sandboxUrl: string
}

/** The facts of `pagora dev --json` that matter here. */
const Facts = Schema.fromJsonString(
  Schema.Struct({
    baseUrl: Schema.String,
    operatorUrl: Schema.String,
    operatorKey: Schema.String,
    sandboxUrl: Schema.String
  })
)

const readUrlOrNone = (text: string) => (text === "" ? Result.succeed("") : readUrl(text))

export const factsFlags = {
  facts: Flag.String("facts").pipe(
    Flag.withMetavar("file"),
    Flag.withDescription(
      "File with the JSON line of pagora dev --json, - for standard input; it replaces the addresses and the key"
    ),
    Flag.optional
  ),
  baseUrl: Flag.String("base-url").pipe(
    Flag.withMetavar("url"),
    Flag.withDescription(
      "Address of the API; else PAGORA_BASE_URL, else /v2 beside the operator API"
    ),
    Flag.withDefault(fromEnvironment("PAGORA_BASE_URL", "")),
    reading(readUrlOrNone)
  ),
  sandboxUrl: Flag.String("sandbox-url").pipe(
    Flag.withMetavar("url"),
    Flag.withDescription(
      "Address of the sandbox API; else PAGORA_SANDBOX_URL, else /sandbox/v1 beside the operator API"
    ),
    Flag.withDefault(fromEnvironment("PAGORA_SANDBOX_URL", "")),
    reading(readUrlOrNone)
  )
}

interface FactsOptions extends Connection {
  readonly facts: Option.Option<string>
  /** Empty where it is beside the operator API. */
  readonly baseUrl: string
  /** Likewise. */
  readonly sandboxUrl: string
}

const noFacts = (source: string) =>
  new CommandFailed({
    message: `There is no line of facts in ${source}. Save what \`pagora dev --json\` prints, and name that file with --facts.`
  })

/** The first line that is JSON, without waiting for the end: `pagora dev --json |` has none. */
const firstFacts = (source: string) =>
  Effect.gen(function* () {
    const bytes =
      source === "-" ? (yield* Stdio.Stdio).stdin : (yield* FileSystem.FileSystem).stream(source)
    const line = yield* bytes.pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.filter((text) => text.startsWith("{")),
      Stream.runHead
    )
    return yield* Schema.decodeEffect(Facts)(Option.getOrElse(line, () => ""))
  }).pipe(Effect.mapError(() => noFacts(source === "-" ? "standard input" : source)))

/** Which deployment the flags mean. */
export const deploymentOf = Effect.fnUntraced(function* (flags: FactsOptions) {
  if (Option.isSome(flags.facts)) return yield* firstFacts(flags.facts.value)
  const { operatorUrl } = flags
  const beside = (path: string) => operatorUrl.replace(/\/operator\/v1$/u, path)
  const deployment: Deployment = {
    baseUrl: flags.baseUrl || beside("/v2"),
    operatorUrl,
    operatorKey: Redacted.value(yield* operatorKeyOf(flags)),
    sandboxUrl: flags.sandboxUrl || beside("/sandbox/v1")
  }
  return deployment
})
