import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Accounts } from "../accounts/Accounts.ts"
import { accountOf, notFound } from "../http/InAccount.ts"
import { ours } from "../http/Ours.ts"
import type { DeliveryId } from "../kernel/Ids.ts"
import { isUuid } from "../kernel/Ids.ts"
import { Deliveries } from "../webhooks/Deliveries.ts"
import { deliveryFields, deliveryPage, endpointGone, logQuery } from "../http/WebhookAnswers.ts"
import { OperatorApi } from "./OperatorApi.ts"

export const OperatorDeliveriesHandlers = HttpApiBuilder.group(
  OperatorApi,
  "deliveries",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const deliveries = yield* Deliveries

    const log = Effect.fnUntraced(function* (id: string, query: Parameters<typeof logQuery>[0]) {
      const account = yield* accountOf(accounts, id)
      const narrowed = yield* logQuery(query)
      return deliveryPage(yield* ours(deliveries.list({ ...narrowed, account: account.value.id })))
    })

    const resend = Effect.fnUntraced(function* (id: string) {
      if (!isUuid(id)) return yield* notFound("delivery", id)
      const delivery = yield* deliveries.resend({}, id as DeliveryId).pipe(
        Effect.catchTags({
          DeliveryNotFound: () => notFound("delivery", id),
          EndpointGone: endpointGone
        }),
        Effect.catchTag("IdempotencyKeyTaken", Effect.die),
        ours
      )
      return deliveryFields({ delivery, attempts: [] })
    })

    return handlers
      .handle("list", ({ params, query }) => log(params.id, query))
      .handle("resend", ({ params }) => resend(params.deliveryId))
  })
)
