import type { OperatorAnswer } from "@pagora/core/client"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { accountArgument, subAccountFlag } from "./AccountFlags.ts"
import { shownTerms, termsFlags, termsOf } from "./AccountTerms.ts"
import { accountStatuses } from "./ApiWords.ts"
import { readBrl, shownBrl } from "./Brl.ts"
import { confirm, yesFlag } from "./Confirmation.ts"
import { given } from "./Given.ts"
import { balances, entries, transactions } from "./HistoryCommands.ts"
import {
  connectionFlags,
  idempotencyKeyFlag,
  jsonFlag,
  keyed,
  operatorOf,
  reading
} from "./OperatorConnection.ts"
import { pageFlags, printPages } from "./Pages.ts"
import { printThing } from "./Printer.ts"
import type { Column, Field } from "./Table.ts"

type Account = OperatorAnswer<"accounts", "get">

const fieldsOf = (account: Account): ReadonlyArray<Field> => [
  ["Account", account.id],
  ["Name", account.name],
  ["Document", account.document],
  ["Status", account.status],
  ...shownTerms(account),
  ["Created", account.createdAt],
  ["Updated", account.updatedAt]
]

const create = Command.make(
  "create",
  {
    name: Flag.String("name").pipe(Flag.withDescription("Name of the account's owner")),
    document: Flag.String("document").pipe(
      Flag.withDescription("CPF or CNPJ of the owner"),
      Flag.optional
    ),
    ...termsFlags,
    idempotencyKey: idempotencyKeyFlag,
    json: jsonFlag,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const body = { name: flags.name, ...given({ document: flags.document }), ...termsOf(flags) }
    const account = yield* operator((ask) =>
      ask("accounts", "create", { body, ...keyed(flags.idempotencyKey) })
    )
    yield* printThing(account, fieldsOf, flags)
  })
).pipe(
  Command.withDescription("Open an account"),
  Command.withExamples([
    { command: `pagora account create --name "Loja da Ana"` },
    {
      command: `pagora account create --name "Loja da Ana" --document 529.982.247-25 --fee-payment percent=0.99,min=0.10`,
      description: "With a fee of 0,99 % a payment, at least R$ 0,10"
    }
  ])
)

const columns: ReadonlyArray<Column<Account>> = [
  { title: "ACCOUNT", of: ({ id }) => id },
  { title: "STATUS", of: ({ status }) => status },
  { title: "CREATED", of: ({ createdAt }) => createdAt },
  { title: "DOCUMENT", of: ({ document }) => document },
  { title: "NAME", of: ({ name }) => name }
]

const list = Command.make(
  "list",
  {
    status: Flag.Literals("status", accountStatuses).pipe(
      Flag.withDescription("Only accounts of this status"),
      Flag.optional
    ),
    ...pageFlags,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const narrowed = given({ status: flags.status })
    yield* printPages(flags, columns, (page) =>
      operator((ask) => ask("accounts", "list", { query: { ...narrowed, ...page } }))
    )
  })
).pipe(
  Command.withDescription("List the accounts of the deployment"),
  Command.withExamples([
    { command: "pagora account list --status suspended" },
    {
      command: "pagora account list --all --json | jq -r .id",
      description: "The id of every account"
    }
  ])
)

const show = Command.make(
  "show",
  { account: accountArgument, json: jsonFlag, ...connectionFlags },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const params = { id: flags.account }
    const account = yield* operator((ask) => ask("accounts", "get", { params }))
    yield* printThing(account, fieldsOf, flags)
  })
).pipe(
  Command.withDescription("Show an account, its fees and its limits"),
  Command.withExamples([
    { command: "pagora account show $ACCOUNT" },
    { command: "pagora account show $ACCOUNT --json | jq .fees" }
  ])
)

/** Closing is for ever, and has a command that asks. */
const openStatuses = accountStatuses.filter((status) => status !== "closed")

