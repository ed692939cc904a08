import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authorization, RequiredPermission } from "../admission/Authorization.ts"
import {
  BadRequest,
  Forbidden,
  InternalError,
  NotFound,
  TooManyRequests
} from "../http/ErrorEnvelope.ts"
import { idempotencyErrors } from "../admission/Idempotent.ts"
import { StrictBody } from "../http/StrictBody.ts"
import { amountBetween, text } from "../http/WireCodecs.ts"
import { BrlNumber, bacenAmountMax, oneCentavo } from "../kernel/Money.ts"

/** The longest reason of a refund (spec, Limits). */
const reasonMax = 255

/** Spec, POST /transactions/{id}/refund; `amount` is ours (decision 0102). Everything is optional, the body too. */
export const NewRefundPayload = Schema.Struct({
  amount: Schema.optionalKey(amountBetween(oneCentavo, bacenAmountMax)),
  reason: Schema.optionalKey(text(0, reasonMax))
})

/** Spec, Refund response. */
export const RefundResponse = Schema.Struct({
  originalTransactionId: Schema.String,
  pspProvider: Schema.String,
  pspRefundTransactionId: Schema.String,
  /** There where the request told one, or it is not the whole payment. */
  amount: Schema.optionalKey(BrlNumber),
  status: Schema.Literals(["PENDING", "CONFIRMED", "ERROR"])
})

export class RefundsApi extends HttpApiGroup.make("refunds")
  .add(
    HttpApiEndpoint.post("request", "/transactions/:id/refund", {
      params: { id: Schema.String },
      payload: NewRefundPayload,
      success: RefundResponse.pipe(HttpApiSchema.status(201)),
      error: [BadRequest, Forbidden, NotFound, ...idempotencyErrors, TooManyRequests, InternalError]
    }).annotate(RequiredPermission, "REFUND:WRITE")
  )
  .middleware(Authorization)
  .middleware(StrictBody) {}
