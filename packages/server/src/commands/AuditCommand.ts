import { Effect, Stdio } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandFailed } from "./CommandFailed.ts"
import { connectionFlags, jsonFlag, operatorOf } from "./OperatorConnection.ts"
import { print, printTable, printThing, Streams } from "./Printer.ts"

/** Every posting is read, so that it takes as long as the books are thick. */
const auditMillisMax = 600_000

/** On a terminal, how long it has been at it; the API answers when all is read, and says nothing before. */
const showingWork = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const { stderrIsTerminal } = yield* Stdio.Stdio
  if (!(yield* stderrIsTerminal)) return yield* work
  const { stderr } = yield* Streams
  let seconds = 0
  const tick = Effect.sync(() => {
    seconds += 1
    stderr.write(`\rReading every entry: ${seconds} s`)
  })
  const ticking = Effect.forever(Effect.delay(tick, "1 second"))
  return yield* Effect.raceFirst(work, ticking).pipe(
    // The line is taken away again.
    Effect.ensuring(Effect.sync(() => void (seconds > 0 && stderr.write("\r\u001b[K"))))
  )
})

/** `pagora audit` */
export const auditCommand = Command.make(
  "audit",
  {
    json: jsonFlag,
    recent: Flag.Boolean("recent").pipe(
      Flag.withDescription(
        "Only what is new since the last audit in the background; otherwise everything"
      ),
      Flag.withDefault(false)
    ),
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags, { timeoutMillis: auditMillisMax })
    const proof = yield* showingWork(
      operator((ask) =>
        ask("ledger", "audit", { query: { scope: flags.recent ? "recent" : "complete" } })
      )
    )
    yield* printThing(
      proof,
      (one) => [
        ["Books", one.ok ? "balanced" : "NOT balanced"],
        ["Accounts", String(one.accounts)],
        ["Entries", String(one.entries)],
        ["Violations", String(one.violations.length)],
        ["Looked at", one.since === null ? "everything" : `what is newer than ${one.since}`],
        ["Checked", `${one.checkedAt}, in ${one.tookMillis} ms`]
      ],
      flags
    )
    if (proof.ok) return
    if (!flags.json) {
      yield* print("\n")
      yield* printTable(
        [
          { title: "RULE", of: ({ rule }) => rule },
          { title: "SUBJECT", of: ({ subject }) => subject },
          { title: "DETAIL", of: ({ detail }) => detail }
        ],
        proof.violations
      )
    }
    return yield* new CommandFailed({
      message:
        "The books do not balance. Stop payouts (`pagora account change <account> --status suspended`), keep the database as it is, and look at the subjects named above."
    })
  })
).pipe(
  Command.withDescription("Prove that the books balance; ends with 1 when they do not"),
  Command.withExamples([
    { command: "pagora audit" },
    { command: "pagora audit --recent", description: "What is new, at once" },
    { command: "pagora audit --json | jq .violations", description: "For a monitor" }
  ])
)
