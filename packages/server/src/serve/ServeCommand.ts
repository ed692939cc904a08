import { guardedLogger, otlpFromEnvironment } from "@pagora/core"
import type { PagoraError } from "@pagora/core"
import { Effect, FileSystem, Layer, Logger, Option, References, Result } from "effect"
import { Command, Flag } from "effect/cli"
import type { ServeConfig } from "./ServeConfig.ts"
import { loadConfig } from "./ServeConfig.ts"
import type { Settings } from "./Settings.ts"
import { Misconfigured, readSettings } from "./Settings.ts"

const flags = {
  config: Flag.String("config").pipe(
    Flag.withDescription(
      "File that says which PSP moves the money; otherwise pagora.config.mjs or .ts of this directory"
    ),
    Flag.optional
  ),
  migrate: Flag.Boolean("migrate").pipe(
    Flag.withDescription("Bring the schema up to date first, as PAGORA_MIGRATE=true does"),
    Flag.withDefault(false)
  )
}

/** `pagora serve`: the service for real, told by its environment. */
export const serveCommand = Command.make(
  "serve",
  flags,
  Effect.fn(function* (options) {
    const { config, settings } = yield* configuration(Option.getOrUndefined(options.config))
    const isMigrating = settings.migrate || options.migrate
    yield* run({ ...settings, migrate: isMigrating }, config).pipe(
      Effect.scoped,
      Effect.provide(observing(settings))
    )
  })
).pipe(
  Command.withDescription(
    "Run the service for real: PostgreSQL, your PSP, settings by environment variables"
  ),
  Command.withExamples([
    {
      command: "pagora serve",
      description: "With DATABASE_URL, PAGORA_SECRET and pagora.config.mjs"
    },
    { command: "pagora serve --config bank.mjs", description: "With another file for the PSP" }
  ])
)

/** Everything that a start needs to be told, or everything that is wrong with it. */
const configuration = Effect.fnUntraced(function* (
  named: string | undefined
): Effect.fn.Return<
  { readonly settings: Settings; readonly config: ServeConfig },
  Misconfigured,
  FileSystem.FileSystem
> {
  const { faults, settings } = yield* readSettings(process.env)
  const config = yield* Effect.result(loadConfig(named ?? settings.config, process.cwd()))
  if (Result.isFailure(config))
    return yield* new Misconfigured({ faults: [...faults, config.failure.message] })
  if (faults.length > 0) return yield* new Misconfigured({ faults })
  return { settings, config: config.success }
})

const run = Effect.fnUntraced(function* (settings: Settings, config: ServeConfig) {
  // Loaded when it is needed: the other commands have no use for a whole service.
  const { serveDeployment } = yield* Effect.promise(() => import("./Serve.ts"))
  const facts = yield* serveDeployment(settings, config)
  if (settings.operatorKey === undefined)
    yield* Effect.logInfo("The operator's API is closed: PAGORA_OPERATOR_KEY is not set.")
  yield* Effect.logInfo("Pagora serves.").pipe(
    Effect.annotateLogs({ ...facts, workers: settings.workers })
  )
  return yield* Effect.never
})

/** Log entries go to standard error, and where the variables `OTEL_*` say, with spans and metrics. */
const observing = ({ logFormat, logLevel }: Settings): Layer.Layer<never, PagoraError> =>
  otlpFromEnvironment.pipe(
    Layer.provideMerge(
      Layer.merge(
        Logger.layer([
          guardedLogger(
            Logger.withConsoleError(logFormat === "json" ? Logger.formatJson : Logger.formatLogFmt)
          )
        ]),
        Layer.succeed(References.MinimumLogLevel, logLevel)
      )
    )
  )
