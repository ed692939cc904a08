import { eventTypes } from "@pagora/core"
import type { OperatorAnswer } from "@pagora/core/client"
import { DateTime, Option, Result } from "effect"
import { Argument, Flag } from "effect/cli"
import { reading } from "./OperatorConnection.ts"
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

/** A time, a day, or how long ago: 90m, 24h, 7d. */
export const readSince = (text: string, now: DateTime.Utc): Result.Result<string, string> => {
  const ago = /^(\d{1,4})([mhd])$/u.exec(text)
  if (ago !== null) {
    const unit = { m: "minutes", h: "hours", d: "days" } as const
    const part = unit[ago[2] as keyof typeof unit]
    return Result.succeed(DateTime.formatIso(DateTime.subtract(now, { [part]: Number(ago[1]) })))
  }
  const isTime = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/u.test(text)
  return isTime && Option.isSome(DateTime.make(text))
    ? Result.succeed(text)
    : Result.fail("a time such as 2026-11-21T12:00:00Z, a day, or how long ago: 90m, 24h, 7d")
}

export const sinceFlag = Flag.String("since").pipe(
  Flag.withMetavar("time"),
  Flag.withDescription("A time such as 2026-11-21T12:00:00Z, a day, or how long ago: 90m, 24h, 7d"),
  reading((text) => readSince(text, DateTime.nowUnsafe()))
)
