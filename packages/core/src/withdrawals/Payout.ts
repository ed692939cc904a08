import { DateTime, Duration } from "effect"
import type { DiscrepancyReason } from "../discrepancies/Discrepancy.ts"
import { answersLag, waitingSince } from "../kernel/Waiting.ts"
import type { PspCapabilities, PspOutcome, PspPayout, PspRejection } from "../ports/Psp.ts"
import type { Withdrawal } from "./Withdrawal.ts"
import {
  awaitOperator,
  complete,
  fail,
  notFoundAgain,
  notSent,
  repeatRefused,
  reverse,
  taken,
  untold
} from "./Withdrawal.ts"
import { withdrawalLimits as limits } from "./WithdrawalLimits.ts"

/**
 * What the PSP's answer, or the lack of one, does to a withdrawal.
 *
 * - `Settled`: it came to an outcome, `more` when the PSP tells of another one that follows it;
 * - `Waiting`: the PSP is asked again later;
 * - `Send`: the PSP may be told, again and under the same reference;
 * - `Unanswered`: only the operator can decide it, unless the PSP does after all;
 * - `Contradicted`: the PSP contradicts an outcome, or itself; `withdrawal` is what becomes of it;
 * - `Unchanged`: there is nothing to do.
 */
export type Verdict =
  | { readonly _tag: "Settled"; readonly withdrawal: Withdrawal; readonly more: boolean }
  | { readonly _tag: "Waiting"; readonly withdrawal: Withdrawal }
  | { readonly _tag: "Send" }
  | { readonly _tag: "Unanswered"; readonly withdrawal: Withdrawal }
  | {
      readonly _tag: "Contradicted"
      readonly withdrawal: Withdrawal
      readonly reason: DiscrepancyReason
      /** What it says now; undefined: that it has nothing under the reference. */
      readonly evidence: PayoutEvidence | undefined
    }
  | { readonly _tag: "Unchanged" }

/** A verdict that brings no news from the PSP. */
export type Pending = Extract<Verdict, { readonly _tag: "Waiting" | "Unanswered" | "Unchanged" }>

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

export interface PayoutContext {
  readonly now: DateTime.Utc
  readonly capabilities: PspCapabilities
  /** How long a call to the PSP may take. */
  readonly deadline: Duration.Duration
}

const unchanged = { _tag: "Unchanged" } as const
const noTrace: PspRejection = {
  code: "psp_timeout",
  message: "The payment institution never answered, and has no trace of the payout."
}

/** Whether the PSP is to be told now. While it may have heard of the payout it is asked first. */
export const isToBeSent = ({ pspReference, sentAt, status }: Withdrawal): boolean =>
  status === "pending" ||
  (status === "processing" && sentAt === undefined && pspReference === undefined)

/** Whether its outcome is known. */
const isSettled = ({ status }: Withdrawal): boolean =>
  status === "completed" || status === "failed" || status === "reversed"

/** Too late for a request to leave: whoever looks now may already count on its absence. */
export const mayStillLeave = ({ sentAt }: Withdrawal, now: DateTime.Utc): boolean =>
  sentAt !== undefined && DateTime.isLessThan(now, DateTime.addDuration(sentAt, limits.sendWithin))

/**
 * Decides on the answer to a request. `before` is when an earlier one was sent that the PSP may still come to hear:
 * as long as that can be, a refusal of the repeat proves nothing about it.
 */
export const afterSending = (
  withdrawal: Withdrawal,
  before: DateTime.Utc | undefined,
  outcome: PspOutcome<PspPayout>,
  context: PayoutContext
): Verdict => {
  switch (outcome._tag) {
    case "Done":
      return byPayout(withdrawal, outcome.value, context.now)
    case "Rejected":
      return before === undefined || isFinal(before, context)
        ? failed(withdrawal, outcome, undefined, context.now)
        : { _tag: "Waiting", withdrawal: repeatRefused(withdrawal, before, outcome) }
    case "NotSent":
      return unanswered(notSent(withdrawal, before), context.now)
    case "Unknown":
      return unanswered(withdrawal, context.now)
  }
}

