import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authorization, RequiredPermission } from "../admission/Authorization.ts"
import { BadRequest, InternalError, NotFound, TooManyRequests } from "../http/ErrorEnvelope.ts"
import { idempotencyErrors } from "../admission/Idempotent.ts"
import { StrictBody } from "../http/StrictBody.ts"
import { TimeAllowed, withPspMax } from "../http/TimeAllowed.ts"
import {
  amountBetween,
  document,
  idOf,
  Instant,
  metadata,
  text,
  wholeBetween
} from "../http/WireCodecs.ts"
import { isPhone } from "../kernel/Phone.ts"
import { referencePattern } from "../accounts/SubAccount.ts"
import { ProjectId, PspCredentialId } from "../kernel/Ids.ts"
import { BrlNumber, oneCentavo } from "../kernel/Money.ts"
import { TransactionResponse } from "../transactions/TransactionsApi.ts"
import { chargeLimits as limits } from "./ChargeLimits.ts"

const NewCustomer = Schema.Struct({
  name: Schema.optionalKey(text(1, limits.customerNameMax)),
  document: Schema.optionalKey(document),
  email: Schema.optionalKey(
    text(3, limits.emailMax).check(
      Schema.isPattern(/^[^\s@]{1,64}@[^\s@]{1,189}$/u, {
        message: "Send an e-mail address, such as ana@example.com."
      })
    )
  ),
  phone: Schema.optionalKey(
    text(3, limits.phoneMax).check(
      Schema.makeFilter((given) =>
        isPhone(given)
          ? true
          : "Send a telephone number: + and the country's code, such as +351912345678, or a Brazilian one with its area code, such as (11) 98765-4321."
      )
    )
  )
})

const NewSplitLeg = Schema.Struct({
  /** The reference of a sub-account, or `principal`. */
  subAccount: Schema.String.check(
    Schema.isPattern(referencePattern, {
      message:
        "Send the reference of a sub-account: 2 to 32 small letters, digits, - and _, starting with a letter or digit; or principal."
    })
  ),
  amount: amountBetween(oneCentavo, limits.amountMax)
})

const legsBound = `Send 1 to ${limits.splitLegsMax} legs.`

const NewSplit = Schema.Array(NewSplitLeg).check(
  Schema.isMinLength(1, { message: legsBound }),
  Schema.isMaxLength(limits.splitLegsMax, { message: legsBound }),
  Schema.makeFilter((legs) =>
    new Set(legs.map(({ subAccount }) => subAccount)).size === legs.length
      ? true
      : "Two legs go to the same wallet: send one leg with their sum."
  )
)

/** Spec, PIX charge request. Only the amount is required; unknown fields are ignored. */
export const NewChargePayload = Schema.Struct({
  amount: amountBetween(oneCentavo, limits.amountMax),
  description: Schema.optionalKey(text(0, limits.descriptionMax)),
  customer: Schema.optionalKey(NewCustomer),
  projectId: Schema.optionalKey(idOf(ProjectId)),
  pspCredentialId: Schema.optionalKey(idOf(PspCredentialId)),
  expiresIn: Schema.optionalKey(wholeBetween(limits.expiresInMin, limits.expiresInMax)),
  externalReference: Schema.optionalKey(text(1, limits.externalReferenceMax)),
  metadata: Schema.optionalKey(
    metadata({
      keysMax: limits.metadataKeysMax,
      keyLengthMax: limits.metadataKeyLengthMax,
      stringMax: limits.metadataStringMax,
      bytesMax: limits.metadataBytesMax
    })
  ),
  split: Schema.optionalKey(NewSplit)
})

/** Spec, PIX charge response. */
export const ChargeResponse = Schema.Struct({
  id: Schema.String,
  status: Schema.Literal("pending"),
  amount: BrlNumber,
  currency: Schema.Literal("BRL"),
  pixCopyPaste: Schema.String,
  expiresAt: Instant,
  createdAt: Instant,
  /** PNG, base64 without a data: prefix. */
  qrCodeBase64: Schema.String,
  pspPaymentId: Schema.String,
  pspCredentialId: Schema.String,
  externalReference: Schema.optionalKey(Schema.String),
  /** The legs as they were sent. */
  split: Schema.optionalKey(
    Schema.Array(Schema.Struct({ subAccount: Schema.String, amount: BrlNumber }))
  )
})

export class ChargesApi extends HttpApiGroup.make("charges")
  .add(
    HttpApiEndpoint.post("create", "/pix", {
      payload: NewChargePayload,
      success: ChargeResponse.pipe(HttpApiSchema.status(201)),
      error: [BadRequest, NotFound, ...idempotencyErrors, TooManyRequests, InternalError]
    })
      .annotate(RequiredPermission, "PIX:WRITE")
      .annotate(TimeAllowed, withPspMax),
    HttpApiEndpoint.post("cancel", "/pix/:id/cancel", {
      params: { id: Schema.String },
      success: TransactionResponse,
      error: [NotFound, ...idempotencyErrors, TooManyRequests, InternalError]
    })
      .annotate(RequiredPermission, "PIX:WRITE")
      .annotate(TimeAllowed, withPspMax)
  )
  .middleware(Authorization)
  .middleware(StrictBody) {}
