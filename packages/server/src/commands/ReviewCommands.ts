import type { OperatorAnswer } from "@pagora/core/client"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { shownBrl } from "./Brl.ts"
import { confirm, yesFlag } from "./Confirmation.ts"
import { CommandFailed } from "./CommandFailed.ts"
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

type Review = OperatorAnswer<"reviews", "list">["data"][number]
type Return = OperatorAnswer<"reviews", "findReturn">
type Withdrawal = OperatorAnswer<"withdrawals", "resolve">
type PspReturn = OperatorAnswer<"psp-returns", "resolve">

/** The last words of the calls: `retry`, `resolve`. */
const decisionsOf = ({ calls }: Review): string =>
  calls.map((call) => call.slice(call.lastIndexOf("/") + 1)).join(", ")

const reasonOf = ({ reason, refusals }: Review): string =>
  refusals === undefined ? reason : `${reason}, refused ${refusals} times`

const columns: ReadonlyArray<Column<Review>> = [
  { title: "TYPE", of: ({ type }) => type },
  { title: "REVIEW", of: ({ id }) => id },
  { title: "REASON", of: reasonOf },
  {
    title: "AMOUNT",
    of: ({ amount }) => (amount === undefined ? undefined : shownBrl(amount)),
    isNumber: true
  },
  { title: "SINCE", of: ({ since }) => since },
  { title: "REFERENCE", of: ({ reference }) => reference },
  { title: "ACCOUNT", of: ({ accountId }) => accountId },
  { title: "DECISIONS", of: decisionsOf }
]

const returnFields = (money: Return): ReadonlyArray<Field> => [
  ["Return", money.id],
  ["Account", money.accountId],
  ["Sub-account", money.subAccount],
  ["Purpose", money.purpose],
  ["Status", money.status],
  ["Amount", shownBrl(money.amount)],
  ["End-to-end id", money.e2eId],
  ["Reference", money.reference],
  ["Refusals", String(money.rejections)],
  ["Failure", money.failureReason],
  ["Waits for a person", money.review?.since],
  ["Because", money.review?.reason],
  ["Replaces", money.replaces],
  ["Replaced by", money.replacedBy],
  ["Reason", money.resolution?.reason],
  ["Decided by", money.resolution?.by],
  ["Settled", money.settledAt]
]

const withdrawalFields = (withdrawal: Withdrawal): ReadonlyArray<Field> => [
  ["Withdrawal", withdrawal.id],
  ["Status", withdrawal.status],
  ["Amount", shownBrl(withdrawal.amount)],
  ["Fee", shownBrl(withdrawal.feeAmount)],
  ["Failure", withdrawal.failureReason ?? undefined],
  ["Created", withdrawal.createdAt]
]

const pspReturnFields = (money: PspReturn): ReadonlyArray<Field> => [
  ["Return of the PSP", money.id],
  ["Account", money.accountId],
  ["Sub-account", money.subAccount],
  ["Status", money.status],
  ["Amount", shownBrl(money.amount)],
  ["End-to-end id", money.e2eId],
  ["Reference", money.reference],
  ["Reason", money.resolution?.reason],
  ["Decided by", money.resolution?.by]
]

const mismatched = new CommandFailed({
  message: "A psp_return is charged or absorbed; anything else is completed or failed."
})

const list = Command.make(
  "list",
  { account: ofAccountFlag, ...pageFlags, ...connectionFlags },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const narrowed = given({ account: flags.account })
    yield* printPages(flags, columns, (page) =>
      operator((ask) => ask("reviews", "list", { query: { ...narrowed, ...page } }))
    )
  })
).pipe(
  Command.withDescription("List what waits for a person, oldest first, and what can be decided"),
  Command.withExamples([
    { command: "pagora review list" },
    {
      command: "pagora review list --all --json | jq -s length",
      description: "For a monitor: how many wait"
    }
  ])
)

const reviewArgument = Argument.String("review").pipe(
  Argument.withDescription("Its id, as pagora review list shows it")
)

