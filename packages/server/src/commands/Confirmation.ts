import { Effect } from "effect"
import { Flag, Prompt, TerminalCapabilities } from "effect/cli"
import { CommandFailed } from "./CommandFailed.ts"

/** Says yes beforehand. */
export const yesFlag = Flag.Boolean("yes").pipe(
  Flag.withAlias("y"),
  Flag.withDescription("Do not ask; needed where there is no terminal to ask on"),
  Flag.withDefault(false)
)

const nothingDone = new CommandFailed({ message: "Nothing was done." })

/** Asks before something that cannot be taken back. Where nobody can be asked, `--yes` is needed. */
export const confirm = Effect.fnUntraced(function* (message: string, isYes: boolean) {
  if (isYes) return
  const { canPrompt } = yield* TerminalCapabilities.TerminalCapabilities
  if (!canPrompt) {
    return yield* new CommandFailed({
      message: `${message} There is no terminal to ask on: say so with --yes. Nothing was done.`
    })
  }
  const answer = Prompt.run(Prompt.Confirm({ message }))
  const isMeant = yield* Effect.catchTag(answer, "QuitError", () => Effect.succeed(false))
  if (!isMeant) return yield* nothingDone
})
