import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Authorization, RequiredPermission } from "../admission/Authorization.ts"
import { BadRequest, InternalError } from "../http/ErrorEnvelope.ts"
import { StrictBody } from "../http/StrictBody.ts"
import { Instant } from "../http/WireCodecs.ts"
import { BrlNumber } from "../kernel/Money.ts"
import { present } from "../kernel/Present.ts"
import type { Block } from "./Block.ts"
import { approvedInPart, blockStatuses, blockTypes } from "./Block.ts"

/** Spec, Balance block. */
export const BlockResponse = Schema.Struct({
  id: Schema.String,
  transactionId: Schema.String,
  amount: BrlNumber,
  /** There where only a part of it was approved. */
  approvedAmount: Schema.optionalKey(BrlNumber),
  status: Schema.Literals(blockStatuses),
  blockType: Schema.Literals(blockTypes),
  referenceNumber: Schema.optionalKey(Schema.String),
  reason: Schema.optionalKey(Schema.String),
  createdAt: Instant,
  externalReference: Schema.optionalKey(Schema.String),
  e2eId: Schema.String,
  resolutionReason: Schema.optionalKey(Schema.String),
  resolvedAt: Schema.optionalKey(Instant)
})

/** A block on the wire. */
export const blockResponse = (block: Block) => {
  const { amount, blockType, charge, createdAt, e2eId, id, status } = block
  const { externalReference, reason, referenceNumber, resolutionReason, resolvedAt } = block
  const approvedAmount = approvedInPart(block)
  return {
    id,
    transactionId: charge,
    amount,
    status,
    blockType,
    createdAt,
    e2eId,
    ...present({ approvedAmount, referenceNumber, reason, externalReference }),
    ...present({ resolutionReason, resolvedAt })
  }
}

export class BlocksApi extends HttpApiGroup.make("balanceBlocks")
  .add(
    HttpApiEndpoint.get("list", "/balance-blocks", {
      query: { status: Schema.optionalKey(Schema.Literals(blockStatuses)) },
      success: Schema.Struct({ items: Schema.Array(BlockResponse), total: Schema.Int }),
      error: [BadRequest, InternalError]
    }).annotate(RequiredPermission, "BALANCE_BLOCK:READ")
  )
  .middleware(Authorization)
  .middleware(StrictBody) {}
