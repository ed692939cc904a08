import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { jsonFlag } from "../commands/OperatorConnection.ts"
import { stoppedIsUndone } from "../commands/Presentation.ts"
import { configFlag } from "../psp/PspCommands.ts"

/** `pagora doctor`: all that a deployment needs, looked at before it serves. */
export const doctorCommand = Command.make(
  "doctor",
  { config: configFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ config, json }) {
    // Loaded when it is needed: the other commands have no use for a database and a PSP.
    const { examine } = yield* Effect.promise(() => import("./Doctor.ts"))
    const { printFindings } = yield* Effect.promise(() => import("../psp/Findings.ts"))
    const findings = yield* stoppedIsUndone(
      Effect.scoped(examine(process.env, Option.getOrUndefined(config)))
    )
    yield* printFindings(findings, { json })
  })
).pipe(
  Command.withDescription(
    "Look at all that pagora serve needs, and change nothing: settings, database, foreign keys onto its schema, clock, PSPs, webhooks; ends with 1 where something does not work"
  ),
  Command.withExamples([
    { command: "pagora doctor", description: "In the environment of pagora serve" },
    { command: "pagora doctor --json | jq '.findings[] | select(.state != \"ok\")'" }
  ])
)
