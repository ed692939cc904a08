import type { DateTime } from "effect"
import type { DiscrepancyReason } from "../discrepancies/Discrepancy.ts"
import { present } from "../kernel/Present.ts"
import type { PspOutcome, PspPayout } from "../ports/Psp.ts"
import type { Cover } from "./PayoutFunds.ts"
import type { Withdrawal } from "./Withdrawal.ts"

/**
 * What is known when a verdict on a withdrawal is due.
 *
 * - `Due`: nothing was asked yet;
 * - `Looked`: whether what the PSP holds covers the payout;
 * - `Found`: what the PSP says when it is asked for the payout;
 * - `Sent`: what it says when it is sent. `before` is when it was sent an earlier time that it may still come to hear;
 * - `NotMade`: nobody sent it, as the PSP is left alone for now, or was let go this moment;
 * - `HeldUp`: the request did not leave.
 */
export type PayoutAnswer =
  | { readonly _tag: "Due" | "HeldUp" }
  | { readonly _tag: "Looked"; readonly cover: Cover }
  | { readonly _tag: "NotMade"; readonly before: DateTime.Utc | undefined }
  | { readonly _tag: "Found"; readonly outcome: PspOutcome<PspPayout | undefined> }
  | {
      readonly _tag: "Sent"
      readonly before: DateTime.Utc | undefined
      readonly outcome: PspOutcome<PspPayout>
    }

/** What the PSP is asked: whether it holds enough for the payout, for the payout, or to make it, once the intent is written. */
export interface PayoutQuestion {
  readonly _tag: "Cover" | "Ask" | "Send"
}

/**
 * What becomes of a withdrawal, and when it is looked at again; at an undefined time: never.
 *
 * - `Ended`: it came to an outcome, `more` when the PSP tells of another one that follows it;
 * - `Waiting`: the outcome is as little known as before, or as well;
 * - `Unanswered`: only the operator can decide it, unless the PSP does after all;
 * - `Contradicted`: the PSP contradicts an outcome, or itself;
 * - `Again`: it is looked at anew, at once.
 */
export type PayoutConclusion =
  | { readonly _tag: "Ended"; readonly withdrawal: Withdrawal; readonly more: boolean }
  | {
      readonly _tag: "Waiting" | "Unanswered"
      readonly withdrawal: Withdrawal
      readonly again: DateTime.Utc | undefined
    }
  | {
      readonly _tag: "Contradicted"
      readonly withdrawal: Withdrawal
      readonly again: DateTime.Utc | undefined
      readonly reason: DiscrepancyReason
      /** What it says now; undefined: that it has nothing under the reference. */
      readonly evidence: PayoutEvidence | undefined
    }
  | { readonly _tag: "Again" }

export type PayoutVerdict = PayoutQuestion | PayoutConclusion

export const isQuestion = (verdict: PayoutVerdict): verdict is PayoutQuestion =>
  verdict._tag === "Cover" || verdict._tag === "Ask" || verdict._tag === "Send"

/** What tells one payout from another, how it stands and why. Not who receives it. */
export type PayoutEvidence = Pick<
  PspPayout,
  | "reference"
  | "pspReference"
  | "status"
  | "amount"
  | "endToEndId"
  | "settledAt"
  | "rejection"
  | "reversal"
>

/** What a PSP told of a payout, as it would have been noted. */
export const evidenceOf = (withdrawal: Withdrawal): PayoutEvidence => {
  const { e2eId, netAmount: amount, pspReference = "", reference, status } = withdrawal
  return {
    reference,
    pspReference,
    status: status === "completed" ? "completed" : status === "failed" ? "rejected" : "processing",
    amount,
    ...present({ endToEndId: e2eId })
  }
}

/** The payout of a withdrawal without an end that the PSP, asked for it, says it makes or has made; undefined where it says nothing of the kind. */
export const carriedOut = (
  withdrawal: Withdrawal,
  outcome: PspOutcome<PspPayout | undefined>
): PspPayout | undefined => {
  const payout = outcome._tag === "Done" ? outcome.value : undefined
  const isSame = payout?.amount === withdrawal.netAmount && !isAnother(withdrawal, payout)
  return isSame && (payout.status === "processing" || payout.status === "completed")
    ? payout
    : undefined
}

/** Whether the PSP speaks of another payout than the one that a withdrawal ended by. */
export const isAnother = ({ e2eId, reference }: Withdrawal, payout: PspPayout): boolean =>
  payout.reference !== reference ||
  (e2eId !== undefined && payout.endToEndId !== undefined && payout.endToEndId !== e2eId)
