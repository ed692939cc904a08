import { DateTime, Duration } from "effect"
import type { DiscrepancyReason } from "../discrepancies/Discrepancy.ts"
import { answersLag, waitingSince } from "../kernel/Waiting.ts"
import type { PspCapabilities, PspOutcome, PspPayout, PspRejection } from "../ports/Psp.ts"
import { lookedAt, notTold } from "../reconciliation/LateLooks.ts"
import { mayStillArrive, onNotFound } from "../reconciliation/Requests.ts"
import type {
  PayoutAnswer,
  PayoutConclusion,
  PayoutEvidence,
  PayoutVerdict
} from "./PayoutConclusion.ts"
import { evidenceOf, isAnother } from "./PayoutConclusion.ts"
import type { Withdrawal } from "./Withdrawal.ts"
import {
  awaitOperator,
  complete,
  fail,
  firstSentOf,
  isTaken,
  isToBeSent,
  isUnheard,
  notFoundAgain,
  notMade,
  notSent,
  refusedAsShort,
  repeatRefused,
  reverse,
  short,
  shownUnsent,
  taken,
  stillUnknown
} from "./Withdrawal.ts"
import { withdrawalLimits as limits } from "./WithdrawalLimits.ts"

interface When {
  readonly now: DateTime.Utc
  readonly isLate: boolean
}

export interface PayoutLook extends When {
  readonly askedAt: DateTime.Utc
  readonly capabilities: PspCapabilities
  /** Whether account and sub-account are such that their wallet may pay. */
  readonly mayPay: boolean
}

const noTrace: PspRejection = {
  code: "psp_timeout",
  message: "The payment institution never answered, and has no trace of the payout."
}
const unnamed: PspRejection = {
  code: "psp_rejected",
  message: "The payment institution refused the payout and did not say why."
}

/** Decides what becomes of a withdrawal by what is known of its payout. */
export const decide = (
  withdrawal: Withdrawal,
  answer: PayoutAnswer,
  look: PayoutLook
): PayoutVerdict => {
  switch (answer._tag) {
    case "Due":
      // While the PSP may have heard of the payout it is asked first.
      if (!isToBeSent(withdrawal)) return { _tag: "Ask" }
      if (isUnheard(withdrawal))
        return look.mayPay ? { _tag: "Cover" } : untilMayPay(withdrawal, look)
      // What it was told once goes out again whatever it holds: it may keep that, and pay it when a person there says so, who
      // knows nothing of its owner.
      return look.mayPay ? { _tag: "Send" } : { _tag: "Ask" }
    case "Looked":
      if (answer.cover === "short") return waitForMoney(withdrawal, look)
      return answer.cover === "unasked" ? waiting(withdrawal, look) : send(withdrawal, look)
    case "Found":
      return afterAsking(withdrawal, answer.outcome, look)
    case "Sent":
      return afterSending(withdrawal, answer.before, answer.outcome, look)
    case "NotMade":
      return unsent(notMade(withdrawal, answer.before), look)
    case "HeldUp":
      return { _tag: "Again" }
  }
}

/** Decides where the PSP is not configured any more: what it has not heard of goes out when it is back. */
export const withoutPsp = (withdrawal: Withdrawal, look: When): PayoutConclusion =>
  isToBeSent(withdrawal)
    ? { _tag: "Waiting", withdrawal, again: nextLook(withdrawal, look.now) }
    : afterSilence(withdrawal, look)

/** Another withdrawal has the payout that the PSP tells of: it is believed of the first. */
export const claimedTwice = (
  withdrawal: Withdrawal,
  first: Withdrawal,
  look: When
): PayoutConclusion =>
  contradicted(
    awaitOperator(withdrawal, look.now),
    "payment_claimed_twice",
    evidenceOf(first),
    look
  )

/** Whether its outcome is known. */
const hasEnded = ({ status }: Withdrawal): boolean =>
  status === "completed" || status === "failed" || status === "reversed"

