import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, Layer, Logger, Option, References } from "effect"
import { CliError, Command } from "effect/cli"
import { operatorCommands } from "./commands/OperatorCommands.ts"
import { exitCodeOf, layerPresenter } from "./commands/Presentation.ts"
import { letReadersGo } from "./commands/Printer.ts"
import { devCommand } from "./dev/DevCommand.ts"
import { doctorCommand } from "./doctor/DoctorCommand.ts"
import { migrateCommand } from "./migrate/MigrateCommand.ts"
import { pspCommand } from "./psp/PspCommands.ts"
import { withoutSecrets } from "./Secretless.ts"
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
    {
      group: "RUN",
      commands: [devCommand, serveCommand, migrateCommand, doctorCommand, pspCommand]
    },
    { group: "OPERATE", commands: operatorCommands }
  ])
)

/**
 * Before a service is loaded, with its guard of what may be told, no cause is told at all. One JSON object a line on
 * standard error; standard output belongs to the command's own answer.
 */
const json = Logger.withConsoleError(Logger.formatJson)
const layerLogs = Logger.layer([
  Logger.make<unknown, void>((options) => json.log({ ...options, cause: Cause.empty }))
])

/** What `pagora` does with these arguments; its failure has been told when it ends. */
export const run = (argv: ReadonlyArray<string>, version: string) =>
  Command.runWith(pagora, { version })(argv).pipe(
    Effect.tapCause(explain),
    Effect.provide(Layer.merge(layerLogs, layerPresenter)),
    Effect.provideService(References.MinimumLogLevel, "Info")
  )

/** The exit code of what came of it. A stop that was asked for, and went in order, is no failure. */
export const codeOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit)) return 0
  const isStopped = Cause.hasInterruptsOnly(exit.cause)
  return isStopped ? Number(process.exitCode ?? 0) : exitCodeOf(Cause.squash(exit.cause))
}

/** Runs the `pagora` command with these arguments; SIGINT and SIGTERM stop it in order. */
export const main = (argv: ReadonlyArray<string>, version: string): void => {
  letReadersGo()
  NodeRuntime.runMain(Effect.provide(run(argv, version), NodeServices.layer), {
    disableErrorReporting: true,
    teardown: (exit, onExit) => onExit(codeOf(exit))
  })
}

/** A failure that we foresaw is one sentence for a person; anything else is logged with all that is known. */
const explain = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
  if (Cause.hasInterruptsOnly(cause)) return
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (CliError.isCliError(error)) return
  if (error instanceof Error && error.message !== "")
    return yield* Console.error(`pagora: ${withoutSecrets(error.message)}`)
  const { layerGuardedLogs } = yield* Effect.promise(() => import("./GuardedLogs.ts"))
  yield* Effect.logError("pagora stopped.", cause).pipe(Effect.provide(layerGuardedLogs))
})
