import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authorization, MainAccountOnly, RequiredPermission } from "../admission/Authorization.ts"
import { Forbidden, InternalError, TooManyRequests } from "../http/ErrorEnvelope.ts"
import { idempotencyErrors } from "../admission/Idempotent.ts"
import { StrictBody } from "../http/StrictBody.ts"
import { Instant, trimmed } from "../http/WireCodecs.ts"
import { subAccountStatuses } from "../accounts/SubAccount.ts"

/** Spec, Sub-account. The form of the reference has a refusal of its own. */
export const NewSubAccountPayload = Schema.Struct({
  reference: Schema.String,
  name: trimmed(1, 255)
})

export const SubAccountResponse = Schema.Struct({
  id: Schema.String,
  reference: Schema.String,
  name: Schema.String,
  status: Schema.Literals(subAccountStatuses),
  createdAt: Instant
})

export class SubAccountsApi extends HttpApiGroup.make("subAccounts")
  .add(
    HttpApiEndpoint.post("create", "/sub-accounts", {
      payload: NewSubAccountPayload,
      success: SubAccountResponse.pipe(HttpApiSchema.status(201)),
      error: [...idempotencyErrors, Forbidden, TooManyRequests, InternalError]
    }).annotate(RequiredPermission, "SUBACCOUNT:WRITE"),
    HttpApiEndpoint.get("list", "/sub-accounts", {
      success: Schema.Struct({ data: Schema.Array(SubAccountResponse) }),
      error: [TooManyRequests, InternalError]
    }).annotate(RequiredPermission, "SUBACCOUNT:READ")
  )
  .annotateEndpoints(MainAccountOnly, true)
  .middleware(Authorization)
  .middleware(StrictBody) {}
