import type { OperatorAnswer } from "@pagora/core/client"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { accountArgument, subAccountFlag } from "./AccountFlags.ts"
import { anyNumber } from "./AnyNumber.ts"
import { confirm, yesFlag } from "./Confirmation.ts"
import { deliveryFields } from "./DeliveryCommands.ts"
import { given } from "./Given.ts"
import {
  connectionFlags,
  idempotencyKeyFlag,
  jsonFlag,
  keyed,
  operatorOf
} from "./OperatorConnection.ts"
import { printJson, printTable, printThing, remark } from "./Printer.ts"
import { timeFlag } from "./TimeFlags.ts"
import { endpointArgument, endpointColumns, endpointFields, eventFlag } from "./WebhookFlags.ts"

type WithSecret = OperatorAnswer<"webhooks", "create">

const printSecret = Effect.fnUntraced(function* (
  endpoint: WithSecret,
  flags: { readonly json: boolean }
) {
  const fieldsOf = (one: WithSecret) => [...endpointFields(one), ["Secret", one.secret] as const]
  yield* printThing(endpoint, fieldsOf, flags)
  if (!flags.json) yield* remark("The secret is shown here and never again: keep it now.")
})

const create = Command.make(
  "create",
  {
    account: accountArgument,
    url: Flag.String("url").pipe(Flag.withDescription("Where events are sent, by https")),
    subAccount: subAccountFlag,
    events: eventFlag.pipe(
      Flag.withDescription("Kind of event to send; once for each. All, unless told"),
      anyNumber
    ),
    idempotencyKey: idempotencyKeyFlag,
    json: jsonFlag,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const { events, subAccount, url } = flags
    const body = { url, ...given({ subAccount }), ...(events.length === 0 ? {} : { events }) }
    const call = { params: { id: flags.account }, body, ...keyed(flags.idempotencyKey) }
    yield* printSecret(yield* operator((ask) => ask("webhooks", "create", call)), flags)
  })
).pipe(
  Command.withDescription("Add a webhook endpoint; its signing secret is shown once"),
  Command.withExamples([
    { command: "pagora webhook create $ACCOUNT --url https://shop.example.com/hooks/pagora" },
    {
      command:
        "pagora webhook create $ACCOUNT --url https://shop.example.com/paid --event payment_completed"
    }
  ])
)

const list = Command.make(
  "list",
  { account: accountArgument, json: jsonFlag, ...connectionFlags },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const params = { id: flags.account }
    const endpoints = yield* operator((ask) => ask("webhooks", "list", { params }))
    if (flags.json) return void (yield* printJson(endpoints))
    yield* endpoints.data.length === 0
      ? remark("There are none.")
      : printTable(endpointColumns, endpoints.data)
  })
).pipe(
  Command.withDescription("List the webhook endpoints of an account"),
  Command.withExamples([
    { command: "pagora webhook list $ACCOUNT" },
    { command: "pagora webhook list $ACCOUNT --json | jq -r '.data[].url'" }
  ])
)

const change = Command.make(
  "change",
  {
    account: accountArgument,
    endpoint: endpointArgument,
    url: Flag.String("url").pipe(
      Flag.withDescription("Where events are sent from now on"),
      Flag.optional
    ),
    events: eventFlag.pipe(
      Flag.withDescription("Kind of event to send from now on; once for each"),
      anyNumber
    ),
    enabled: Flag.Boolean("enable").pipe(
      Flag.withNegation("disable"),
      Flag.withDescription("Switch it on; --disable switches it off"),
      Flag.optional
    ),
    json: jsonFlag,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const { enabled, events, url } = flags
    const body = { ...given({ url, enabled }), ...(events.length === 0 ? {} : { events }) }
    const params = { id: flags.account, endpointId: flags.endpoint }
    const changed = yield* operator((ask) => ask("webhooks", "change", { params, body }))
    yield* printThing(changed, endpointFields, flags)
  })
).pipe(
  Command.withDescription("Change a webhook endpoint, or switch it on or off"),
  Command.withExamples([
    { command: "pagora webhook change $ACCOUNT $ENDPOINT --enable" },
    { command: "pagora webhook change $ACCOUNT $ENDPOINT --url https://shop.example.com/new" }
  ])
)