const until = (withdrawal: Withdrawal, again: DateTime.Utc | undefined): PayoutConclusion => ({
  _tag: "Waiting",
  withdrawal,
  again
})

const untilMayPay = (withdrawal: Withdrawal, { now }: When) => until(withdrawal, longest(now))

/** Whatever the PSP holds: what was sent first may be what has taken it. Unless its owner may not pay now: then it waits. */
const send = (withdrawal: Withdrawal, look: PayoutLook): PayoutVerdict =>
  look.mayPay ? { _tag: "Send" } : untilMayPay(withdrawal, look)

/** However long that takes: nothing is under way, and the operator is shown that it waits. */
const waitForMoney = (withdrawal: Withdrawal, { now }: When): PayoutConclusion => {
  const next = short(withdrawal, now)
  const again = waitingSince(next.shortSince ?? now, now, lookBounds)
  return { _tag: "Waiting", withdrawal: next, again }
}

/**
 * The PSP refuses for want of money what its balance may cover: nobody knows when it will not. Each refusal doubles the pause,
 * or it would be sent each minute for as long as the two differ.
 */
const refusedForMoney = (withdrawal: Withdrawal, { now }: When): PayoutConclusion => {
  const next = refusedAsShort(withdrawal, now)
  const { refusedAgainMax: maximum, refusedAgainMin: minimum } = limits
  const doubled = Duration.times(
    minimum,
    2 ** Math.min((next.waitedForMoney?.refusals ?? 1) - 1, 10)
  )
  const again = DateTime.addDuration(now, Duration.min(doubled, maximum))
  return { _tag: "Waiting", withdrawal: next, again }
}

const afterSending = (
  withdrawal: Withdrawal,
  before: DateTime.Utc | undefined,
  outcome: PspOutcome<PspPayout>,
  look: PayoutLook
): PayoutConclusion => {
  switch (outcome._tag) {
    case "Done":
      return byPayout(withdrawal, outcome.value, look)
    case "Rejected":
      return before === undefined || !mayStillArrive(before, look)
        ? failed(withdrawal, outcome, undefined, look)
        : waiting(repeatRefused(withdrawal, before, outcome), look)
    case "NotNow":
      return outcome.needsMoney === true && before === undefined
        ? refusedForMoney(notSent(withdrawal, before), look)
        : unsent(notSent(withdrawal, before), look)
    case "NotSent":
      return unsent(notSent(withdrawal, before), look)
    case "Unknown":
      return unanswered(withdrawal, look)
  }
}

const afterAsking = (
  withdrawal: Withdrawal,
  outcome: PspOutcome<PspPayout | undefined>,
  look: PayoutLook
): PayoutVerdict => {
  const found = outcome._tag === "Done" ? outcome.value : undefined
  if (found !== undefined) return byPayout(withdrawal, found, look)
  // Nothing of it is known to be there, and it goes out once its owner may pay. A bank that finds nothing by our reference may have
  // paid it all the same: after a day a person is shown it.
  if (isToBeSent(withdrawal)) return untilMayPay(shownOnceTooLong(withdrawal, look), look)
  if (outcome._tag !== "Done") return afterSilence(withdrawal, look)
  return hasEnded(withdrawal) ? forgotten(withdrawal, look) : notFound(withdrawal, look)
}

const afterSilence = (withdrawal: Withdrawal, look: When): PayoutConclusion =>
  hasEnded(withdrawal) ? waiting(withdrawal, look) : unanswered(withdrawal, look)

/**
 * Nothing is to be found of what was refused outright. What the PSP has paid it must know, but its answers may be older
 * than what it told. Where a person said that it was paid, it may have more to tell: it is asked again, for a while.
 */
const forgotten = (withdrawal: Withdrawal, look: PayoutLook): PayoutConclusion => {
  const { resolution, status, updatedAt } = withdrawal
  if (status !== "completed") return unchanged(withdrawal, look)
  const patience = resolution === undefined ? answersLag : limits.unknownMax
  if (DateTime.isLessThan(look.now, DateTime.addDuration(updatedAt, patience)))
    return waiting(withdrawal, look)
  return resolution === undefined
    ? contradicted(withdrawal, "payment_gone", undefined, look)
    : unchanged(withdrawal, look)
}