const retry = Command.make(
  "retry",
  {
    review: reviewArgument,
    ...wordsFlags,
    yes: yesFlag,
    idempotencyKey: idempotencyKeyFlag,
    json: jsonFlag,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const { by, idempotencyKey, reason, review } = flags
    yield* confirm(
      `Send the money of the return ${review} once more? The PSP has refused it before.`,
      flags.yes
    )
    const body = { reason, ...given({ by }) }
    const call = { params: { id: review }, body, ...keyed(idempotencyKey) }
    const money = yield* operator((ask) => ask("reviews", "retryReturn", call))
    yield* printThing(money, returnFields, flags)
  })
).pipe(
  Command.withDescription("Send money back once more that the PSP refused, under a new reference"),
  Command.withExamples([
    { command: 'pagora review retry $REVIEW --reason "Their limit was raised." --by Ana' },
    {
      command: 'pagora review retry $REVIEW --reason "The payer has a new key." --yes',
      description: "In a script, without a question"
    }
  ])
)

const types = ["withdrawal", "refund", "deposit_return", "chargeback_return", "psp_return"] as const
type Type = (typeof types)[number]

const outcomes = ["completed", "failed", "charged", "absorbed"] as const
type Outcome = (typeof outcomes)[number]

/** What a decision means for the money. */
const meaning = (type: Type, outcome: Outcome): string => {
  switch (outcome) {
    case "completed":
      return "Its money has left for good."
    case "charged":
      return "The wallet that the payment was credited to bears it."
    case "absorbed":
      return "Your equity account bears it."
    case "failed":
      break
  }
  return type === "withdrawal" || type === "refund"
    ? "Its money is the wallet's again."
    : "Its money moves out of suspense to the equity account."
}

const resolve = Command.make(
  "resolve",
  {
    type: Argument.Literals("type", types).pipe(
      Argument.withDescription("What it is, as pagora review list shows it")
    ),
    review: reviewArgument,
    outcome: Flag.Literals("outcome", outcomes).pipe(
      Flag.withDescription(
        "completed: the PSP has done it; failed: it has not, and never will; of a psp_return, charged: the wallet bears it, absorbed: you do"
      )
    ),
    ...wordsFlags,
    yes: yesFlag,
    idempotencyKey: idempotencyKeyFlag,
    json: jsonFlag,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const { by, outcome, reason, review, type } = flags
    const isBearing = outcome === "charged" || outcome === "absorbed"
    if (isBearing !== (type === "psp_return")) return yield* mismatched
    yield* confirm(`Call the ${type} ${review} ${outcome}? ${meaning(type, outcome)}`, flags.yes)
    const call = { params: { id: review }, ...keyed(flags.idempotencyKey) }
    const words = { reason, ...given({ by }) }
    if (isBearing) {
      const decided = { ...call, body: { outcome, ...words } }
      const money = yield* operator((ask) => ask("psp-returns", "resolve", decided))
      return void (yield* printThing(money, pspReturnFields, flags))
    }
    const body = { outcome, ...words }
    if (type === "withdrawal") {
      const withdrawal = yield* operator((ask) => ask("withdrawals", "resolve", { ...call, body }))
      return void (yield* printThing(withdrawal, withdrawalFields, flags))
    }
    const name = type === "refund" ? "resolveRefund" : "resolveReturn"
    const money = yield* operator((ask) => ask("reviews", name, { ...call, body }))
    yield* printThing(money, returnFields, flags)
  })
).pipe(
  Command.withDescription(
    "Decide a payout, a refund or a return by what was found at the PSP; for good"
  ),
  Command.withExamples([
    {
      command:
        'pagora review resolve withdrawal $REVIEW --outcome completed --reason "Seen on the statement." --by Ana'
    },
    {
      command:
        'pagora review resolve deposit_return $REVIEW --outcome failed --reason "The payer has no account." --yes',
      description: "In a script, without a question"
    }
  ])
)

/** `pagora review …` */
export const reviewCommand = Command.make("review").pipe(
  Command.withDescription("Reviews: money that waits for a person"),
  Command.withExamples([
    { command: "pagora review list" },
    {
      command:
        'pagora review resolve withdrawal $REVIEW --outcome failed --reason "The PSP has no such order."'
    }
  ]),
  Command.withSubcommands([list, retry, resolve])
)