/** Decides on what the PSP says about a payout that it may have heard of. */
export const afterAsking = (
  withdrawal: Withdrawal,
  outcome: PspOutcome<PspPayout | undefined>,
  context: PayoutContext
): Verdict => {
  if (outcome._tag !== "Done") return afterSilence(withdrawal, context.now)
  if (outcome.value !== undefined) return byPayout(withdrawal, outcome.value, context.now)
  return isSettled(withdrawal) ? forgotten(withdrawal, context.now) : notFound(withdrawal, context)
}

/** Decides when nothing is to be learnt: the PSP does not answer, or is not configured any more. */
export const afterSilence = (withdrawal: Withdrawal, now: DateTime.Utc): Pending =>
  isSettled(withdrawal) ? { _tag: "Waiting", withdrawal } : unanswered(withdrawal, now)

/**
 * Nothing is to be found of what was refused outright. What the PSP has paid it must know, but its answers may be older
 * than what it told. Where a person said that it was paid, it may have more to tell: it is asked again, for a while.
 */
const forgotten = (withdrawal: Withdrawal, now: DateTime.Utc): Verdict => {
  const { resolution, status, updatedAt } = withdrawal
  if (status !== "completed") return unchanged
  const patience = resolution === undefined ? answersLag : limits.unknownMax
  if (DateTime.isLessThan(now, DateTime.addDuration(updatedAt, patience)))
    return { _tag: "Waiting", withdrawal }
  return resolution === undefined ? contradicted(withdrawal, "payment_gone", undefined) : unchanged
}

/** Whether a request that was sent at an instant has had its time: "not found" cannot change any more. */
const isFinal = (sentAt: DateTime.Utc, { capabilities, deadline, now }: PayoutContext): boolean => {
  const { notFoundIsFinalAfter } = capabilities
  const heard = Duration.sum(Duration.sum(limits.sendWithin, deadline), notFoundIsFinalAfter)
  return DateTime.isGreaterThanOrEqualTo(now, DateTime.addDuration(sentAt, heard))
}

const failed = (
  withdrawal: Withdrawal,
  rejection: PspRejection,
  payout: PspPayout | undefined,
  now: DateTime.Utc
): Verdict => ({
  _tag: "Settled",
  withdrawal: fail(withdrawal, rejection, payout, now),
  more: false
})

/** Nothing was learnt. It stays as it is, until that has lasted too long. */
const unanswered = (withdrawal: Withdrawal, now: DateTime.Utc): Pending => {
  const waiting = untold(withdrawal, now)
  const since = waiting.unknownSince ?? now
  if (waiting.status === "manual_review") return unchanged
  return DateTime.isLessThan(now, DateTime.addDuration(since, limits.unknownMax))
    ? { _tag: "Waiting", withdrawal: waiting }
    : { _tag: "Unanswered", withdrawal: awaitOperator(waiting, now) }
}

const notFound = (withdrawal: Withdrawal, context: PayoutContext): Verdict => {
  const { pspReference, refusedRepeat, sentAt } = withdrawal
  if (withdrawal.status === "manual_review") return unchanged
  // The PSP had it once. What it forgets it might do twice.
  if (pspReference !== undefined || sentAt === undefined) return unanswered(withdrawal, context.now)
  const final = isFinal(sentAt, context)
  if (refusedRepeat !== undefined) {
    return final
      ? failed(withdrawal, refusedRepeat, undefined, context.now)
      : { _tag: "Waiting", withdrawal }
  }
  if (context.capabilities.idempotentByReference) return { _tag: "Send" }
  if (!final) return { _tag: "Waiting", withdrawal }
  const again = notFoundAgain(withdrawal, context.now)
  return (again.timesNotFound ?? 0) < limits.notFoundTimes
    ? { _tag: "Waiting", withdrawal: again }
    : failed(again, noTrace, undefined, context.now)
}