const remove = Command.make(
  "remove",
  {
    account: accountArgument,
    endpoint: endpointArgument,
    yes: yesFlag,
    json: jsonFlag,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const { account, endpoint, json: isJson } = flags
    yield* confirm(
      `Remove the webhook endpoint ${endpoint}? What waits for it is not sent.`,
      flags.yes
    )
    const params = { id: account, endpointId: endpoint }
    yield* operator((ask) => ask("webhooks", "remove", { params }))
    yield* isJson ? printJson({}) : remark(`The webhook endpoint ${endpoint} is removed.`)
  })
).pipe(
  Command.withDescription("Remove a webhook endpoint"),
  Command.withExamples([
    { command: "pagora webhook remove $ACCOUNT $ENDPOINT" },
    {
      command: "pagora webhook remove $ACCOUNT $ENDPOINT --yes",
      description: "In a script, without a question"
    }
  ])
)

const rotateSecret = Command.make(
  "rotate-secret",
  {
    account: accountArgument,
    endpoint: endpointArgument,
    graceSeconds: Flag.Int("grace-seconds").pipe(
      Flag.withDescription("How long the old secret signs too, 0 to 604800; a day unless told"),
      Flag.optional
    ),
    idempotencyKey: idempotencyKeyFlag,
    json: jsonFlag,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const params = { id: flags.account, endpointId: flags.endpoint }
    const body = given({ graceSeconds: flags.graceSeconds })
    const call = { params, body, ...keyed(flags.idempotencyKey) }
    yield* printSecret(yield* operator((ask) => ask("webhooks", "rotate", call)), flags)
  })
).pipe(
  Command.withDescription("Give a webhook endpoint a new signing secret, shown once"),
  Command.withExamples([
    { command: "pagora webhook rotate-secret $ACCOUNT $ENDPOINT" },
    {
      command: "pagora webhook rotate-secret $ACCOUNT $ENDPOINT --grace-seconds 0",
      description: "The old one leaked: it signs no more"
    }
  ])
)

const test = Command.make(
  "test",
  {
    account: accountArgument,
    endpoint: endpointArgument,
    idempotencyKey: idempotencyKeyFlag,
    json: jsonFlag,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const params = { id: flags.account, endpointId: flags.endpoint }
    const call = { params, ...keyed(flags.idempotencyKey) }
    const delivery = yield* operator((ask) => ask("webhooks", "test", call))
    yield* printThing(delivery, deliveryFields, flags)
    if (!flags.json) yield* remark(`See what came of it: pagora deliveries show ${delivery.id}`)
  })
).pipe(
  Command.withDescription("Send an event that says it is a test"),
  Command.withExamples([
    { command: "pagora webhook test $ACCOUNT $ENDPOINT" },
    {
      command: "pagora deliveries show $(pagora webhook test $ACCOUNT $ENDPOINT --json | jq -r .id)"
    }
  ])
)

const recover = Command.make(
  "recover",
  {
    endpoint: endpointArgument,
    since: timeFlag("since", "From when on"),
    idempotencyKey: idempotencyKeyFlag,
    json: jsonFlag,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const params = { endpointId: flags.endpoint }
    const body = { since: flags.since }
    const call = { params, body, ...keyed(flags.idempotencyKey) }
    const recovery = yield* operator((ask) => ask("webhooks", "recover", call))
    yield* printThing(
      recovery,
      (one) => [
        ["Endpoint", one.endpointId],
        ["Since", one.since],
        ["Until", one.until]
      ],
      flags
    )
    if (!flags.json) yield* remark("What was given up between the two is being sent again.")
  })
).pipe(
  Command.withDescription("Send again what was given up since a time, oldest first"),
  Command.withExamples([
    { command: "pagora webhook recover $ENDPOINT --since 24h" },
    { command: "pagora webhook recover $ENDPOINT --since 2026-11-21T12:00:00Z" }
  ])
)

/** `pagora webhook …` */
export const webhookCommand = Command.make("webhook").pipe(
  Command.withDescription("Webhook endpoints: where events are sent"),
  Command.withExamples([
    { command: "pagora webhook create $ACCOUNT --url https://shop.example.com/hooks/pagora" },
    { command: "pagora webhook recover $ENDPOINT --since 24h" }
  ]),
  Command.withSubcommands([create, list, change, remove, rotateSecret, test, recover])
)
