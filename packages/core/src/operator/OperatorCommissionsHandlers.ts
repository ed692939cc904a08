import { Effect } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { commissionFrom, Commissions } from "../accounts/Commissions.ts"
import { replayable } from "../admission/ReplayableAnswer.ts"
import { idempotentForOperator } from "../admission/Idempotent.ts"
import { notFound } from "../admission/AccountOfPath.ts"
import { notActiveForOperator } from "../admission/NotActiveWire.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { exactPayload } from "../http/Payload.ts"
import { instantOf, isUuid } from "../kernel/Ids.ts"
import { OperatorApi } from "./OperatorApi.ts"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import { Commission, CommissionPayload } from "./OperatorCommissionsApi.ts"

export const OperatorCommissionsHandlers = handlersOf(
  OperatorApi,
  "commissions",
  Effect.fnUntraced(function* (handlers) {
    const commissions = yield* Commissions
    const keys = yield* IdempotencyKeys

    const pay = Effect.fnUntraced(function* (id: string) {
      if (!isUuid(id)) return yield* notFound("account", id)
      const answer = yield* idempotentForOperator(keys, {
        run: (key) =>
          Effect.flatMap(exactPayload(CommissionPayload), (request) =>
            commissions.pay(id, request, key).pipe(
              Effect.catchTags({
                AccountNotFound: () => notFound("account", id),
                SubAccountNotFound: ({ reference }) => notFound("sub-account", reference),
                NotActive: notActiveForOperator
              }),
              orUnavailable
            )
          ),
        read: commissionFrom
      })
      const createdAt = instantOf(answer.value.id)
      return yield* replayable(Commission, answer, { ...answer.value, createdAt })
    })
    return handlers.handleRaw("pay", ({ params }) => pay(params.id))
  })
)
