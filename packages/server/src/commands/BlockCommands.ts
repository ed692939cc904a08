import type { OperatorAnswer } from "@pagora/core/client"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { accountArgument } from "./AccountFlags.ts"
import { blockTypes } from "./ApiWords.ts"
import { readBrl, shownBrl } from "./Brl.ts"
import { confirm, yesFlag } from "./Confirmation.ts"
import { given } from "./Given.ts"
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

type Block = OperatorAnswer<"blocks", "create">

const fieldsOf = (block: Block): ReadonlyArray<Field> => [
  ["Block", block.id],
  ["Account", block.accountId],
  ["Sub-account", block.subAccount ?? undefined],
  ["Transaction", block.transactionId],
  ["End-to-end id", block.e2eId],
  ["Type", block.blockType],
  ["Status", block.status],
  ["Amount", shownBrl(block.amount)],
  ["Approved", block.approvedAmount === undefined ? undefined : shownBrl(block.approvedAmount)],
  ["Returned", shownBrl(block.returnedAmount)],
  ["Owed", shownBrl(block.owedAmount)],
  ["Given up", shownBrl(block.uncollectedAmount)],
  ["Reason", block.reason],
  ["Reference", block.referenceNumber],
  ["Created", block.createdAt],
  ["Answer until", block.answerUntil],
  ["Answer", block.answer && `${block.answer.answer}, ${block.answer.status}`],
  ["Refused", block.answer?.message],
  ["Defended", block.defendedAt],
  ["Resolved", block.resolvedAt],
  ["Resolution", block.resolutionReason]
]

const columns: ReadonlyArray<Column<Block>> = [
  { title: "BLOCK", of: ({ id }) => id },
  { title: "TYPE", of: ({ blockType }) => blockType },
  { title: "STATUS", of: ({ status }) => status },
  { title: "AMOUNT", of: ({ amount }) => shownBrl(amount), isNumber: true },
  { title: "RETURNED", of: ({ returnedAmount }) => shownBrl(returnedAmount), isNumber: true },
  { title: "OWED", of: ({ owedAmount }) => shownBrl(owedAmount), isNumber: true },
  { title: "TRANSACTION", of: ({ transactionId }) => transactionId },
  { title: "CREATED", of: ({ createdAt }) => createdAt }
]

const blockArgument = Argument.String("block").pipe(Argument.withDescription("Id of the block"))

const create = Command.make(
  "create",
  {
    account: accountArgument,
    transactionId: Flag.String("transaction").pipe(
      Flag.withMetavar("id"),
      Flag.withDescription("The payment that is disputed")
    ),
    blockType: Flag.Literals("type", blockTypes).pipe(Flag.withDescription("Who asks for it")),
    amount: Flag.String("amount").pipe(
      Flag.withMetavar("BRL"),
      Flag.withDescription("Such as 10.50; the whole payment unless told"),
      reading((text) => readBrl(text)),
      Flag.optional
    ),
    reason: Flag.String("reason").pipe(Flag.withDescription("Why"), Flag.optional),
    referenceNumber: Flag.String("reference-number").pipe(
      Flag.withDescription("Number of the case at the bank or the court"),
      Flag.optional
    ),
    idempotencyKey: idempotencyKeyFlag,
    json: jsonFlag,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const { amount, blockType, reason, referenceNumber, transactionId } = flags
    const body = { transactionId, blockType, ...given({ amount, reason, referenceNumber }) }
    const call = { params: { id: flags.account }, body, ...keyed(flags.idempotencyKey) }
    const block = yield* operator((ask) => ask("blocks", "create", call))
    yield* printThing(block, fieldsOf, flags)
  })
).pipe(
  Command.withDescription("Block the money of a disputed payment"),
  Command.withExamples([
    { command: "pagora block create $ACCOUNT --transaction $TRANSACTION --type med" },
    {
      command:
        "pagora block create $ACCOUNT --transaction $TRANSACTION --type judicial --amount 150.00 --reference-number 0001234-56.2026"
    }
  ])
)

const list = Command.make(
  "list",
  { account: accountArgument, ...pageFlags, ...connectionFlags },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const params = { id: flags.account }
    yield* printPages(flags, columns, (query) =>
      operator((ask) => ask("blocks", "list", { params, query }))
    )
  })
).pipe(
  Command.withDescription("List the blocks of an account, newest first"),
  Command.withExamples([
    { command: "pagora block list $ACCOUNT" },
    { command: "pagora block list $ACCOUNT --all --json | jq -r 'select(.owedAmount > 0) | .id'" }
  ])
)

