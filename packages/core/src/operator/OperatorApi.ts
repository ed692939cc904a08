import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { accountStatuses } from "../accounts/Account.ts"
import { Permission } from "../auth/Credential.ts"
import { pageOf, pageQuery } from "../http/KeysetPage.ts"
import { StrictBody } from "../http/StrictBody.ts"
import { TimeAllowed, unhurriedMax } from "../http/TimeAllowed.ts"
import { document, Instant, text } from "../http/WireCodecs.ts"
import { parseNetwork } from "../kernel/IpAddress.ts"
import { BrlNumber, SignedBrlNumber } from "../kernel/Money.ts"
import { Conflict } from "../http/ErrorEnvelope.ts"
import { OperatorAuthorization } from "../admission/OperatorAuthorization.ts"
import { OperatorBlocksApi } from "./OperatorBlocksApi.ts"
import { OperatorCommissionsApi } from "./OperatorCommissionsApi.ts"
import {
  created,
  errors,
  Fees,
  inAccount,
  minUpToMax,
  NewFees,
  postErrors,
  reference
} from "./OperatorEndpointApi.ts"
import { OperatorDeliveriesApi } from "./OperatorDeliveriesApi.ts"
import {
  OperatorDiscrepanciesApi,
  OperatorPspReturnsApi,
  OperatorReviewApi
} from "./OperatorReviewApi.ts"
import { OperatorHistoryApi } from "./OperatorHistoryApi.ts"
import { OperatorPspCredentialsApi } from "./OperatorPspCredentialsApi.ts"
import { OperatorPspHoldingsApi } from "./OperatorPspHoldingsApi.ts"
import { OperatorSubAccountsApi } from "./OperatorSubAccountsApi.ts"
import { OperatorWebhooksApi } from "./OperatorWebhooksApi.ts"
import { auditScopes } from "./AuditScope.ts"
import { PspChoice, ShownPspChoice } from "./OperatorPspsApi.ts"
import { OperatorWithdrawalsApi } from "./OperatorWithdrawalsApi.ts"

const Limit = Schema.Struct({
  min: Schema.optionalKey(BrlNumber),
  max: Schema.optionalKey(BrlNumber),
  daily: Schema.optionalKey(BrlNumber),
  monthly: Schema.optionalKey(BrlNumber)
})

const Limits = Schema.Struct({
  charge: Schema.optionalKey(Limit),
  withdrawal: Schema.optionalKey(Limit)
})

const NewLimit = Limit.check(minUpToMax)

const NewLimits = Schema.Struct({
  charge: Schema.optionalKey(NewLimit),
  withdrawal: Schema.optionalKey(NewLimit)
})

const Policy = Schema.Struct({
  blockCnpjPayers: Schema.optionalKey(Schema.Boolean),
  onUnknownPayer: Schema.optionalKey(Schema.Literals(["accept", "return"]))
})

export const NewAccountPayload = Schema.Struct({
  name: text(1, 255),
  document: Schema.optionalKey(document),
  fees: Schema.optionalKey(NewFees),
  policy: Schema.optionalKey(Policy),
  limits: Schema.optionalKey(NewLimits),
  psps: Schema.optionalKey(PspChoice)
})

export const AccountChangePayload = Schema.Struct({
  status: Schema.optionalKey(Schema.Literals(accountStatuses)),
  fees: Schema.optionalKey(NewFees),
  policy: Schema.optionalKey(Policy),
  limits: Schema.optionalKey(NewLimits),
  psps: Schema.optionalKey(PspChoice)
})

export const OperatorAccount = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  document: Schema.optionalKey(Schema.String),
  status: Schema.Literals(accountStatuses),
  fees: Fees,
  policy: Policy,
  limits: Limits,
  /** Absent: only the deployment's default. */
  psps: Schema.optionalKey(ShownPspChoice),
  createdAt: Instant,
  updatedAt: Instant
})

const ipNetwork = Schema.String.check(
  Schema.makeFilter((value: string) =>
    parseNetwork(value) === undefined
      ? "Send an IPv4 or IPv6 address, or a network such as 203.0.113.0/24."
      : undefined
  )
)

export const NewCredentialPayload = Schema.Struct({
  permissions: Schema.Array(Permission).check(
    Schema.isMinLength(1, { message: "Name at least one permission." })
  ),
  allowedIps: Schema.optionalKey(Schema.Array(ipNetwork).check(Schema.isMaxLength(100))),
  subAccountAccess: Schema.optionalKey(Schema.Boolean)
})

export const IssuedCredential = Schema.Struct({
  id: Schema.String,
  clientId: Schema.String,
  /** Shown here and never again. */
  clientSecret: Schema.String,
  permissions: Schema.Array(Permission),
  subAccountAccess: Schema.Boolean
})

