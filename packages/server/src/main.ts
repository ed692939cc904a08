import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { guardedLogger, safeCause } from "@pagora/core"
import { Cause, Console, Effect, Exit, Layer, Logger, Option, References, Runtime } from "effect"
import { CliError, Command } from "effect/cli"
import { operatorCommands } from "./commands/OperatorCommands.ts"
import { exitCodeOf, layerPresenter } from "./commands/Presentation.ts"
import { letReadersGo } from "./commands/Printer.ts"
import { devCommand } from "./dev/DevCommand.ts"
import { migrateCommand } from "./migrate/MigrateCommand.ts"
import { serveCommand } from "./serve/ServeCommand.ts"

/** Everything that `pagora` can do. What fails is explained to a person, whatever it is. */
export const pagora: Command.Command<"pagora", {}, {}, unknown, Command.Environment> = Command.make(
  "pagora"
).pipe(
  Command.withDescription(
    "PIX payments in your own process: charges, a double-entry ledger, signed webhooks."
  ),
  Command.withExamples([
    { command: "pagora dev", description: "The whole service on this machine, with play money" },
    {
      command: "pagora audit --operator-url https://pay.example.com/operator/v1",
      description: "Prove that the books of a service balance"
    }
  ]),
  Command.withSubcommands([
    { group: "RUN", commands: [devCommand, serveCommand, migrateCommand] },
    { group: "OPERATE", commands: operatorCommands }
  ])
)

/** One JSON object a line on standard error; standard output belongs to the command's own answer. */
const logger = Logger.layer([guardedLogger(Logger.withConsoleError(Logger.formatJson))])

/** Runs the `pagora` command with these arguments; SIGINT and SIGTERM stop it in order. */
export const main = (argv: ReadonlyArray<string>, version: string): void => {
  letReadersGo()
  const program = Command.runWith(pagora, { version })(argv)
  NodeRuntime.runMain(
    program.pipe(
      Effect.tapCause(explain),
      Effect.provide(Layer.mergeAll(NodeServices.layer, logger, layerPresenter)),
      Effect.provideService(References.MinimumLogLevel, "Info")
    ),
    { disableErrorReporting: true, teardown }
  )
}

/** A stop that was asked for, and went in order, is no failure. */
const teardown: Runtime.Teardown = (exit, onExit) => {
  if (Exit.isSuccess(exit)) return onExit(0)
  const isStopped = Cause.hasInterruptsOnly(exit.cause)
  onExit(isStopped ? Number(process.exitCode ?? 0) : exitCodeOf(Cause.squash(exit.cause)))
}

/** A failure that we foresaw is one sentence for a person; anything else is logged with all that is known. */
const explain = (cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.void
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (CliError.isCliError(error)) return Effect.void
  return error instanceof Error && error.message !== ""
    ? Console.error(`pagora: ${error.message}`)
    : Effect.logError("pagora stopped.", safeCause(cause))
}