const defend = Command.make(
  "defend",
  {
    block: blockArgument,
    idempotencyKey: idempotencyKeyFlag,
    json: jsonFlag,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const call = { params: { id: flags.block }, ...keyed(flags.idempotencyKey) }
    const block = yield* operator((ask) => ask("blocks", "defend", call))
    yield* printThing(block, fieldsOf, flags)
  })
).pipe(
  Command.withDescription("Note that the merchant's defence was handed in"),
  Command.withExamples([
    { command: "pagora block defend $BLOCK" },
    { command: "pagora block defend $BLOCK --json" }
  ])
)

const answer = Command.make(
  "answer",
  {
    block: blockArgument,
    answer: Flag.Literals("answer", ["agree", "disagree"]).pipe(
      Flag.withDescription("agree: the payer is to have the money back; disagree: it is not")
    ),
    text: Flag.String("text").pipe(Flag.withDescription("What the merchant says to the report")),
    idempotencyKey: idempotencyKeyFlag,
    json: jsonFlag,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const { answer, block: id, text } = flags
    const call = { params: { id }, body: { answer, text }, ...keyed(flags.idempotencyKey) }
    const block = yield* operator((ask) => ask("blocks", "answer", call))
    yield* printThing(block, fieldsOf, flags)
  })
).pipe(
  Command.withDescription("Answer the report of fraud (MED) that has opened a block, at its PSP"),
  Command.withExamples([
    { command: 'pagora block answer $BLOCK --answer disagree --text "Delivered, with a receipt."' },
    {
      command: 'pagora block answer $BLOCK --answer agree --text "Our account was misused."',
      description: "The payer is to have the money back"
    }
  ])
)

const partOf = (amount: Option.Option<number>): string =>
  Option.match(amount, {
    onNone: () => "the money",
    onSome: (part) => `${shownBrl(part)} of it`
  })

const resolve = Command.make(
  "resolve",
  {
    block: blockArgument,
    outcome: Flag.Literals("outcome", ["approved", "rejected"]).pipe(
      Flag.withDescription("approved: the payer gets the money back; rejected: it is free again")
    ),
    amount: Flag.String("amount").pipe(
      Flag.withMetavar("BRL"),
      Flag.withDescription("So much of an approved block goes back; all of it unless told"),
      reading((text) => readBrl(text)),
      Flag.optional
    ),
    reason: Flag.String("reason").pipe(Flag.withDescription("Why"), Flag.optional),
    yes: yesFlag,
    idempotencyKey: idempotencyKeyFlag,
    json: jsonFlag,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    yield* confirm(
      flags.outcome === "approved"
        ? `Approve the block ${flags.block}? The payer gets ${partOf(flags.amount)} back.`
        : `Reject the block ${flags.block}? The merchant has the money again.`,
      flags.yes
    )
    const { amount, outcome, reason } = flags
    const body = { outcome, ...given({ amount, reason }) }
    const call = { params: { id: flags.block }, body, ...keyed(flags.idempotencyKey) }
    const block = yield* operator((ask) => ask("blocks", "resolve", call))
    yield* printThing(block, fieldsOf, flags)
  })
).pipe(
  Command.withDescription("End a block: the payer gets the money, or the merchant keeps it"),
  Command.withExamples([
    { command: 'pagora block resolve $BLOCK --outcome rejected --reason "goods were delivered"' },
    {
      command: "pagora block resolve $BLOCK --outcome approved --yes",
      description: "In a script, without a question"
    },
    {
      command: "pagora block resolve $BLOCK --outcome approved --amount 40.00 --yes",
      description: "Only a part goes back"
    }
  ])
)

/** `pagora block …` */
export const blockCommand = Command.make("block").pipe(
  Command.withDescription("Balance blocks: money that is disputed"),
  Command.withExamples([
    { command: "pagora block create $ACCOUNT --transaction $TRANSACTION --type med" },
    { command: "pagora block resolve $BLOCK --outcome rejected" }
  ]),
  Command.withSubcommands([create, list, defend, answer, resolve])
)
