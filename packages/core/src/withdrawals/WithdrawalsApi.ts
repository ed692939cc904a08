import { Result, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authorization, ChecksAddress, RequiredPermission } from "../admission/Authorization.ts"
import {
  BadRequest,
  Forbidden,
  InternalError,
  NotFound,
  TooManyRequests
} from "../http/ErrorEnvelope.ts"
import { idempotencyErrors } from "../admission/Idempotent.ts"
import { StrictBody } from "../http/StrictBody.ts"
import { amountBetween, document, idOf, Instant, text } from "../http/WireCodecs.ts"
import * as Document from "../kernel/Document.ts"
import { ProjectId } from "../kernel/Ids.ts"
import { BrlNumber, bacenAmountMax, oneCentavo } from "../kernel/Money.ts"
import { PixKeyType } from "../kernel/PixKey.ts"
import { present } from "../kernel/Present.ts"
import type { Withdrawal } from "./Withdrawal.ts"
import { withdrawalLimits as limits } from "./WithdrawalLimits.ts"

const amount = amountBetween(oneCentavo, bacenAmountMax)

const Fields = Schema.Struct({
  pixKey: text(1, limits.pixKeyMax),
  pixKeyType: PixKeyType,
  holderName: Schema.optionalKey(text(1, limits.holderNameMax)),
  holderDocument: Schema.optionalKey(document),
  holderDocumentType: Schema.optionalKey(Schema.Literals(["cpf", "cnpj"])),
  projectId: Schema.optionalKey(idOf(ProjectId)),
  amount: Schema.optionalKey(amount),
  netAmount: Schema.optionalKey(amount),
  externalReference: Schema.optionalKey(text(1, limits.externalReferenceMax))
})
type Fields = typeof Fields.Type

const oneAmount = (fields: Fields) => {
  if (fields.amount === undefined && fields.netAmount === undefined)
    return { path: ["amount"], issue: "Send amount, or netAmount." }
  return fields.amount !== undefined && fields.netAmount !== undefined
    ? { path: ["amount"], issue: "Send amount or netAmount, not both." }
    : undefined
}

const oneDocument = ({ holderDocument, holderDocumentType: type }: Fields) => {
  if (type === undefined) return undefined
  const parsed =
    holderDocument === undefined ? undefined : Result.getOrUndefined(Document.parse(holderDocument))
  return parsed !== undefined && Document.kindOf(parsed) === type
    ? undefined
    : {
        path: ["holderDocumentType"],
        issue: `Send a holderDocument that is a ${type.toUpperCase()}, or leave the type out.`
      }
}

/** Spec, Withdrawal request. Unknown fields are ignored. */
export const NewWithdrawalPayload = Fields.check(
  Schema.makeFilter(oneAmount),
  Schema.makeFilter(oneDocument)
)

/** Spec, Withdrawal response. */
export const WithdrawalResponse = Schema.Struct({
  id: Schema.String,
  amount: BrlNumber,
  feeAmount: BrlNumber,
  netAmount: BrlNumber,
  status: Schema.Literals(["pending", "processing", "completed", "failed", "reversed"]),
  snapshotHolderName: Schema.optionalKey(Schema.String),
  snapshotHolderDocument: Schema.optionalKey(Schema.String),
  snapshotPixKey: Schema.String,
  snapshotPixKeyType: PixKeyType,
  createdAt: Instant,
  processedAt: Schema.optionalKey(Instant),
  projectId: Schema.optionalKey(Schema.String),
  failureReason: Schema.NullOr(Schema.String),
  pspReference: Schema.NullOr(Schema.String),
  externalReference: Schema.optionalKey(Schema.String)
})

/** A withdrawal on the wire. One that waits for the operator is processing to everybody else. */
export const withdrawalResponse = (withdrawal: Withdrawal): typeof WithdrawalResponse.Type => {
  const { externalReference, holderDocument, holderName, processedAt, projectId, status } =
    withdrawal
  return {
    id: withdrawal.id,
    amount: withdrawal.amount,
    feeAmount: withdrawal.feeAmount,
    netAmount: withdrawal.netAmount,
    status: status === "manual_review" ? "processing" : status,
    snapshotPixKey: withdrawal.pixKey,
    snapshotPixKeyType: withdrawal.pixKeyType,
    createdAt: withdrawal.createdAt,
    failureReason: withdrawal.failureReason ?? null,
    pspReference: withdrawal.pspReference ?? null,
    ...present({
      snapshotHolderName: holderName,
      snapshotHolderDocument: holderDocument,
      processedAt,
      projectId,
      externalReference
    })
  }
}

export class WithdrawalsApi extends HttpApiGroup.make("withdrawals")
  .add(
    HttpApiEndpoint.post("create", "/withdrawals", {
      payload: NewWithdrawalPayload,
      success: WithdrawalResponse.pipe(HttpApiSchema.status(201)),
      error: [BadRequest, Forbidden, NotFound, ...idempotencyErrors, TooManyRequests, InternalError]
    })
      .annotate(RequiredPermission, "WITHDRAWAL:WRITE")
      .annotate(ChecksAddress, true),
    HttpApiEndpoint.get("find", "/withdrawals/:id", {
      params: { id: Schema.String },
      success: WithdrawalResponse,
      error: [NotFound, TooManyRequests, InternalError]
    }).annotate(RequiredPermission, "TRANSACTION:READ")
  )
  .middleware(Authorization)
  .middleware(StrictBody) {}
