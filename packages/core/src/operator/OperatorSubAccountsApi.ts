import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { subAccountStatuses } from "../accounts/SubAccount.ts"
import { SubAccountResponse } from "../sub-accounts/SubAccountsApi.ts"
import { Conflict } from "../http/ErrorEnvelope.ts"
import { pageOf, pageQuery } from "../http/KeysetPage.ts"
import { Instant } from "../http/WireCodecs.ts"
import { errors, Fees, inAccount, NewFees } from "./OperatorEndpointApi.ts"

export const SubAccountChangePayload = Schema.Struct({
  status: Schema.optionalKey(Schema.Literals(subAccountStatuses)),
  fees: Schema.optionalKey(NewFees)
})

/** What tenants see, and what is agreed with them. */
const OperatorSubAccount = Schema.Struct({
  ...SubAccountResponse.fields,
  fees: Fees,
  closedAt: Schema.optionalKey(Instant)
})

export class OperatorSubAccountsApi extends HttpApiGroup.make("subAccounts").add(
  HttpApiEndpoint.get("list", "/accounts/:id/sub-accounts", {
    params: inAccount,
    query: pageQuery,
    success: pageOf(OperatorSubAccount),
    error: errors
  }),
  HttpApiEndpoint.patch("change", "/accounts/:id/sub-accounts/:reference", {
    params: { ...inAccount, reference: Schema.String },
    payload: SubAccountChangePayload,
    success: OperatorSubAccount,
    error: [...errors, Conflict]
  })
) {}
