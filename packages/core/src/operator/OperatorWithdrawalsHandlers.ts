import { Effect } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { replayable } from "../admission/ReplayableAnswer.ts"
import { Conflict, refuse } from "../http/ErrorEnvelope.ts"
import { idempotentForOperator } from "../admission/Idempotent.ts"
import { notFound } from "../admission/AccountOfPath.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { exactPayload } from "../http/Payload.ts"
import { isUuid } from "../kernel/Ids.ts"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import { WithdrawalKind } from "../withdrawals/Withdrawal.ts"
import type { WithdrawalNotInReview } from "../withdrawals/Withdrawals.ts"
import { Withdrawals } from "../withdrawals/Withdrawals.ts"
import { WithdrawalResponse, withdrawalResponse } from "../withdrawals/WithdrawalsApi.ts"
import { OperatorApi } from "./OperatorApi.ts"
import { OutcomePayload } from "./OperatorReviewApi.ts"
import { underWay } from "./UnderWay.ts"

export const OperatorWithdrawalsHandlers = handlersOf(
  OperatorApi,
  "withdrawals",
  Effect.fnUntraced(function* (handlers) {
    const withdrawals = yield* Withdrawals
    const keys = yield* IdempotencyKeys

    const resolve = Effect.fnUntraced(function* (id: string) {
      if (!isUuid(id)) return yield* notFound("withdrawal", id)
      const answer = yield* idempotentForOperator(keys, {
        run: (key) =>
          Effect.flatMap(exactPayload(OutcomePayload), (resolution) =>
            withdrawals.resolve(id, resolution, key).pipe(
              Effect.catchTags({
                WithdrawalNotFound: () => notFound("withdrawal", id),
                WithdrawalNotInReview: notInReview,
                WithdrawalUnderWay: (refused) =>
                  refuse(Conflict, underWay("withdrawal", "WITHDRAWAL_UNDER_WAY", refused))
              }),
              orUnavailable
            )
          ),
        read: WithdrawalKind.fromSnapshot
      })
      return yield* replayable(WithdrawalResponse, answer, withdrawalResponse(answer.value), 200)
    })

    return handlers.handleRaw("resolve", ({ params }) => resolve(params.id))
  })
)

const notInReview = ({ status }: WithdrawalNotInReview) =>
  refuse(Conflict, {
    message: `This withdrawal is ${status}. Only one in manual_review, or one that waits for money at its PSP, is yours to decide.`,
    code: "WITHDRAWAL_NOT_IN_REVIEW",
    details: { resource: "withdrawal", field: "status", value: status }
  })