/** Decides on a payout as the PSP has it. */
const byPayout = (withdrawal: Withdrawal, payout: PspPayout, now: DateTime.Utc): Verdict => {
  if (isSettled(withdrawal)) {
    return isAnother(withdrawal, payout)
      ? contradicted(withdrawal, "reference_mismatch", payout)
      : afterOutcome(withdrawal, payout, now)
  }
  if (payout.reference !== withdrawal.reference) {
    return contradicted(awaitOperator(withdrawal, now), "reference_mismatch", payout)
  }
  if (payout.status === "rejected") {
    return failed(withdrawal, payout.rejection ?? unnamed, payout, now)
  }
  if (payout.amount !== withdrawal.netAmount) {
    return contradicted(awaitOperator(withdrawal, now), "amount_mismatch", payout)
  }
  if (payout.status === "processing") return underWay(withdrawal, payout, now)
  return {
    _tag: "Settled",
    withdrawal: complete(withdrawal, payout, now),
    more: payout.status === "reversed"
  }
}

/** Whether the PSP speaks of another payout than the one that a withdrawal ended by. */
const isAnother = ({ e2eId, reference }: Withdrawal, payout: PspPayout): boolean =>
  payout.reference !== reference ||
  (e2eId !== undefined && payout.endToEndId !== undefined && payout.endToEndId !== e2eId)

/** The PSP has it. What stays so for too long is shown to the operator; the PSP's word still decides. */
const underWay = (withdrawal: Withdrawal, payout: PspPayout, now: DateTime.Utc): Verdict => {
  if (withdrawal.status === "manual_review") return unchanged
  const next = taken(withdrawal, payout, now)
  return DateTime.isLessThan(now, DateTime.addDuration(next.updatedAt, limits.unknownMax))
    ? { _tag: "Waiting", withdrawal: next }
    : { _tag: "Unanswered", withdrawal: awaitOperator(next, now) }
}

const unnamed: PspRejection = {
  code: "psp_rejected",
  message: "The payment institution refused the payout and did not say why."
}

/** What is settled changes in one way only: what was completed can come back. */
const afterOutcome = (withdrawal: Withdrawal, payout: PspPayout, now: DateTime.Utc): Verdict => {
  const { netAmount, resolution, status } = withdrawal
  if (status === "completed" && payout.status === "reversed") {
    // What came back of another payout, or a part of this one, is not what was taken.
    if (payout.amount !== netAmount) return contradicted(withdrawal, "amount_mismatch", payout)
    return { _tag: "Settled", withdrawal: reverse(withdrawal, payout.reversal, now), more: false }
  }
  if (status === "completed" && payout.status === "rejected") {
    return contradicted(withdrawal, "completed_but_rejected", payout)
  }
  // Where a person called it completed, the amount has been looked into.
  const isOff = payout.amount !== netAmount && resolution === undefined
  if (status === "completed" && payout.status === "completed" && isOff) {
    return contradicted(withdrawal, "amount_mismatch", payout)
  }
  // Paid and back again is nothing paid.
  return status === "failed" && payout.status === "completed"
    ? contradicted(withdrawal, "failed_but_paid", payout)
    : unchanged
}

const contradicted = (
  withdrawal: Withdrawal,
  reason: DiscrepancyReason,
  evidence: PayoutEvidence | undefined
): Verdict => ({ _tag: "Contradicted", withdrawal, reason, evidence })

/** When the PSP is asked next: often at first, and less often the longer it takes. */
export const nextLook = (withdrawal: Withdrawal, now: DateTime.Utc): DateTime.Utc => {
  const since = withdrawal.unknownSince ?? withdrawal.sentAt ?? withdrawal.updatedAt
  return waitingSince(since, now, { minimum: limits.askAgainMin, maximum: limits.askAgainMax })
}
