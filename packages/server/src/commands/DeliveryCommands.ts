import type { OperatorAnswer } from "@pagora/core/client"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { accountArgument } from "./AccountFlags.ts"
import { deliveryStatuses } from "./ApiWords.ts"
import { given } from "./Given.ts"
import {
  connectionFlags,
  idempotencyKeyFlag,
  jsonFlag,
  keyed,
  operatorOf
} from "./OperatorConnection.ts"
import { pageFlags, printPages } from "./Pages.ts"
import { print, printTable, printThing, remark } from "./Printer.ts"
import type { Column, Field } from "./Table.ts"
import { eventFlag } from "./WebhookFlags.ts"

type Delivery = OperatorAnswer<"deliveries", "get">
type Attempt = Delivery["attempts"][number]

const answerOf = ({ httpStatus, outcome }: Attempt): string =>
  httpStatus === null ? outcome : `${outcome} (${httpStatus})`

const columns: ReadonlyArray<Column<Delivery>> = [
  { title: "DELIVERY", of: ({ id }) => id },
  { title: "EVENT", of: ({ event }) => event },
  { title: "STATUS", of: ({ status }) => status },
  { title: "TRIES", of: ({ attempts }) => String(attempts.length), isNumber: true },
  { title: "LAST TRY", of: ({ attempts }) => attempts.at(-1)?.at },
  { title: "ANSWER", of: ({ attempts }) => lastAnswer(attempts) },
  { title: "ENDPOINT", of: ({ endpointId }) => endpointId }
]

const lastAnswer = (attempts: ReadonlyArray<Attempt>): string | undefined => {
  const last = attempts.at(-1)
  return last === undefined ? undefined : answerOf(last)
}

const attemptColumns: ReadonlyArray<Column<Attempt>> = [
  { title: "TRY", of: ({ number }) => String(number), isNumber: true },
  { title: "AT", of: ({ at }) => at },
  { title: "ANSWER", of: answerOf },
  { title: "MILLIS", of: ({ durationMillis }) => String(durationMillis), isNumber: true }
]

/** A delivery without its attempts. */
export const deliveryFields = (delivery: Delivery): ReadonlyArray<Field> => [
  ["Delivery", delivery.id],
  ["Event", delivery.event],
  ["Status", delivery.status],
  ["Endpoint", delivery.endpointId]
]

const deliveryArgument = Argument.String("delivery").pipe(
  Argument.withDescription("Id of the delivery")
)

const list = Command.make(
  "list",
  {
    account: accountArgument,
    status: Flag.Literals("status", deliveryStatuses).pipe(
      Flag.withDescription("Only deliveries of this status; exhausted: given up"),
      Flag.optional
    ),
    event: eventFlag.pipe(Flag.withDescription("Only this kind of event"), Flag.optional),
    endpoint: Flag.String("endpoint").pipe(
      Flag.withMetavar("id"),
      Flag.withDescription("Only what was sent to this endpoint"),
      Flag.optional
    ),
    ...pageFlags,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const params = { id: flags.account }
    const narrowed = given({
      status: flags.status,
      event: flags.event,
      endpoint: flags.endpoint
    })
    yield* printPages(flags, columns, (page) =>
      operator((ask) => ask("deliveries", "list", { params, query: { ...narrowed, ...page } }))
    )
  })
).pipe(
  Command.withDescription("List what was sent to an account's webhooks, newest first"),
  Command.withExamples([
    { command: "pagora deliveries list $ACCOUNT --status exhausted" },
    {
      command:
        "pagora deliveries list $ACCOUNT --all --json | jq -r 'select(.attempts == []) | .id'"
    }
  ])
)

const show = Command.make(
  "show",
  { delivery: deliveryArgument, json: jsonFlag, ...connectionFlags },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const params = { deliveryId: flags.delivery }
    const delivery = yield* operator((ask) => ask("deliveries", "get", { params }))
    yield* printThing(delivery, deliveryFields, flags)
    if (flags.json) return
    if (delivery.attempts.length === 0) return yield* remark("It was not tried yet.")
    yield* print("\n")
    yield* printTable(attemptColumns, delivery.attempts)
  })
).pipe(
  Command.withDescription("Show a delivery with every attempt"),
  Command.withExamples([
    { command: "pagora deliveries show $DELIVERY" },
    { command: "pagora deliveries show $DELIVERY --json | jq '.attempts[-1]'" }
  ])
)

const resend = Command.make(
  "resend",
  {
    delivery: deliveryArgument,
    idempotencyKey: idempotencyKeyFlag,
    json: jsonFlag,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const call = { params: { deliveryId: flags.delivery }, ...keyed(flags.idempotencyKey) }
    const delivery = yield* operator((ask) => ask("deliveries", "resend", call))
    yield* printThing(delivery, deliveryFields, flags)
    if (!flags.json) yield* remark(`See what came of it: pagora deliveries show ${delivery.id}`)
  })
).pipe(
  Command.withDescription("Send the event of a delivery once more, with the same bytes"),
  Command.withExamples([
    { command: "pagora deliveries resend $DELIVERY" },
    { command: "pagora deliveries resend $DELIVERY --json" }
  ])
)

/** `pagora deliveries …` */
export const deliveriesCommand = Command.make("deliveries").pipe(
  Command.withDescription("Deliveries: what was sent to webhooks, and what came of it"),
  Command.withExamples([
    { command: "pagora deliveries list $ACCOUNT --status exhausted" },
    { command: "pagora deliveries resend $DELIVERY" }
  ]),
  Command.withSubcommands([list, show, resend])
)
