import type { OperatorAnswer } from "@pagora/core/client"
import { Argument, Flag } from "effect/cli"
import { eventTypes } from "./ApiWords.ts"
import type { Column, Field } from "./Table.ts"

export type WebhookEndpoint = OperatorAnswer<"webhooks", "list">["data"][number]

export const endpointArgument = Argument.String("endpoint").pipe(
  Argument.withDescription("Id of the webhook endpoint")
)

export const eventFlag = Flag.Literals("event", eventTypes)

const stateOf = ({ disabledReason, enabled, failingSince }: WebhookEndpoint): string => {
  if (!enabled) return disabledReason === undefined ? "off" : `off (${disabledReason})`
  return failingSince === undefined ? "on" : `failing since ${failingSince}`
}

const eventsOf = ({ events }: WebhookEndpoint): string => events?.join(", ") ?? "all"

export const endpointFields = (endpoint: WebhookEndpoint): ReadonlyArray<Field> => [
  ["Endpoint", endpoint.id],
  ["URL", endpoint.url],
  ["Sub-account", endpoint.subAccount ?? undefined],
  ["Events", eventsOf(endpoint)],
  ["State", stateOf(endpoint)],
  ["Old secret until", endpoint.previousSecretUntil],
  ["Created", endpoint.createdAt]
]

export const endpointColumns: ReadonlyArray<Column<WebhookEndpoint>> = [
  { title: "ENDPOINT", of: ({ id }) => id },
  { title: "STATE", of: stateOf },
  { title: "SUB-ACCOUNT", of: ({ subAccount }) => subAccount ?? undefined },
  { title: "EVENTS", of: eventsOf },
  { title: "URL", of: ({ url }) => url }
]
