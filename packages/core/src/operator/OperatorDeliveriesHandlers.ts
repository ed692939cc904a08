import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Accounts } from "../accounts/Accounts.ts"
import { BadRequest, Conflict, refuse } from "../http/ErrorEnvelope.ts"
import { accountOf, notFound } from "../http/InAccount.ts"
import { ours } from "../http/Ours.ts"
import type { DeliveryId } from "../kernel/Ids.ts"
import { isUuid } from "../kernel/Ids.ts"
import type { DeliveryLog } from "../webhooks/Deliveries.ts"
import { Deliveries, deliveriesMax } from "../webhooks/Deliveries.ts"
import type { EventType } from "../webhooks/EventTypes.ts"
import { OperatorApi } from "./OperatorApi.ts"

export const OperatorDeliveriesHandlers = HttpApiBuilder.group(
  OperatorApi,
  "deliveries",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const deliveries = yield* Deliveries

    const log = Effect.fnUntraced(function* (id: string, { cursor, event, status }: LogQuery) {
      const account = yield* accountOf(accounts, id)
      if (cursor !== undefined && !isUuid(cursor)) {
        return yield* refuse(BadRequest, {
          message: "cursor: send the nextCursor of the page before.",
          code: "VALIDATION_ERROR"
        })
      }
      const page = yield* ours(
        deliveries.list({
          account: account.value.id,
          ...(status === undefined ? {} : { status }),
          ...(event === undefined ? {} : { type: event }),
          ...(cursor === undefined ? {} : { after: cursor as DeliveryId })
        })
      )
      const last = page.length < deliveriesMax ? undefined : page.at(-1)
      return { data: page.map(logLine), nextCursor: last?.delivery.id ?? null }
    })

    const resend = Effect.fnUntraced(function* (id: string) {
      if (!isUuid(id)) return yield* notFound("delivery", id)
      return logLine(
        yield* deliveries.resend(id as DeliveryId).pipe(
          Effect.catchTag("DeliveryNotFound", () => notFound("delivery", id)),
          Effect.catchTag("EndpointGone", (gone) => refuse(Conflict, noEndpoint(gone.id))),
          ours
        )
      )
    })

    return handlers
      .handle("list", ({ params, query }) => log(params.id, query))
      .handle("resend", ({ params }) => resend(params.deliveryId))
  })
)

interface LogQuery {
  readonly status?: DeliveryLog["delivery"]["status"]
  readonly event?: EventType
  readonly cursor?: string
}

const logLine = ({ attempts, delivery }: DeliveryLog) => ({
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

const noEndpoint = (id: string) => ({
  message: "The endpoint of this delivery was removed or is switched off: nothing is sent to it.",
  code: "ENDPOINT_GONE",
  details: { resource: "webhook endpoint", field: "endpointId", value: id }
})
