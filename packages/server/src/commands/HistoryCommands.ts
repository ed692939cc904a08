import type { OperatorAnswer } from "@pagora/core/client"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { accountArgument } from "./AccountFlags.ts"
import { transactionStatuses, transactionTypes } from "./ApiWords.ts"
import { shownBrl } from "./Brl.ts"
import { given } from "./Given.ts"
import { connectionFlags, operatorOf } from "./OperatorConnection.ts"
import { pageFlags, printPages } from "./Pages.ts"
import type { Column } from "./Table.ts"
import { timeFlag } from "./TimeFlags.ts"

type Wallet = OperatorAnswer<"history", "balances">["data"][number]

const walletColumns: ReadonlyArray<Column<Wallet>> = [
  { title: "SUB-ACCOUNT", of: ({ subAccount }) => subAccount ?? undefined },
  { title: "STATUS", of: ({ status }) => status },
  { title: "AVAILABLE", of: (one) => shownBrl(one.available.amountFormatted), isNumber: true },
  { title: "PROMOTIONAL", of: (one) => shownBrl(one.promotional.amountFormatted), isNumber: true },
  { title: "HELD", of: (one) => shownBrl(one.held.amountFormatted), isNumber: true },
  { title: "TOTAL", of: (one) => shownBrl(one.total.amountFormatted), isNumber: true },
  { title: "UPDATED", of: ({ updatedAt }) => updatedAt }
]

/** `pagora account balances` */
export const balances = Command.make(
  "balances",
  { account: accountArgument, ...pageFlags, ...connectionFlags },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const params = { id: flags.account }
    yield* printPages(flags, walletColumns, (query) =>
      operator((ask) => ask("history", "balances", { params, query }))
    )
  })
).pipe(
  Command.withDescription(
    "Show what the wallets of an account hold; the main one is the last, without a sub-account"
  ),
  Command.withExamples([
    { command: "pagora account balances $ACCOUNT" },
    {
      command: "pagora account balances $ACCOUNT --json | jq .available.amount",
      description: "The main wallet, in centavos"
    }
  ])
)

/** What part of a history is shown. */
const rangeFlags = {
  subAccount: Flag.String("sub-account").pipe(
    Flag.withMetavar("reference"),
    Flag.withDescription("Only the wallet of this sub-account; principal for the main one"),
    Flag.optional
  ),
  from: timeFlag("from", "Only from then on").pipe(Flag.optional),
  to: timeFlag("to", "Only until then").pipe(Flag.optional)
}

type Transaction = OperatorAnswer<"history", "transactions">["data"][number]

const transactionColumns: ReadonlyArray<Column<Transaction>> = [
  { title: "TRANSACTION", of: ({ id }) => id },
  { title: "TYPE", of: ({ type }) => type },
  { title: "STATUS", of: ({ status }) => status },
  { title: "AMOUNT", of: ({ amount }) => shownBrl(amount), isNumber: true },
  { title: "CREATED", of: ({ createdAt }) => createdAt },
  { title: "SUB-ACCOUNT", of: ({ subAccount }) => subAccount ?? undefined },
  { title: "COUNTERPART", of: ({ counterpartName }) => counterpartName }
]

/** `pagora account transactions` */
export const transactions = Command.make(
  "transactions",
  {
    account: accountArgument,
    ...rangeFlags,
    type: Flag.Literals("type", transactionTypes).pipe(
      Flag.withDescription("Only transactions of this type"),
      Flag.optional
    ),
    status: Flag.Literals("status", transactionStatuses).pipe(
      Flag.withDescription("Only transactions of this status"),
      Flag.optional
    ),
    ...pageFlags,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const { account, from, status, subAccount, to, type } = flags
    const narrowed = given({ from, status, subAccount, to, type })
    yield* printPages(flags, transactionColumns, (page) =>
      operator((ask) =>
        ask("history", "transactions", { params: { id: account }, query: { ...narrowed, ...page } })
      )
    )
  })
).pipe(
  Command.withDescription("List the transactions of an account as its owner sees them"),
  Command.withExamples([
    { command: "pagora account transactions $ACCOUNT --type withdrawal --status pending" },
    {
      command: "pagora account transactions $ACCOUNT --from 7d --all --json | jq -s 'map(.amount)'"
    }
  ])
)

type Entry = OperatorAnswer<"history", "entries">["data"][number]

const entryColumns: ReadonlyArray<Column<Entry>> = [
  { title: "ENTRY", of: ({ id }) => id },
  { title: "KIND", of: ({ kind }) => kind },
  { title: "BUCKET", of: ({ bucket }) => bucket },
  { title: "AMOUNT", of: ({ amount }) => shownBrl(amount), isNumber: true },
  { title: "CREATED", of: ({ createdAt }) => createdAt },
  { title: "SUB-ACCOUNT", of: ({ subAccount }) => subAccount ?? undefined },
  { title: "SOURCE", of: ({ sourceId }) => sourceId }
]

/** `pagora account entries` */
export const entries = Command.make(
  "entries",
  { account: accountArgument, ...rangeFlags, ...pageFlags, ...connectionFlags },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const { account, from, subAccount, to } = flags
    const narrowed = given({ from, subAccount, to })
    yield* printPages(flags, entryColumns, (page) =>
      operator((ask) =>
        ask("history", "entries", { params: { id: account }, query: { ...narrowed, ...page } })
      )
    )
  })
).pipe(
  Command.withDescription(
    "List what was posted to the wallets of an account: each change of a balance, and what for"
  ),
  Command.withExamples([
    { command: "pagora account entries $ACCOUNT --from 24h" },
    { command: "pagora account entries $ACCOUNT --sub-account principal --all --json" }
  ])
)
