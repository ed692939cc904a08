import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Accounts } from "../accounts/Accounts.ts"
import { answered } from "../http/Answered.ts"
import { idempotentForOperator } from "../http/Idempotent.ts"
import { accountOf, notFound } from "../http/InAccount.ts"
import { ours } from "../http/Ours.ts"
import type { DeliveryId } from "../kernel/Ids.ts"
import { isUuid } from "../kernel/Ids.ts"
import { Deliveries, deliveryOf } from "../webhooks/Deliveries.ts"
import { deliveryFields, deliveryPage, endpointGone, logQuery } from "../http/WebhookAnswers.ts"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import { DeliveryResponse } from "../webhooks/WebhookEndpointsApi.ts"
import { OperatorApi } from "./OperatorApi.ts"

export const OperatorDeliveriesHandlers = HttpApiBuilder.group(
  OperatorApi,
  "deliveries",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const deliveries = yield* Deliveries
    const keys = yield* IdempotencyKeys

    const log = Effect.fnUntraced(function* (id: string, query: Parameters<typeof logQuery>[0]) {
      const account = yield* accountOf(accounts, id)
      const narrowed = yield* logQuery(query)
      return deliveryPage(yield* ours(deliveries.list({ ...narrowed, account: account.value.id })))
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
            ours
          ),
        read: deliveryOf
      })
      const log = { delivery: answer.value, attempts: [] }
      return yield* answered(DeliveryResponse, answer, deliveryFields(log))
    })

    return handlers
      .handle("list", ({ params, query }) => log(params.id, query))
      .handleRaw("resend", ({ params }) => resend(params.deliveryId))
  })
)