export const AdjustmentPayload = Schema.Struct({
  amount: SignedBrlNumber.check(
    Schema.makeFilter((amount: bigint) =>
      amount === 0n ? "An adjustment moves something: send an amount other than 0." : true
    )
  ),
  subAccount: Schema.optionalKey(reference),
  bucket: Schema.optionalKey(Schema.Literals(["available", "promotional"])),
  reason: text(1, 255)
})

export const Adjustment = Schema.Struct({
  id: Schema.String,
  amount: SignedBrlNumber,
  bucket: Schema.Literals(["available", "promotional"]),
  reason: Schema.String,
  createdAt: Instant
})

const Audit = Schema.Struct({
  ok: Schema.Boolean,
  checkedAt: Instant,
  accounts: Schema.Int,
  entries: Schema.Int,
  /** Whether everything was looked at; otherwise what is newer than `since`. */
  complete: Schema.Boolean,
  since: Schema.NullOr(Instant),
  tookMillis: Schema.Int,
  violations: Schema.Array(
    Schema.Struct({ rule: Schema.String, subject: Schema.String, detail: Schema.String })
  )
})

class Accounts extends HttpApiGroup.make("accounts").add(
  HttpApiEndpoint.get("list", "/accounts", {
    query: { ...pageQuery, status: Schema.optionalKey(Schema.Literals(accountStatuses)) },
    success: pageOf(OperatorAccount),
    error: errors
  }),
  HttpApiEndpoint.post("create", "/accounts", {
    payload: NewAccountPayload,
    success: OperatorAccount.pipe(created),
    error: postErrors
  }),
  HttpApiEndpoint.get("get", "/accounts/:id", {
    params: inAccount,
    success: OperatorAccount,
    error: errors
  }),
  HttpApiEndpoint.patch("change", "/accounts/:id", {
    params: inAccount,
    payload: AccountChangePayload,
    success: OperatorAccount,
    error: [...errors, Conflict]
  }),
  HttpApiEndpoint.post("adjust", "/accounts/:id/adjustments", {
    params: inAccount,
    payload: AdjustmentPayload,
    success: Adjustment.pipe(created),
    error: postErrors
  })
) {}

/** Without anything of its secret. */
const ListedCredential = Schema.Struct({
  id: Schema.String,
  clientId: Schema.String,
  status: Schema.Literals(["active", "revoked"]),
  permissions: Schema.Array(Permission),
  allowedIps: Schema.optionalKey(Schema.Array(Schema.String)),
  subAccountAccess: Schema.Boolean,
  createdAt: Instant,
  revokedAt: Schema.optionalKey(Instant)
})

class Credentials extends HttpApiGroup.make("credentials").add(
  HttpApiEndpoint.get("list", "/accounts/:id/credentials", {
    params: inAccount,
    query: pageQuery,
    success: pageOf(ListedCredential),
    error: errors
  }),
  HttpApiEndpoint.post("issue", "/accounts/:id/credentials", {
    params: inAccount,
    payload: NewCredentialPayload,
    success: IssuedCredential.pipe(created),
    error: postErrors
  }),
  HttpApiEndpoint.delete("revoke", "/accounts/:id/credentials/:credentialId", {
    params: { ...inAccount, credentialId: Schema.String },
    success: HttpApiSchema.NoContent,
    error: errors
  })
) {}

class Ledger extends HttpApiGroup.make("ledger").add(
  HttpApiEndpoint.get("audit", "/audit", {
    query: { scope: Schema.optionalKey(Schema.Literals(auditScopes)) },
    success: Audit,
    error: errors
  }).annotate(TimeAllowed, unhurriedMax)
) {}

/** What the operator of a deployment can do. It is never mounted beside the tenants' API by itself. */
export class OperatorApi extends HttpApi.make("pagora-operator")
  .add(
    Accounts,
    Credentials,
    OperatorWebhooksApi,
    Ledger,
    OperatorHistoryApi,
    OperatorDeliveriesApi,
    OperatorSubAccountsApi,
    OperatorBlocksApi,
    OperatorCommissionsApi,
    OperatorWithdrawalsApi,
    OperatorReviewApi,
    OperatorDiscrepanciesApi,
    OperatorPspReturnsApi,
    OperatorPspCredentialsApi,
    OperatorPspHoldingsApi
  )
  .middleware(OperatorAuthorization)
  .middleware(StrictBody)
  // What the operator means to say must not be lost in a word that is misspelt.
  .annotate(HttpApi.ParseOptions, { onExcessProperty: "error" }) {}
