import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { BadRequest, Conflict, InternalError, NotFound } from "../http/ErrorEnvelope.ts"
import { text } from "../http/WireCodecs.ts"
import { WithdrawalResponse } from "../withdrawals/WithdrawalsApi.ts"

export const SettleWithdrawalPayload = Schema.Struct({
  outcome: Schema.Literals(["completed", "failed", "reversed"]),
  reason: Schema.optionalKey(text(1, 255))
})

/** How withdrawals end in the simulated world. */
export class SandboxWithdrawalsApi extends HttpApiGroup.make("withdrawals").add(
  HttpApiEndpoint.post("settle", "/withdrawals/:id/settle", {
    params: { id: Schema.String },
    payload: SettleWithdrawalPayload,
    success: WithdrawalResponse,
    error: [BadRequest, NotFound, Conflict, InternalError]
  })
) {}
