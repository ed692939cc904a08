import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { blockStatuses, blockTypes, defenceStatuses } from "../blocks/Block.ts"
import { BlockResponse } from "../blocks/BlocksApi.ts"
import { pageOf, pageQuery } from "../http/KeysetPage.ts"
import { amountBetween, Instant, text } from "../http/WireCodecs.ts"
import { BrlNumber, bacenAmountMax, oneCentavo } from "../kernel/Money.ts"
import { created, errors, inAccount, postErrors } from "./OperatorEndpointApi.ts"

export const NewBlockPayload = Schema.Struct({
  transactionId: text(1, 255),
  amount: Schema.optionalKey(amountBetween(oneCentavo, bacenAmountMax)),
  blockType: Schema.Literals(blockTypes),
  reason: Schema.optionalKey(text(1, 255)),
  referenceNumber: Schema.optionalKey(text(1, 255))
})

export const ResolutionPayload = Schema.Struct({
  outcome: Schema.Literals(["approved", "rejected"]),
  /** What goes back; the rest is the merchant's again. */
  amount: Schema.optionalKey(amountBetween(oneCentavo, bacenAmountMax)),
  reason: Schema.optionalKey(text(1, 255))
})

/** What is said to the report of fraud that has opened a block; banks take no longer texts. */
export const AnswerPayload = Schema.Struct({
  answer: Schema.Literals(["agree", "disagree"]),
  text: text(1, 2000)
})

/** What tenants see, and where the money of an approved block is. */
export const OperatorBlock = Schema.Struct({
  ...BlockResponse.fields,
  accountId: Schema.String,
  subAccount: Schema.NullOr(Schema.String),
  defendedAt: Schema.optionalKey(Instant),
  /** Until when the report behind it may be answered. */
  answerUntil: Schema.optionalKey(Instant),
  /** What was answered, and whether the PSP has it. */
  answer: Schema.optionalKey(
    Schema.Struct({
      answer: Schema.Literals(["agree", "disagree"]),
      status: Schema.Literals(defenceStatuses),
      requestedAt: Instant,
      code: Schema.optionalKey(Schema.String),
      message: Schema.optionalKey(Schema.String)
    })
  ),
  /** Taken from the wallet for the payer. */
  returnedAmount: BrlNumber,
  /** Claimed of the wallet, now and of what comes. */
  owedAmount: BrlNumber,
  /** Given up. */
  uncollectedAmount: BrlNumber
})

const inBlock = { id: Schema.String }

export class OperatorBlocksApi extends HttpApiGroup.make("blocks").add(
  HttpApiEndpoint.post("create", "/accounts/:id/balance-blocks", {
    params: inAccount,
    payload: NewBlockPayload,
    success: OperatorBlock.pipe(created),
    error: postErrors
  }),
  HttpApiEndpoint.get("list", "/accounts/:id/balance-blocks", {
    params: inAccount,
    query: { ...pageQuery, status: Schema.optionalKey(Schema.Literals(blockStatuses)) },
    success: pageOf(OperatorBlock),
    error: errors
  }),
  HttpApiEndpoint.post("defend", "/balance-blocks/:id/defend", {
    params: inBlock,
    success: OperatorBlock,
    error: postErrors
  }),
  HttpApiEndpoint.post("answer", "/balance-blocks/:id/answer", {
    params: inBlock,
    payload: AnswerPayload,
    success: OperatorBlock,
    error: postErrors
  }),
  HttpApiEndpoint.post("resolve", "/balance-blocks/:id/resolve", {
    params: inBlock,
    payload: ResolutionPayload,
    success: OperatorBlock,
    error: postErrors
  })
) {}
