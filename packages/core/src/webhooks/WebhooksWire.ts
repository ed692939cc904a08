import { Duration, Effect } from "effect"
import { BadRequest, Conflict, refuse } from "../http/ErrorEnvelope.ts"
import { notFound } from "../admission/AccountOfPath.ts"
import { isUuid } from "../kernel/Ids.ts"
import type { DeliveryLog, EndpointGone, Recovery } from "./Deliveries.ts"
import { deliveriesMax } from "./Deliveries.ts"
import type { TooManyEndpoints, UrlRefused } from "./Endpoints.ts"
import type { EventType } from "./EventTypes.ts"
import type { EndpointNotFound } from "./FoundEndpoints.ts"
import type { RoutedEndpoint } from "./RoutedEndpoint.ts"

/** An endpoint as its owner and the operator see it: without its secrets. */
export const endpointFields = ({ endpoint, events }: RoutedEndpoint) => {
  const { createdAt, disabled, enabled, failingSince, id, previous, subAccount, url } = endpoint
  return {
    id,
    url,
    subAccount: subAccount ?? null,
    ...(events === undefined ? {} : { events }),
    enabled,
    ...(disabled === undefined ? {} : { disabledReason: disabled.reason, disabledAt: disabled.at }),
    ...(failingSince === undefined ? {} : { failingSince }),
    ...(previous === undefined ? {} : { previousSecretUntil: previous.until }),
    createdAt
  }
}

export const deliveryFields = ({ attempts, delivery }: DeliveryLog) => ({
  id: delivery.id,
  endpointId: delivery.endpoint,
  event: delivery.type,
  status: delivery.status,
  attempts: attempts.map(({ at, durationMillis, httpStatus, number, outcome }) => ({
    at,
    durationMillis,
    httpStatus,
    number,
    outcome
  }))
})

/** One page of the log. */
export const deliveryPage = (page: ReadonlyArray<DeliveryLog>) => {
  const last = page.length < deliveriesMax ? undefined : page.at(-1)
  return { data: page.map(deliveryFields), nextCursor: last?.delivery.id ?? null }
}

export const recoveryFields = ({ endpoint, since, until }: Recovery) => ({
  endpointId: endpoint,
  since,
  until
})

/** How long a former secret signs beside the new one, unless told otherwise. */
const defaultGrace = Duration.days(1)

export const graceOf = (seconds: number | undefined): Duration.Duration =>
  seconds === undefined ? defaultGrace : Duration.seconds(seconds)

interface LogQuery {
  readonly status?: DeliveryLog["delivery"]["status"]
  readonly event?: EventType
  readonly cursor?: string
}

/** What of the log is asked for. */
export const logQuery = Effect.fnUntraced(function* ({ cursor, event, status }: LogQuery) {
  if (cursor !== undefined && !isUuid(cursor)) {
    return yield* refuse(BadRequest, {
      message: "cursor: send the nextCursor of the page before.",
      code: "VALIDATION_ERROR"
    })
  }
  return {
    ...(status === undefined ? {} : { status }),
    ...(event === undefined ? {} : { type: event }),
    ...(cursor === undefined ? {} : { after: cursor as DeliveryLog["delivery"]["id"] })
  }
})

export const noEndpoint = ({ id }: EndpointNotFound) => notFound("webhook endpoint", id)

const urlRules: Readonly<Record<UrlRefused["reason"], string>> = {
  scheme: "webhooks are sent by https only.",
  port: "webhooks are sent to port 443 only.",
  address: "webhooks are sent to public addresses only.",
  url: "send a complete URL without credentials, such as https://example.com/hooks/pagora."
}

export const refusedUrl = ({ reason }: UrlRefused) =>
  refuse(BadRequest, { message: `url: ${urlRules[reason]}`, code: "URL_REFUSED" })

export const tooManyEndpoints = ({ max, of }: TooManyEndpoints) =>
  refuse(BadRequest, {
    message: `${of === "wallet" ? "A wallet" : "An account"} has at most ${max} webhook endpoints. Remove one first.`,
    code: "TOO_MANY_ENDPOINTS"
  })

export const endpointGone = ({ id }: EndpointGone) =>
  refuse(Conflict, {
    message: "This endpoint was removed or is switched off: nothing is sent to it.",
    code: "ENDPOINT_GONE",
    details: { resource: "webhook endpoint", field: "endpointId", value: id }
  })
