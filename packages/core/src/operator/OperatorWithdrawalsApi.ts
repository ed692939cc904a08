import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { WithdrawalResponse } from "../withdrawals/WithdrawalsApi.ts"
import { postErrors } from "./OperatorEndpointApi.ts"
import { OutcomePayload } from "./OperatorReviewApi.ts"

/** What only a person can decide about withdrawals. */
export class OperatorWithdrawalsApi extends HttpApiGroup.make("withdrawals").add(
  HttpApiEndpoint.post("resolve", "/withdrawals/:id/resolve", {
    params: { id: Schema.String },
    payload: OutcomePayload,
    success: WithdrawalResponse,
    error: postErrors
  })
) {}
