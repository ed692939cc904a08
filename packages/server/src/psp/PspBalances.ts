import type { OperatorAnswer } from "@pagora/core/client"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { shownBrl } from "../commands/Brl.ts"
import { connectionFlags, jsonFlag, operatorOf } from "../commands/OperatorConnection.ts"
import { printJson, printTable } from "../commands/Printer.ts"
import type { Column } from "../commands/Table.ts"

type Holding = OperatorAnswer<"psps", "list">["data"][number]

/** What a PSP does not tell is not shown. */
const shownIf = (amount: number | null = null): string | undefined =>
  amount === null ? undefined : shownBrl(amount)

const columns: ReadonlyArray<Column<Holding>> = [
  { title: "PSP", of: ({ id }) => id },
  { title: "PROVIDER", of: ({ provider }) => provider },
  {
    title: "AVAILABLE",
    of: ({ balance }) => shownIf(balance?.available),
    isNumber: true
  },
  { title: "BLOCKED", of: ({ balance }) => shownIf(balance?.blocked), isNumber: true },
  { title: "LEDGER", of: ({ ledger }) => shownBrl(ledger), isNumber: true },
  {
    title: "DIFFERENCE",
    of: ({ difference }) => shownIf(difference),
    isNumber: true
  },
  { title: "UNDER WAY", of: ({ underWay }) => shownBrl(underWay), isNumber: true },
  { title: "WAITING", of: ({ waiting }) => String(waiting.count), isNumber: true },
  { title: "FOR", of: ({ waiting }) => shownBrl(waiting.amount), isNumber: true }
]

/** `pagora psp balances`: of a running service, by its operator API. */
export const balancesCommand = Command.make(
  "balances",
  { json: jsonFlag, ...connectionFlags },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const answer = yield* operator((ask) => ask("psps", "list", {}))
    yield* flags.json ? printJson(answer) : printTable(columns, answer.data)
  })
).pipe(
  Command.withDescription(
    "Show what the PSPs of a running service hold, beside what its ledger has there and the withdrawals that wait for money"
  ),
  Command.withExamples([
    { command: "pagora psp balances" },
    { command: "pagora psp balances --json | jq '.data[] | {id, difference}'" }
  ])
)
