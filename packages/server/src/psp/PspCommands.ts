import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { connectionFlags, fromEnvironment, jsonFlag } from "../commands/OperatorConnection.ts"
import { stoppedIsUndone } from "../commands/Presentation.ts"
import { keptPspCommands } from "./KeptPspCommands.ts"
import { balancesCommand } from "./PspBalances.ts"

export const configFlag = Flag.String("config").pipe(
  Flag.withMetavar("file"),
  Flag.withDescription(
    "File that says which PSPs move the money; else PAGORA_CONFIG, else pagora.config.mjs or .ts of this directory"
  ),
  Flag.optional
)

const flags = {
  config: configFlag,
  psp: Flag.String("psp").pipe(
    Flag.withMetavar("id"),
    Flag.withDescription("Only this one"),
    Flag.optional
  ),
  kept: Flag.Boolean("kept").pipe(
    Flag.withDescription(
      "Those whose credentials are kept in the service, by its operator API, instead of those of the configuration"
    ),
    Flag.withDefault(false)
  ),
  json: jsonFlag,
  ...connectionFlags
}

const publicUrl = Flag.String("public-url").pipe(
  Flag.withMetavar("url"),
  Flag.withDescription(
    "Address of the tenants' API as banks reach it, with its path; else PAGORA_PUBLIC_URL"
  ),
  Flag.withDefault(fromEnvironment("PAGORA_PUBLIC_URL", ""))
)

const asked = ({
  config,
  json,
  psp
}: {
  readonly config: Option.Option<string>
  readonly psp: Option.Option<string>
  readonly json: boolean
}) => ({ config: Option.getOrUndefined(config), psp: Option.getOrUndefined(psp), json })

// Loaded when it is needed: what a PSP is made of comes with the service.
const work = Effect.promise(() => import("./PspWork.ts"))
const keptWork = Effect.promise(() => import("./KeptPspWork.ts"))

/** What is asked of the operator API, where the PSPs are that are kept. */
const askedOfService = <Flags extends { readonly psp: Option.Option<string> }>(given: Flags) => ({
  ...given,
  psp: Option.getOrUndefined(given.psp)
})

const list = Command.make(
  "list",
  flags,
  Effect.fnUntraced(function* (given) {
    if (given.kept) {
      const { listKept } = yield* keptWork
      return yield* listKept(askedOfService(given))
    }
    const { listPsps } = yield* work
    yield* listPsps(asked(given))
  })
).pipe(
  Command.withDescription("List the PSPs of the configuration, or those that are kept"),
  Command.withExamples([
    { command: "pagora psp list" },
    {
      command: "pagora psp list --kept",
      description: "With the end of each certificate, and no secret"
    },
    { command: "pagora psp list --config bank.mjs --json | jq -r .psps[].id" }
  ])
)

const check = Command.make(
  "check",
  { ...flags, publicUrl },
  Effect.fnUntraced(function* (given) {
    if (given.kept) {
      const { checkKept } = yield* keptWork
      return yield* checkKept(askedOfService(given))
    }
    const { checkPsps } = yield* work
    yield* stoppedIsUndone(checkPsps({ ...asked(given), publicUrl: given.publicUrl }))
  })
).pipe(
  Command.withDescription(
    "Have each PSP look whether it is set up, and change nothing; ends with 1 where something does not work"
  ),
  Command.withExamples([
    { command: "pagora psp check" },
    {
      command: "pagora psp check --psp 0190a1b2-0000-7000-8000-0000000000ba",
      description: "One of several"
    }
  ])
)

const setup = Command.make(
  "setup",
  { ...flags, publicUrl },
  Effect.fnUntraced(function* (given) {
    if (given.kept) {
      const { setUpKept } = yield* keptWork
      return yield* setUpKept(askedOfService(given))
    }
    const { setUpPsps } = yield* work
    yield* stoppedIsUndone(setUpPsps({ ...asked(given), publicUrl: given.publicUrl }))
  })
).pipe(
  Command.withDescription(
    "Set up at each PSP what notifications and payments need; it may be done again and again"
  ),
  Command.withExamples([
    { command: "pagora psp setup --public-url https://pay.example.com/v2" },
    { command: "pagora psp setup", description: "With PAGORA_PUBLIC_URL, after each change of it" }
  ])
)

/** `pagora psp …` */
export const pspCommand = Command.make("psp").pipe(
  Command.withDescription(
    "PSPs: which there are, whether they are set up, setting them up, what they hold, and the credentials that are kept"
  ),
  Command.withExamples([
    { command: "pagora psp list" },
    { command: "pagora psp check" },
    { command: "pagora psp balances" }
  ]),
  Command.withSubcommands([list, check, setup, balancesCommand, ...keptPspCommands])
)