const failed = (
  withdrawal: Withdrawal,
  rejection: PspRejection,
  payout: PspPayout | undefined,
  { now }: When
): PayoutConclusion => ({
  _tag: "Ended",
  withdrawal: fail(withdrawal, rejection, payout, now),
  more: false
})

/** Nothing was learnt. It stays as it is, until that has lasted too long. */
const unanswered = (withdrawal: Withdrawal, look: When): PayoutConclusion => {
  if (withdrawal.status === "manual_review") return unchanged(withdrawal, look)
  const next = stillUnknown(withdrawal, look.now)
  return unlessTooLong(next, silentSince(next, look.now), look)
}

/** It goes on being sent for as long as nobody decides it: where nothing of it is under way, no answer is awaited. */
const unsent = (withdrawal: Withdrawal, look: When): PayoutConclusion => {
  if (!isToBeSent(withdrawal)) return unanswered(withdrawal, look)
  const next = stillUnknown(withdrawal, look.now)
  return waiting(shownOnceTooLong(next, look), look)
}

const shownOnceTooLong = (withdrawal: Withdrawal, look: When): Withdrawal =>
  isTooLong(withdrawal.unknownSince ?? look.now, look)
    ? shownUnsent(withdrawal, look.now)
    : withdrawal

/** An answer is awaited since the PSP may have heard of it, however long it was away before that. */
const silentSince = (withdrawal: Withdrawal, now: DateTime.Utc): DateTime.Utc => {
  const since = withdrawal.unknownSince ?? now
  return DateTime.max(since, withdrawal.firstSentAt ?? since)
}

const isTooLong = (since: DateTime.Utc, { now }: When): boolean =>
  DateTime.isGreaterThanOrEqualTo(now, DateTime.addDuration(since, limits.unknownMax))

const unlessTooLong = (withdrawal: Withdrawal, since: DateTime.Utc, look: When): PayoutConclusion =>
  isTooLong(since, look) ? handedOver(withdrawal, look.now) : waiting(withdrawal, look)

const handedOver = (withdrawal: Withdrawal, now: DateTime.Utc): PayoutConclusion => ({
  _tag: "Unanswered",
  withdrawal: awaitOperator(withdrawal, now),
  again: longest(now)
})

const notFound = (withdrawal: Withdrawal, look: PayoutLook): PayoutVerdict => {
  const { pspReference, refusedRepeat, sentAt, timesNotFound: times } = withdrawal
  if (withdrawal.status === "manual_review") return unchanged(withdrawal, look)
  // The PSP had it once. What it forgets it might do twice.
  if (pspReference !== undefined || sentAt === undefined) return unanswered(withdrawal, look)
  if (refusedRepeat !== undefined) {
    return mayStillArrive(sentAt, look)
      ? waiting(withdrawal, look)
      : failed(withdrawal, refusedRepeat, undefined, look)
  }
  const firstSentAt = firstSentOf(withdrawal, sentAt)
  const sent = { sentAt, firstSentAt, notFound: times === undefined ? times : { times } }
  switch (onNotFound(sent, look)._tag) {
    case "Repeat":
      return send(withdrawal, look)
    case "TooOld":
      return handedOver(withdrawal, look.now)
    case "MayArrive":
      return waiting(withdrawal, look)
    case "Counted":
      return waiting(notFoundAgain(withdrawal, look.now), look)
    case "NeverArrived":
      return failed(withdrawal, noTrace, undefined, look)
  }
}

