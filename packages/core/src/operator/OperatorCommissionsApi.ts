import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { amountBetween, Instant } from "../http/WireCodecs.ts"
import { Uuid } from "../kernel/Ids.ts"
import { BrlNumber, bacenAmountMax, oneCentavo } from "../kernel/Money.ts"
import { created, inAccount, postErrors, reference } from "./OperatorEndpointApi.ts"

export const CommissionPayload = Schema.Struct({
  amount: amountBetween(oneCentavo, bacenAmountMax),
  sourceTransactionId: Schema.optionalKey(Uuid),
  subAccount: Schema.optionalKey(reference)
})

export const Commission = Schema.Struct({
  /** The transaction's id. */
  id: Schema.String,
  amount: BrlNumber,
  sourceTransactionId: Schema.optionalKey(Schema.String),
  createdAt: Instant
})

/** What the deployment pays for business that an account has brought. */
export class OperatorCommissionsApi extends HttpApiGroup.make("commissions").add(
  HttpApiEndpoint.post("pay", "/accounts/:id/referral-commissions", {
    params: inAccount,
    payload: CommissionPayload,
    success: Commission.pipe(created),
    error: postErrors
  })
) {}
