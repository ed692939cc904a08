import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { referencePattern } from "../accounts/SubAccount.ts"
import { Authorization, RequiredPermission } from "../admission/Authorization.ts"
import { Forbidden, InternalError, NotFound, TooManyRequests } from "../http/ErrorEnvelope.ts"
import { idempotencyErrors } from "../admission/Idempotent.ts"
import { StrictBody } from "../http/StrictBody.ts"
import { amountBetween, Instant, text } from "../http/WireCodecs.ts"
import { BrlNumber, bacenAmountMax, oneCentavo } from "../kernel/Money.ts"

/** The bounds of a charge hold here too (decision 0006). */
const limits = {
  amountMax: bacenAmountMax,
  descriptionMax: 140,
  externalReferenceMax: 255
} as const

const wallet = Schema.String.check(
  Schema.isPattern(referencePattern, {
    message:
      "Send the reference of a sub-account: 2 to 32 small letters, digits, - and _, starting with a letter or digit; or principal."
  })
)

/** `from` is the wallet that the request acts on, unless it is named. */
export const NewTransferPayload = Schema.Struct({
  from: Schema.optionalKey(wallet),
  to: wallet,
  amount: amountBetween(oneCentavo, limits.amountMax),
  description: Schema.optionalKey(text(0, limits.descriptionMax)),
  externalReference: Schema.optionalKey(text(1, limits.externalReferenceMax))
})

export const TransferResponse = Schema.Struct({
  /** The transaction's id, in both wallets. */
  id: Schema.String,
  transferId: Schema.String,
  status: Schema.Literal("completed"),
  from: Schema.String,
  to: Schema.String,
  amount: BrlNumber,
  currency: Schema.Literal("BRL"),
  description: Schema.optionalKey(Schema.String),
  externalReference: Schema.optionalKey(Schema.String),
  createdAt: Instant
})

export class TransfersApi extends HttpApiGroup.make("transfers")
  .add(
    HttpApiEndpoint.post("create", "/internal-transfers", {
      payload: NewTransferPayload,
      success: TransferResponse.pipe(HttpApiSchema.status(201)),
      error: [Forbidden, NotFound, ...idempotencyErrors, TooManyRequests, InternalError]
    }).annotate(RequiredPermission, "WITHDRAWAL:WRITE")
  )
  .middleware(Authorization)
  .middleware(StrictBody) {}
