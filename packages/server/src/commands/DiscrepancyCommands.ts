import type { OperatorAnswer } from "@pagora/core/client"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { discrepancyStatuses } from "./ApiWords.ts"
import { ofAccountFlag, wordsFlags } from "./DecisionFlags.ts"
import { given } from "./Given.ts"
import {
  connectionFlags,
  idempotencyKeyFlag,
  jsonFlag,
  keyed,
  operatorOf
} from "./OperatorConnection.ts"
import { pageFlags, printPages } from "./Pages.ts"
import { printThing } from "./Printer.ts"
import type { Column, Field } from "./Table.ts"

type Discrepancy = OperatorAnswer<"discrepancies", "resolve">

const columns: ReadonlyArray<Column<Discrepancy>> = [
  { title: "DISCREPANCY", of: ({ id }) => id },
  { title: "STATUS", of: ({ status }) => status },
  { title: "REASON", of: ({ reason }) => reason },
  { title: "ABOUT", of: ({ subjectType }) => subjectType },
  { title: "ID", of: ({ subjectId }) => subjectId },
  { title: "CREATED", of: ({ createdAt }) => createdAt },
  { title: "ACCOUNT", of: ({ accountId }) => accountId }
]

const fieldsOf = (discrepancy: Discrepancy): ReadonlyArray<Field> => [
  ["Discrepancy", discrepancy.id],
  ["Account", discrepancy.accountId],
  ["About", `${discrepancy.subjectType} ${discrepancy.subjectId}`],
  ["Contradiction", discrepancy.reason],
  ["Evidence", JSON.stringify(discrepancy.evidence)],
  ["Status", discrepancy.status],
  ["Created", discrepancy.createdAt],
  ["Reason", discrepancy.resolution?.reason],
  ["Decided by", discrepancy.resolution?.by],
  ["Resolved", discrepancy.resolution?.at]
]

const list = Command.make(
  "list",
  {
    account: ofAccountFlag,
    status: Flag.Literals("status", discrepancyStatuses).pipe(
      Flag.withDescription("Only those of this status"),
      Flag.optional
    ),
    ...pageFlags,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const narrowed = given({ account: flags.account, status: flags.status })
    yield* printPages(flags, columns, (page) =>
      operator((ask) => ask("discrepancies", "list", { query: { ...narrowed, ...page } }))
    )
  })
).pipe(
  Command.withDescription("List what PSPs say against what is booked"),
  Command.withExamples([
    { command: "pagora discrepancies list --status open" },
    { command: "pagora discrepancies list --all --json | jq .evidence" }
  ])
)

const resolve = Command.make(
  "resolve",
  {
    discrepancy: Argument.String("discrepancy").pipe(
      Argument.withDescription("Id of the discrepancy")
    ),
    ...wordsFlags,
    idempotencyKey: idempotencyKeyFlag,
    json: jsonFlag,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const body = { reason: flags.reason, ...given({ by: flags.by }) }
    const call = { params: { id: flags.discrepancy }, body, ...keyed(flags.idempotencyKey) }
    const discrepancy = yield* operator((ask) => ask("discrepancies", "resolve", call))
    yield* printThing(discrepancy, fieldsOf, flags)
  })
).pipe(
  Command.withDescription("Close a discrepancy; it moves no money, so make the adjustment first"),
  Command.withExamples([
    { command: 'pagora discrepancies resolve $DISCREPANCY --reason "Claimed from the receiver."' },
    {
      command:
        'pagora discrepancies resolve $DISCREPANCY --reason "Adjusted by ticket 4711." --by Ana'
    }
  ])
)

/** `pagora discrepancies …` */
export const discrepanciesCommand = Command.make("discrepancies").pipe(
  Command.withDescription("Discrepancies: what PSPs say against what is booked"),
  Command.withExamples([
    { command: "pagora discrepancies list --status open" },
    { command: 'pagora discrepancies resolve $DISCREPANCY --reason "Adjusted by ticket 4711."' }
  ]),
  Command.withSubcommands([list, resolve])
)
