import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { BadRequest, Conflict, InternalError, NotFound } from "../http/ErrorEnvelope.ts"
import { RefundResponse } from "../refunds/RefundsApi.ts"

export const SettleRefundPayload = Schema.Struct({
  outcome: Schema.Literals(["confirmed", "error"])
})

/** The simulated PSP's hand on refunds. */
export class SandboxRefundsGroup extends HttpApiGroup.make("sandboxRefunds").add(
  HttpApiEndpoint.post("settle", "/refunds/:id/settle", {
    params: { id: Schema.String },
    payload: SettleRefundPayload,
    success: RefundResponse,
    error: [BadRequest, NotFound, Conflict, InternalError]
  })
) {}
