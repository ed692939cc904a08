import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { confirm, yesFlag } from "../commands/Confirmation.ts"
import { connectionFlags, idempotencyKeyFlag, jsonFlag } from "../commands/OperatorConnection.ts"

// Loaded when it is needed: what reads the settings of banks comes with them.
const work = Effect.promise(() => import("./KeptPspWork.ts"))

const settingsFlag = Flag.String("settings").pipe(
  Flag.withMetavar("file"),
  Flag.withDescription(
    "File with the settings as one JSON object of texts, - for standard input; else the variables PAGORA_BANK_…"
  ),
  Flag.optional
)

const pspArgument = Argument.String("psp").pipe(
  Argument.withDescription("Id under which charges remember the PSP")
)

const changing = {
  settings: settingsFlag,
  idempotencyKey: idempotencyKeyFlag,
  json: jsonFlag,
  ...connectionFlags
}

const add = Command.make(
  "add",
  {
    provider: Flag.String("provider").pipe(
      Flag.withMetavar("name"),
      Flag.withDescription(
        "What the settings are of, such as efi; needed with --settings, else PAGORA_BANK says it"
      ),
      Flag.optional
    ),
    psp: Flag.String("psp").pipe(
      Flag.withMetavar("id"),
      Flag.withDescription(
        "Id under which charges remember it: that of one that was configured before. A new one, unless told"
      ),
      Flag.optional
    ),
    label: Flag.String("label").pipe(
      Flag.withMetavar("text"),
      Flag.withDescription("What people call it"),
      Flag.optional
    ),
    ...changing
  },
  Effect.fnUntraced(function* ({ label, provider, psp, settings, ...flags }) {
    const { addKept } = yield* work
    yield* addKept({
      ...flags,
      settings: Option.getOrUndefined(settings),
      provider: Option.getOrUndefined(provider),
      id: Option.getOrUndefined(psp),
      label: Option.getOrUndefined(label)
    })
  })
).pipe(
  Command.withDescription(
    "Keep the credentials of a PSP in the service, encrypted; every process knows it when this ends"
  ),
  Command.withExamples([
    { command: "pagora psp add --provider efi --settings efi.json --label Matriz" },
    {
      command: "pagora psp add",
      description: "From the variables PAGORA_BANK_… that would configure it"
    }
  ])
)

const rotate = Command.make(
  "rotate",
  { psp: pspArgument, ...changing },
  Effect.fnUntraced(function* ({ settings, ...flags }) {
    const { rotateKept } = yield* work
    yield* rotateKept({ ...flags, settings: Option.getOrUndefined(settings) })
  })
).pipe(
  Command.withDescription(
    "Give a PSP that is kept other credentials for the same account; what was begun there goes on"
  ),
  Command.withExamples([
    { command: "pagora psp rotate $PSP --settings efi.json" },
    {
      command: "pagora psp rotate $PSP",
      description: "From the variables PAGORA_BANK_…, with a new certificate"
    }
  ])
)

const revoke = Command.make(
  "revoke",
  { psp: pspArgument, yes: yesFlag, json: jsonFlag, ...connectionFlags },
  Effect.fnUntraced(function* ({ yes, ...flags }) {
    yield* confirm(
      `Destroy the credentials of the PSP ${flags.psp}? What is new there is refused at once, and what was begun waits.`,
      yes
    )
    const { revokeKept } = yield* work
    yield* revokeKept(flags)
  })
).pipe(
  Command.withDescription(
    "Destroy the credentials of a PSP that is kept, as after a leak; rotate gives it others"
  ),
  Command.withExamples([
    { command: "pagora psp revoke $PSP" },
    { command: "pagora psp revoke $PSP --yes", description: "In a script, without a question" }
  ])
)

/** What changes the credentials that are kept in the service. */
export const keptPspCommands = [add, rotate, revoke] as const