/** Decides on a payout as the PSP has it. */
const byPayout = (
  withdrawal: Withdrawal,
  payout: PspPayout,
  look: PayoutLook
): PayoutConclusion => {
  const { now } = look
  if (hasEnded(withdrawal)) {
    return isAnother(withdrawal, payout)
      ? contradicted(withdrawal, "reference_mismatch", payout, look)
      : afterOutcome(withdrawal, payout, look)
  }
  if (payout.reference !== withdrawal.reference) {
    return contradicted(awaitOperator(withdrawal, now), "reference_mismatch", payout, look)
  }
  if (payout.status === "rejected") {
    return failed(withdrawal, payout.rejection ?? unnamed, payout, look)
  }
  if (payout.amount !== withdrawal.netAmount) {
    return contradicted(awaitOperator(withdrawal, now), "amount_mismatch", payout, look)
  }
  if (payout.status === "processing") return underWay(withdrawal, payout, look)
  return {
    _tag: "Ended",
    withdrawal: complete(withdrawal, payout, now),
    more: payout.status === "reversed"
  }
}

/**
 * The PSP has it. What stays so for too long is shown to the operator; the PSP's word still decides. What it turns out to have is
 * not the operator's any more, until that has lasted too long.
 */
const underWay = (withdrawal: Withdrawal, payout: PspPayout, look: When): PayoutConclusion => {
  if (withdrawal.status === "manual_review" && isTaken(withdrawal))
    return unchanged(withdrawal, look)
  const next = taken(withdrawal, payout, look.now)
  return unlessTooLong(next, next.updatedAt, look)
}

/** What has ended changes in one way only: what was completed can come back. */
const afterOutcome = (withdrawal: Withdrawal, payout: PspPayout, look: When): PayoutConclusion => {
  const { netAmount, resolution, status } = withdrawal
  if (status === "completed" && payout.status === "reversed") {
    // What came back of another payout, or a part of this one, is not what was taken.
    if (payout.amount !== netAmount)
      return contradicted(withdrawal, "amount_mismatch", payout, look)
    const next = reverse(withdrawal, payout.reversal, look.now)
    return { _tag: "Ended", withdrawal: next, more: false }
  }
  if (status === "completed" && payout.status === "rejected") {
    return contradicted(withdrawal, "completed_but_rejected", payout, look)
  }
  // Where a person called it completed, the amount has been looked into.
  const isOff = payout.amount !== netAmount && resolution === undefined
  if (status === "completed" && payout.status === "completed" && isOff) {
    return contradicted(withdrawal, "amount_mismatch", payout, look)
  }
  // Paid and back again is nothing paid.
  return status === "failed" && payout.status === "completed"
    ? contradicted(withdrawal, "failed_but_paid", payout, look)
    : unchanged(withdrawal, look)
}

const contradicted = (
  withdrawal: Withdrawal,
  reason: DiscrepancyReason,
  evidence: PayoutEvidence | undefined,
  look: When
): PayoutConclusion => ({
  _tag: "Contradicted",
  withdrawal,
  again: afterAnswer(withdrawal, look),
  reason,
  evidence
})

const waiting = (withdrawal: Withdrawal, look: When): PayoutConclusion =>
  until(withdrawal, look.isLate ? notTold(withdrawal, look) : nextLook(withdrawal, look.now))

const unchanged = (withdrawal: Withdrawal, look: When) =>
  until(withdrawal, afterAnswer(withdrawal, look))

/** The longest wait: while its owner may not pay, and while a person is awaited, for the PSP may tell first. */
const longest = (now: DateTime.Utc): DateTime.Utc => DateTime.addDuration(now, limits.askAgainMax)

const afterAnswer = (withdrawal: Withdrawal, look: When): DateTime.Utc | undefined =>
  withdrawal.status === "manual_review" ? longest(look.now) : lookedAt(withdrawal, look)

const lookBounds = { minimum: limits.askAgainMin, maximum: limits.askAgainMax }

/** When the PSP is asked next: often at first, and less often the longer it takes. */
const nextLook = (withdrawal: Withdrawal, now: DateTime.Utc): DateTime.Utc => {
  const since = withdrawal.unknownSince ?? withdrawal.sentAt ?? withdrawal.updatedAt
  return waitingSince(since, now, lookBounds)
}
