import { guardedLogger, otlpFromEnvironment } from "@pagora/core"
import type { PagoraError } from "@pagora/core"
import { Effect, FileSystem, Layer, Logger, References, Result } from "effect"
import type { ServeConfig } from "./ServeConfig.ts"
import { configOf } from "./BankConfig.ts"
import { isBankUnknown } from "./BankVariables.ts"
import type { Settings } from "./Settings.ts"
import { Misconfigured, readSettings } from "./Settings.ts"

/** What the arguments of `pagora serve` say. */
interface ServeArguments {
  readonly config: string | undefined
  readonly migrate: boolean
}

/** Serves until it is stopped, as the arguments, the environment and the file of the PSPs say. */
export const serveBy = Effect.fnUntraced(function* (named: ServeArguments) {
  const { config, settings } = yield* configuration(named.config)
  const isMigrating = settings.migrate || named.migrate
  yield* run({ ...settings, migrate: isMigrating }, config).pipe(
    Effect.scoped,
    Effect.provide(observing(settings))
  )
})

/** Everything that a start needs to be told, or everything that is wrong with it. */
const configuration = Effect.fnUntraced(function* (
  named: string | undefined
): Effect.fn.Return<
  { readonly settings: Settings; readonly config: ServeConfig },
  Misconfigured,
  FileSystem.FileSystem
> {
  const { faults, settings } = yield* readSettings(process.env)
  const config = yield* Effect.result(configOf(settings, named, process.cwd()))
  if (Result.isFailure(config)) {
    const { failure } = config
    const told = failure._tag === "Misconfigured" ? failure.faults : [failure.message]
    const more = isBankUnknown(process.env, settings) ? [] : told
    return yield* new Misconfigured({ faults: [...faults, ...more] })
  }
  if (faults.length > 0) return yield* new Misconfigured({ faults })
  return { settings, config: config.success }
})

const run = Effect.fnUntraced(function* (settings: Settings, config: ServeConfig) {
  // Loaded when all is said well: what is wrong is told before the whole service is there.
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
