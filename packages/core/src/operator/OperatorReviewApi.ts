import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { suspenseReasons } from "../charges/Charge.ts"
import {
  discrepancyReasons,
  discrepancyStatuses,
  discrepancySubjects
} from "../discrepancies/Discrepancy.ts"
import { pageOf, pageQuery } from "../http/KeysetPage.ts"
import { Instant, text } from "../http/WireCodecs.ts"
import { BrlNumber } from "../kernel/Money.ts"
import { pspReturnOutcomes, pspReturnStatuses } from "../psp-reports/PspReturn.ts"
import { returnPurposes, returnStatuses, reviewReasons } from "../returns/Return.ts"
import { created, errors, postErrors } from "./OperatorEndpointApi.ts"

/** Why a person decided as they did, and who it was. */
const words = {
  reason: text(1, 255),
  by: Schema.optionalKey(text(1, 255))
}
export const WordsPayload = Schema.Struct(words)
export const OutcomePayload = Schema.Struct({
  outcome: Schema.Literals(["completed", "failed"]),
  ...words
})

const Resolution = Schema.Struct({
  reason: Schema.String,
  by: Schema.optionalKey(Schema.String),
  at: Instant
})

const ReviewMark = Schema.Struct({
  since: Instant,
  reason: Schema.Literals(reviewReasons),
  /** The return that the PSP has done, where that contradicts this one. */
  by: Schema.optionalKey(Schema.String)
})

/** Money on its way back to its payer. */
export const ReturnResponse = Schema.Struct({
  id: Schema.String,
  accountId: Schema.String,
  subAccount: Schema.optionalKey(Schema.String),
  purpose: Schema.Literals(returnPurposes),
  status: Schema.Literals(returnStatuses),
  amount: BrlNumber,
  /** The end-to-end id of the payment that goes back. */
  e2eId: Schema.String,
  /** What the PSP has it under. */
  reference: Schema.String,
  pspCredentialId: Schema.String,
  createdAt: Instant,
  updatedAt: Instant,
  /** When the PSP was last told of it, while its answer is not known. */
  sentAt: Schema.optionalKey(Instant),
  /** How often the PSP definitely refused it. */
  rejections: Schema.Int,
  failureReason: Schema.optionalKey(Schema.String),
  /** The id of the return on the PIX network. */
  returnId: Schema.optionalKey(Schema.String),
  settledAt: Schema.optionalKey(Instant),
  /** It waits for a person. */
  review: Schema.optionalKey(ReviewMark),
  /** The refused return in whose place it is, and the one in its place. */
  replaces: Schema.optionalKey(Schema.String),
  replacedBy: Schema.optionalKey(Schema.String),
  resolution: Schema.optionalKey(Resolution)
})

/** Money in suspense: why it is there, whose it is, and how its way back goes. */
const SuspenseResponse = Schema.Struct({
  id: Schema.String,
  accountId: Schema.String,
  subAccount: Schema.optionalKey(Schema.String),
  amount: BrlNumber,
  reason: Schema.Literals([...suspenseReasons, "chargeback"]),
  /** The charge that was paid. */
  chargeId: Schema.optionalKey(Schema.String),
  /** The transaction by which its account sees it. */
  transactionId: Schema.optionalKey(Schema.String),
  balanceBlockId: Schema.optionalKey(Schema.String),
  e2eId: Schema.String,
  payer: Schema.Struct({
    name: Schema.optionalKey(Schema.String),
    document: Schema.optionalKey(Schema.String)
  }),
  paidAt: Schema.optionalKey(Instant),
  /** Since when it is in suspense. */
  since: Instant,
  needsReview: Schema.Boolean,
  return: ReturnResponse
})

/** Money of a payment that its PSP gave back by itself. */
export const PspReturnResponse = Schema.Struct({
  id: Schema.String,
  accountId: Schema.String,
  subAccount: Schema.optionalKey(Schema.String),
  status: Schema.Literals(pspReturnStatuses),
  amount: BrlNumber,
  /** The charge, or the deposit, whose payment went back. */
  sourceId: Schema.String,
  /** The end-to-end id of that payment. */
  e2eId: Schema.String,
  /** What the PSP calls the return. */
  reference: Schema.String,
  pspCredentialId: Schema.String,
  /** The id of the return on the PIX network. */
  returnId: Schema.optionalKey(Schema.String),
  settledAt: Schema.optionalKey(Instant),
  createdAt: Instant,
  updatedAt: Instant,
  resolution: Schema.optionalKey(Resolution)
})

