import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Authorization, RequiredPermission } from "../http/Authorization.ts"
import { InternalError, NotFound } from "../http/ErrorEnvelope.ts"
import { StrictBody } from "../http/StrictBody.ts"
import { Instant } from "../http/WireCodecs.ts"
import { SignedBrlNumber } from "../kernel/Money.ts"
import type { Transaction } from "./Transaction.ts"
import { transactionTypes } from "./Transaction.ts"

/** Spec, Transaction. */
export const TransactionResponse = Schema.Struct({
  id: Schema.String,
  status: Schema.Literals(["pending", "completed", "failed", "cancelled"]),
  type: Schema.Literals(transactionTypes),
  paymentMethod: Schema.Literals(["pix", "credit_card", "boleto"]),
  amount: SignedBrlNumber,
  currency: Schema.Literal("BRL"),
  createdAt: Instant,
  description: Schema.optionalKey(Schema.String),
  externalReference: Schema.optionalKey(Schema.String),
  customerId: Schema.optionalKey(Schema.String),
  projectId: Schema.optionalKey(Schema.String),
  metadata: Schema.optionalKey(Schema.Unknown),
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
  updatedAt: Schema.optionalKey(Instant)
})

/** A transaction on the wire. */
export const transactionResponse = ({ metadata, ...transaction }: Transaction) => ({
  ...transaction,
  paymentMethod: "pix" as const,
  currency: "BRL" as const,
  ...(metadata === undefined ? {} : { metadata: JSON.parse(metadata) as unknown })
})

export class TransactionsApi extends HttpApiGroup.make("transactions")
  .add(
    HttpApiEndpoint.get("find", "/transactions/:id", {
      params: { id: Schema.String },
      success: TransactionResponse,
      error: [NotFound, InternalError]
    }).annotate(RequiredPermission, "TRANSACTION:READ")
  )
  .middleware(Authorization)
  .middleware(StrictBody) {}