const change = Command.make(
  "change",
  {
    account: accountArgument,
    status: Flag.Literals("status", openStatuses).pipe(
      Flag.withDescription(
        "Only an approved account does business; pagora account close closes one for ever"
      ),
      Flag.optional
    ),
    ...termsFlags,
    json: jsonFlag,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const body = { ...given({ status: flags.status }), ...termsOf(flags) }
    const params = { id: flags.account }
    const account = yield* operator((ask) => ask("accounts", "change", { params, body }))
    yield* printThing(account, fieldsOf, flags)
  })
).pipe(
  Command.withDescription("Change status, fees, limits, policy or PSPs of an account"),
  Command.withExamples([
    {
      command: "pagora account change $ACCOUNT --status suspended"
    },
    {
      command: "pagora account change $ACCOUNT --limit-withdrawal max=5000,daily=20000",
      description: "At most R$ 5.000 a withdrawal and R$ 20.000 a day"
    },
    {
      command: `pagora account change $ACCOUNT --psps "$EFI,$INTER;$EFI;$INTER"`,
      description: "New charges go to the first, and to the other one while it takes none"
    }
  ])
)

const close = Command.make(
  "close",
  { account: accountArgument, yes: yesFlag, json: jsonFlag, ...connectionFlags },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    yield* confirm(`Close the account ${flags.account}?`, flags.yes)
    const params = { id: flags.account }
    const body = { status: "closed" as const }
    const account = yield* operator((ask) => ask("accounts", "change", { params, body }))
    yield* printThing(account, fieldsOf, flags)
  })
).pipe(
  Command.withDescription("Close an account: it does no more business"),
  Command.withExamples([
    { command: "pagora account close $ACCOUNT" },
    {
      command: "pagora account close $ACCOUNT --yes",
      description: "In a script, without a question"
    }
  ])
)

const adjust = Command.make(
  "adjust",
  {
    account: accountArgument,
    amount: Flag.String("amount").pipe(
      Flag.withMetavar("BRL"),
      Flag.withDescription("Such as 10.50; -10.50 takes money away, at most what is spendable"),
      reading((text) => readBrl(text, { isSigned: true }))
    ),
    reason: Flag.String("reason").pipe(Flag.withDescription("Why, for the books")),
    subAccount: subAccountFlag,
    bucket: Flag.Literals("bucket", ["available", "promotional"]).pipe(
      Flag.withDescription("Which balance; available unless told"),
      Flag.optional
    ),
    idempotencyKey: idempotencyKeyFlag,
    json: jsonFlag,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const { amount, bucket, reason, subAccount } = flags
    const body = { amount, reason, ...given({ subAccount, bucket }) }
    const call = { params: { id: flags.account }, body, ...keyed(flags.idempotencyKey) }
    const adjustment = yield* operator((ask) => ask("accounts", "adjust", call))
    yield* printThing(
      adjustment,
      (one) => [
        ["Adjustment", one.id],
        ["Amount", shownBrl(one.amount)],
        ["Bucket", one.bucket],
        ["Reason", one.reason],
        ["Created", one.createdAt]
      ],
      flags
    )
  })
).pipe(
  Command.withDescription("Correct a balance by hand"),
  Command.withExamples([
    {
      command: 'pagora account adjust $ACCOUNT --amount 10.50 --reason "goodwill"'
    },
    {
      command:
        'pagora account adjust $ACCOUNT --amount -10.50 --reason "ticket 4711" --idempotency-key ticket-4711',
      description: "Takes R$ 10,50 away, once, however often it is run"
    }
  ])
)

/** `pagora account …` */
export const accountCommand = Command.make("account").pipe(
  Command.withDescription("Accounts: who uses the deployment"),
  Command.withExamples([
    { command: `pagora account create --name "Loja da Ana"` },
    { command: "pagora account balances $ACCOUNT" }
  ]),
  Command.withSubcommands([
    create,
    list,
    show,
    change,
    adjust,
    balances,
    transactions,
    entries,
    close
  ])
)