/** Who bears it, and why. */
export const BearingPayload = Schema.Struct({
  outcome: Schema.Literals(pspReturnOutcomes),
  ...words
})

const ReviewResponse = Schema.Struct({
  id: Schema.String,
  type: Schema.Literals([
    "withdrawal",
    "refund",
    "deposit_return",
    "chargeback_return",
    "discrepancy",
    "psp_return"
  ]),
  accountId: Schema.String,
  subAccount: Schema.optionalKey(Schema.String),
  amount: Schema.optionalKey(BrlNumber),
  since: Instant,
  /** Why it waits for a person. */
  reason: Schema.String,
  /** How often its PSP has refused it for want of money when it was sent, whatever balance it tells. */
  refusals: Schema.optionalKey(Schema.Int),
  /** What the PSP has it under. */
  reference: Schema.optionalKey(Schema.String),
  e2eId: Schema.optionalKey(Schema.String),
  /** The calls that a person can make about it. */
  calls: Schema.Array(Schema.String)
})

export const DiscrepancyResponse = Schema.Struct({
  id: Schema.String,
  accountId: Schema.String,
  /** What the PSP contradicts. */
  subjectId: Schema.String,
  subjectType: Schema.Literals(discrepancySubjects),
  reason: Schema.Literals(discrepancyReasons),
  /** What the PSP says. */
  evidence: Schema.Record(Schema.String, Schema.Unknown),
  /** What was booked by then. */
  booked: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  status: Schema.Literals(discrepancyStatuses),
  createdAt: Instant,
  resolution: Schema.optionalKey(Resolution)
})

const one = { id: Schema.String }
const ofAccount = { ...pageQuery, account: Schema.optionalKey(Schema.String) }

/** What waits for a person, and what that person can do about it. */
export class OperatorReviewApi extends HttpApiGroup.make("reviews").add(
  HttpApiEndpoint.get("list", "/reviews", {
    query: ofAccount,
    success: pageOf(ReviewResponse),
    error: errors
  }),
  HttpApiEndpoint.get("suspense", "/suspense", {
    query: { ...ofAccount, needsReview: Schema.optionalKey(Schema.Literals(["true", "false"])) },
    success: pageOf(SuspenseResponse),
    error: errors
  }),
  HttpApiEndpoint.get("findReturn", "/returns/:id", {
    params: one,
    success: ReturnResponse,
    error: errors
  }),
  HttpApiEndpoint.post("retryReturn", "/returns/:id/retry", {
    params: one,
    payload: WordsPayload,
    success: ReturnResponse.pipe(created),
    error: postErrors
  }),
  HttpApiEndpoint.post("resolveReturn", "/returns/:id/resolve", {
    params: one,
    payload: OutcomePayload,
    success: ReturnResponse,
    error: postErrors
  }),
  HttpApiEndpoint.post("resolveRefund", "/refunds/:id/resolve", {
    params: one,
    payload: OutcomePayload,
    success: ReturnResponse,
    error: postErrors
  })
) {}

/** What PSPs gave back by themselves. */
export class OperatorPspReturnsApi extends HttpApiGroup.make("psp-returns").add(
  HttpApiEndpoint.post("resolve", "/psp-returns/:id/resolve", {
    params: one,
    payload: BearingPayload,
    success: PspReturnResponse,
    error: postErrors
  })
) {}

/** What PSPs say against what is booked. */
export class OperatorDiscrepanciesApi extends HttpApiGroup.make("discrepancies").add(
  HttpApiEndpoint.get("list", "/discrepancies", {
    query: { ...ofAccount, status: Schema.optionalKey(Schema.Literals(discrepancyStatuses)) },
    success: pageOf(DiscrepancyResponse),
    error: errors
  }),
  HttpApiEndpoint.post("resolve", "/discrepancies/:id/resolve", {
    params: one,
    payload: WordsPayload,
    success: DiscrepancyResponse,
    error: postErrors
  })
) {}
