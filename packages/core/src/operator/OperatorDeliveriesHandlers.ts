import { Effect } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { Accounts } from "../accounts/Accounts.ts"
import { replayable } from "../admission/ReplayableAnswer.ts"
import { idempotentForOperator } from "../admission/Idempotent.ts"
import { accountOfPath, notFound } from "../admission/AccountOfPath.ts"
import { paged } from "../http/KeysetPage.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import type { DeliveryId, EndpointId, Uuid } from "../kernel/Ids.ts"
import { isUuid } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import { Deliveries, deliveryOf } from "../webhooks/Deliveries.ts"
import { deliveryFields, endpointGone } from "../webhooks/WebhooksWire.ts"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import type { DeliveryStatus } from "../units/DeliveryStatus.ts"
import type { EventType } from "../webhooks/EventTypes.ts"
import { DeliveryResponse } from "../webhooks/WebhookEndpointsApi.ts"
import { OperatorApi } from "./OperatorApi.ts"

interface LogQuery {
  readonly status?: DeliveryStatus
  readonly event?: EventType
  readonly endpoint?: Uuid
  readonly cursor?: string
  readonly limit?: number
}

export const OperatorDeliveriesHandlers = handlersOf(
  OperatorApi,
  "deliveries",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const deliveries = yield* Deliveries
    const keys = yield* IdempotencyKeys

    const log = Effect.fnUntraced(function* (
      id: string,
      { endpoint, event, status, ...query }: LogQuery
    ) {
      const { value: account } = yield* accountOfPath(accounts, id)
      const narrowed = {
        account: account.id,
        ...present({ status, type: event, endpoint: endpoint as EndpointId | undefined })
      }
      return yield* paged(
        query,
        ({ after, limit }) =>
          Effect.map(
            orUnavailable(
              deliveries.list({
                ...narrowed,
                ...present({ after: after as DeliveryId | undefined }),
                limit
              })
            ),
            (found) => found.map(deliveryFields)
          ),
        (delivery) => delivery
      )
    })

    const find = Effect.fnUntraced(function* (id: string) {
      if (!isUuid(id)) return yield* notFound("delivery", id)
      const found = deliveries.find(id as DeliveryId).pipe(
        Effect.catchTag("DeliveryNotFound", () => notFound("delivery", id)),
        orUnavailable
      )
      return deliveryFields(yield* found)
    })

    const resend = Effect.fnUntraced(function* (id: string) {
      if (!isUuid(id)) return yield* notFound("delivery", id)
      const answer = yield* idempotentForOperator(keys, {
        run: (key) =>
          deliveries.resend({}, id as DeliveryId, key).pipe(
            Effect.catchTags({
              DeliveryNotFound: () => notFound("delivery", id),
              EndpointGone: endpointGone
            }),
            orUnavailable
          ),
        read: deliveryOf
      })
      const log = { delivery: answer.value, attempts: [] }
      return yield* replayable(DeliveryResponse, answer, deliveryFields(log))
    })

    return handlers
      .handle("list", ({ params, query }) => log(params.id, query))
      .handle("get", ({ params }) => find(params.deliveryId))
      .handleRaw("resend", ({ params }) => resend(params.deliveryId))
  })
)
