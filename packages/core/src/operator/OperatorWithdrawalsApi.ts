import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { text } from "../http/WireCodecs.ts"
import { WithdrawalResponse } from "../withdrawals/WithdrawalsApi.ts"
import { postErrors } from "./OperatorEndpointApi.ts"

export const ResolvePayload = Schema.Struct({
  outcome: Schema.Literals(["completed", "failed"]),
  reason: text(1, 255)
})

/** What only a person can decide about withdrawals. */
export class OperatorWithdrawalsApi extends HttpApiGroup.make("withdrawals").add(
  HttpApiEndpoint.post("resolve", "/withdrawals/:id/resolve", {
    params: { id: Schema.String },
    payload: ResolvePayload,
    success: WithdrawalResponse,
    error: postErrors
  })
) {}
