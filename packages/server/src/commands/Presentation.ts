import { Console, Effect, Layer, Runtime } from "effect"
import { CliError, CliOutput, TerminalCapabilities } from "effect/cli"
import { withoutSecrets } from "../Secretless.ts"
import { printable } from "./Table.ts"

const helpFormatter = Effect.map(TerminalCapabilities.TerminalCapabilities, ({ canColor }) =>
  CliOutput.defaultFormatter({ colors: canColor, globalFlags: "summary" })
)

/** Sentences of one line each; an error of several lines is one that suggests something. */
const sentences = (errors: ReadonlyArray<CliError.NonShowHelpErrors>): string =>
  errors
    // A wrong value is quoted, also one that comes from a variable, such as a URL with a password in it.
    .map((error) => withoutSecrets(error.message).split("\n").map(printable).join("\n"))
    .map((message) => `pagora: ${message}`)
    .join("\n")

/**
 * Help that was asked for goes to standard output. A wrong use is told on standard error, with where to read on
 * instead of the whole help: standard output belongs to answers.
 */
export const layerPresenter: Layer.Layer<never> = CliOutput.layerPresenter({
  present: Effect.fnUntraced(function* (event) {
    switch (event._tag) {
      case "Help": {
        const formatter = yield* helpFormatter
        return yield* Console.log(formatter.formatHelpDoc(event.helpDoc))
      }
      case "InvalidInvocation":
        return yield* Console.error(
          `${sentences(event.errors)}\n\nRun \`${event.commandPath.join(" ")} --help\` for how it is used.`
        )
      case "Version":
        return yield* Console.log(`${event.name} ${event.version}`)
    }
  })
})

/** Exit codes: 0 done, 1 not done, 2 used wrongly, 130 interrupted. */
export const exitCodeOf = (error: unknown): number =>
  CliError.isCliError(error) && error._tag === "ShowHelp"
    ? error.errors.length === 0
      ? 0
      : 2
    : Runtime.getErrorExitCode(error)

/** What was asked for and stopped in the middle is not done; `dev` and `serve` run until they are stopped. */
export const stoppedIsUndone = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.onInterrupt(effect, () =>
    Effect.sync(() => {
      process.exitCode = 130
    })
  )
