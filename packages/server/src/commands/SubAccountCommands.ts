import type { OperatorAnswer } from "@pagora/core/client"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { accountArgument } from "./AccountFlags.ts"
import { feeFlags, feesOf, shownFees } from "./AccountTerms.ts"
import { confirm, yesFlag } from "./Confirmation.ts"
import { given } from "./Given.ts"
import { connectionFlags, jsonFlag, operatorOf } from "./OperatorConnection.ts"
import { pageFlags, printPages } from "./Pages.ts"
import { printThing } from "./Printer.ts"
import type { Column, Field } from "./Table.ts"

type SubAccount = OperatorAnswer<"subAccounts", "change">

const referenceArgument = Argument.String("reference").pipe(
  Argument.withDescription("Reference of the sub-account")
)

const columns: ReadonlyArray<Column<SubAccount>> = [
  { title: "REFERENCE", of: ({ reference }) => reference },
  { title: "STATUS", of: ({ status }) => status },
  { title: "CREATED", of: ({ createdAt }) => createdAt },
  { title: "NAME", of: ({ name }) => name },
  { title: "ID", of: ({ id }) => id }
]

const fieldsOf = (subAccount: SubAccount): ReadonlyArray<Field> => [
  ["Sub-account", subAccount.reference],
  ["Id", subAccount.id],
  ["Name", subAccount.name],
  ["Status", subAccount.status],
  ...shownFees(subAccount.fees),
  ["Created", subAccount.createdAt],
  ["Closed", subAccount.closedAt]
]

const list = Command.make(
  "list",
  { account: accountArgument, ...pageFlags, ...connectionFlags },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const params = { id: flags.account }
    yield* printPages(flags, columns, (query) =>
      operator((ask) => ask("subAccounts", "list", { params, query }))
    )
  })
).pipe(
  Command.withDescription("List the sub-accounts of an account"),
  Command.withExamples([
    { command: "pagora sub-account list $ACCOUNT" },
    { command: "pagora sub-account list $ACCOUNT --all --json | jq -r .reference" }
  ])
)

const change = Command.make(
  "change",
  {
    account: accountArgument,
    reference: referenceArgument,
    // Closing is for ever, and has a command that asks.
    status: Flag.Literals("status", ["approved", "suspended"]).pipe(
      Flag.withDescription("A suspended one receives, and starts nothing"),
      Flag.optional
    ),
    ...feeFlags,
    json: jsonFlag,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const params = { id: flags.account, reference: flags.reference }
    const body = given({ status: flags.status, fees: feesOf(flags) })
    const subAccount = yield* operator((ask) => ask("subAccounts", "change", { params, body }))
    yield* printThing(subAccount, fieldsOf, flags)
  })
).pipe(
  Command.withDescription(
    "Change status or fees of a sub-account; its fees win over the account's"
  ),
  Command.withExamples([
    { command: "pagora sub-account change $ACCOUNT filial-sul --status suspended" },
    { command: "pagora sub-account change $ACCOUNT filial-sul --fee-payment percent=0.79" }
  ])
)

const close = Command.make(
  "close",
  {
    account: accountArgument,
    reference: referenceArgument,
    yes: yesFlag,
    json: jsonFlag,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const { account, reference } = flags
    yield* confirm(`Close the sub-account ${reference} of ${account} for ever?`, flags.yes)
    const params = { id: account, reference }
    const body = { status: "closed" as const }
    const subAccount = yield* operator((ask) => ask("subAccounts", "change", { params, body }))
    yield* printThing(subAccount, fieldsOf, flags)
  })
).pipe(
  Command.withDescription("Close a sub-account for ever; its reference is not given again"),
  Command.withExamples([
    { command: "pagora sub-account close $ACCOUNT filial-sul" },
    {
      command: "pagora sub-account close $ACCOUNT filial-sul --yes",
      description: "In a script, without a question"
    }
  ])
)

/** `pagora sub-account …` */
export const subAccountCommand = Command.make("sub-account").pipe(
  Command.withDescription("Sub-accounts: wallets of their own within an account"),
  Command.withExamples([
    { command: "pagora sub-account list $ACCOUNT" },
    { command: "pagora sub-account change $ACCOUNT filial-sul --status suspended" }
  ]),
  Command.withSubcommands([list, change, close])
)
