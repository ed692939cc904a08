import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Authorization, RequiredPermission } from "../admission/Authorization.ts"
import { BadRequest, InternalError, NotFound } from "../http/ErrorEnvelope.ts"
import { cursor, pageOf } from "../http/KeysetPage.ts"
import { StrictBody } from "../http/StrictBody.ts"
import { wholeInQuery } from "../http/QueryCodecs.ts"
import { Instant, instantInQuery, text } from "../http/WireCodecs.ts"
import { BrlNumber, SignedBrlNumber } from "../kernel/Money.ts"
import { paymentMethod } from "../kernel/PaymentMethod.ts"
import type { Transaction } from "./Transaction.ts"
import { transactionStatuses, transactionTypes } from "./Transaction.ts"

/** Spec, Transaction. */
export const TransactionResponse = Schema.Struct({
  id: Schema.String,
  status: Schema.Literals(transactionStatuses),
  type: Schema.Literals(transactionTypes),
  paymentMethod: Schema.Literals(["pix", "credit_card", "boleto"]),
  amount: SignedBrlNumber,
  currency: Schema.Literal("BRL"),
  createdAt: Instant,
  description: Schema.optionalKey(Schema.String),
  externalReference: Schema.optionalKey(Schema.String),
  customerId: Schema.optionalKey(Schema.String),
  projectId: Schema.optionalKey(Schema.String),
  metadata: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  pixCopyPaste: Schema.optionalKey(Schema.String),
  expiresAt: Schema.optionalKey(Instant),
  paidAt: Schema.optionalKey(Instant),
  e2eId: Schema.optionalKey(Schema.String),
  counterpartName: Schema.optionalKey(Schema.String),
  counterpartDocument: Schema.optionalKey(Schema.String),
  failureReason: Schema.optionalKey(Schema.String),
  blockedDeposit: Schema.optionalKey(
    Schema.Struct({
      reason: Schema.String,
      refund: Schema.NullOr(
        Schema.Struct({
          status: Schema.Literals(["pending", "confirmed", "failed"]),
          e2eId: Schema.NullOr(Schema.String),
          settledAt: Schema.NullOr(Schema.String)
        })
      )
    })
  ),
  refundedAmount: Schema.optionalKey(BrlNumber),
  refundableAmount: Schema.optionalKey(BrlNumber),
  updatedAt: Schema.optionalKey(Instant)
})

/** A transaction on the wire. */
export const transactionResponse = ({ metadata, ...transaction }: Transaction) => ({
  ...transaction,
  paymentMethod,
  currency: "BRL" as const,
  ...(metadata !== undefined && {
    metadata: JSON.parse(metadata) as Readonly<Record<string, unknown>>
  })
})

/** The largest page, and the size of one where the caller does not say. */
const pageMax = 100
export const pageDefault = 20

const TransactionQuery = {
  type: Schema.optionalKey(Schema.Literals(transactionTypes)),
  status: Schema.optionalKey(Schema.Literals(transactionStatuses)),
  externalReference: Schema.optionalKey(text(1, 255)),
  from: Schema.optionalKey(instantInQuery),
  to: Schema.optionalKey(instantInQuery),
  cursor: Schema.optionalKey(cursor),
  limit: Schema.optionalKey(wholeInQuery(1, pageMax))
}

export class TransactionsApi extends HttpApiGroup.make("transactions")
  .add(
    HttpApiEndpoint.get("list", "/transactions", {
      query: TransactionQuery,
      success: pageOf(TransactionResponse),
      error: [BadRequest, InternalError]
    }).annotate(RequiredPermission, "TRANSACTION:READ"),
    HttpApiEndpoint.get("find", "/transactions/:id", {
      params: { id: Schema.String },
      success: TransactionResponse,
      error: [NotFound, InternalError]
    }).annotate(RequiredPermission, "TRANSACTION:READ")
  )
  .middleware(Authorization)
  .middleware(StrictBody) {}
