import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Conflict, refuse } from "../http/ErrorEnvelope.ts"
import { notFound } from "../http/InAccount.ts"
import { ours } from "../http/Ours.ts"
import { payload } from "../http/Payload.ts"
import { isUuid } from "../kernel/Ids.ts"
import { Withdrawals } from "../withdrawals/Withdrawals.ts"
import { withdrawalResponse } from "../withdrawals/WithdrawalsApi.ts"
import { OperatorApi } from "./OperatorApi.ts"
import { ResolvePayload } from "./OperatorWithdrawalsApi.ts"

export const OperatorWithdrawalsHandlers = HttpApiBuilder.group(
  OperatorApi,
  "withdrawals",
  Effect.fnUntraced(function* (handlers) {
    const withdrawals = yield* Withdrawals

    const resolve = Effect.fnUntraced(function* (id: string) {
      if (!isUuid(id)) return yield* notFound("withdrawal", id)
      const resolution = yield* payload(ResolvePayload)
      const resolved = withdrawals.resolve(id, resolution).pipe(
        Effect.catchTag("WithdrawalNotFound", () => notFound("withdrawal", id)),
        Effect.catchTag("WithdrawalNotInReview", ({ status }) =>
          refuse(Conflict, {
            message: `This withdrawal is ${status}. Only one in manual_review is yours to decide.`,
            code: "WITHDRAWAL_NOT_IN_REVIEW",
            details: { resource: "withdrawal", field: "status", value: status }
          })
        ),
        ours
      )
      return withdrawalResponse(yield* resolved)
    })

    return handlers.handleRaw("resolve", ({ params }) => resolve(params.id))
  })
)
