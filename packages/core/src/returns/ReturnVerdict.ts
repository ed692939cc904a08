import type { DateTime } from "effect"
import type { DiscrepancyReason } from "../discrepancies/Discrepancy.ts"
import { waitingSince } from "../kernel/Waiting.ts"
import type { PspCapabilities, PspOutcome, PspRefund } from "../ports/Psp.ts"
import { lookedAt, notTold } from "../reconciliation/LateLooks.ts"
import { arrivesBy, onNotFound } from "../reconciliation/Requests.ts"
import type { Return } from "./Return.ts"
import { contradiction, isAnother, isSame } from "./ReturnAtPsp.ts"
import {
  askedSince,
  awaitPerson,
  confirm,
  formersOf,
  heldBack,
  isHeldBack,
  isOver,
  isOverdue,
  isToBeSent,
  maySend,
  refuse,
  restsUntil,
  take,
  unfoundAgain,
  notSent
} from "./Return.ts"

/** What the PSP says of a return that cannot be; without evidence: that it has nothing of it. */
export interface ReturnContradiction {
  readonly money: Return
  readonly reason: DiscrepancyReason
  readonly known: PspRefund | undefined
}

/** What the PSP says of the returns in whose place one is, as far as it was asked. */
export type Formers =
  | { readonly _tag: "Undone" }
  | { readonly _tag: "Unanswered"; readonly outcome: string }
  | ({ readonly _tag: "Another" | "Contradicted" } & ReturnContradiction)

/**
 * What is known when a verdict on a return is due. `isAlone`: nothing that was sent for it before can still arrive, so that
 * a refusal of the request is a refusal of the return.
 *
 * - `Due`: nothing was asked yet;
 * - `Found`: what the PSP says when it is asked for the return;
 * - `Formers`: what it says of those in whose place the return is;
 * - `Sent`: what it says when the return is sent;
 * - `HeldUp`: the request did not leave.
 */
export type ReturnAnswer =
  | { readonly _tag: "Due" | "HeldUp" }
  | { readonly _tag: "Found"; readonly outcome: PspOutcome<PspRefund | undefined> }
  | { readonly _tag: "Formers"; readonly said: Formers; readonly isAlone: boolean }
  | { readonly _tag: "Sent"; readonly outcome: PspOutcome<PspRefund>; readonly isAlone: boolean }

/** What the PSP is asked: for the return, for those in whose place it is, or to do it, once the intent is written. */
export type ReturnQuestion =
  | { readonly _tag: "Ask" }
  | { readonly _tag: "AskFormers" | "Send"; readonly isAlone: boolean }

/**
 * What becomes of a return, and when it is looked at again; at an undefined time: never.
 *
 * - `Ended`: the payer has the money, or a refund was refused;
 * - `Waiting`: it has no end yet, or the one that it had; `doubt` is why nothing could be learnt;
 * - `Replaced`: the PSP took it and refused it, and will say so for ever: the next try is another return;
 * - `Contradicted`: the PSP contradicts what is known of it, or of one in whose place it is;
 * - `Reopened`: it had been refused too often, and something of it is under way: it is judged like one that is.
 */
export type ReturnConclusion =
  | { readonly _tag: "Ended" | "Replaced"; readonly money: Return }
  | {
      readonly _tag: "Waiting"
      readonly money: Return
      readonly again: DateTime.Utc | undefined
      readonly doubt?: string
    }
  | {
      readonly _tag: "Contradicted"
      readonly money: Return
      readonly again: DateTime.Utc | undefined
      readonly by: ReturnContradiction
    }
  | { readonly _tag: "Reopened"; readonly again: DateTime.Utc | undefined }

export type ReturnVerdict = ReturnQuestion | ReturnConclusion

export const isQuestion = (verdict: ReturnVerdict): verdict is ReturnQuestion =>
  verdict._tag === "Ask" || verdict._tag === "AskFormers" || verdict._tag === "Send"

interface When {
  readonly now: DateTime.Utc
  readonly isLate: boolean
}

export interface ReturnLook extends When {
  readonly askedAt: DateTime.Utc
  readonly capabilities: PspCapabilities
}

/** Decides what becomes of a return by what is known of it. */
export const decide = (money: Return, answer: ReturnAnswer, look: ReturnLook): ReturnVerdict => {
  switch (answer._tag) {
    case "Due":
      if (isHeldBack(money)) return holdBack(money, look)
      return !isLookedBackAt(money, look) && isToBeSent(money, look.now)
        ? send(money, true)
        : { _tag: "Ask" }
    case "Found":
      return isLookedBackAt(money, look)
        ? afterLookingBack(money, answer.outcome, look)
        : afterAsking(money, answer.outcome, look)
    case "Formers":
      return afterFormers(money, answer, look)
    case "Sent":
      return afterSending(money, answer, look)
    case "HeldUp":
      return { _tag: "Waiting", money, again: look.now }
  }
}

/** Decides where the PSP is not configured any more. */
export const withoutPsp = (money: Return, look: When): ReturnConclusion => {
  if (isHeldBack(money)) return holdBack(money, look)
  return isLookedBackAt(money, look)
    ? { _tag: "Waiting", money, again: inVain(money, look) }
    : later(money, look)
}

/** What a former return says for or against the one in its place, by what the PSP says of it. */
export const formerSays = (
  money: Return,
  outcome: PspOutcome<PspRefund | undefined>,
  now: DateTime.Utc
): Formers => {
  if (outcome._tag !== "Done") return { _tag: "Unanswered", outcome: outcome._tag }
  const known = outcome.value
  const reason = contradiction(money, known, now)
  if (reason === "reference_mismatch") return { _tag: "Another", money, reason, known }
  if (reason !== undefined) return { _tag: "Contradicted", money, reason, known }
  // It may be older than the refusal, and it may be news.
  return known?.status === "processing"
    ? { _tag: "Unanswered", outcome: "Processing" }
    : { _tag: "Undone" }
}

/** Nothing of it is under way as far as is known: what the PSP says moves nothing, and may contradict it. */
const isLookedBackAt = (money: Return, { isLate }: When): boolean => isOver(money) || isLate

/** Tells the PSP, unless one of those that came to nothing before it was done after all. */
const send = (money: Return, isAlone: boolean): ReturnQuestion => ({
  _tag: formersOf(money).length === 0 ? "Send" : "AskFormers",
  isAlone
})

/**
 * What its PSP may have given back by itself is a person's once it is known that nothing of it is under way. A refund waits
 * for what that person says of the return.
 */
const sendOrRest = (money: Return, isAlone: boolean, look: ReturnLook): ReturnVerdict => {
  if (money.besides === undefined) return send(money, isAlone)
  return money.purpose === "refund"
    ? holdBack(notSent(money, look.now), look)
    : refused(money, "returned_by_psp", false, look.now)
}

/**
 * The return beside it stands in the operator's line, and has it looked at as soon as it is decided. However long that takes, it
 * is no refund that its PSP leaves without an answer.
 */
const holdBack = (money: Return, { now }: When): ReturnConclusion => ({
  _tag: "Waiting",
  money: heldBack(money),
  again: nextLook(money, now)
})

const afterFormers = (
  money: Return,
  { isAlone, said }: Extract<ReturnAnswer, { readonly _tag: "Formers" }>,
  look: ReturnLook
): ReturnVerdict => {
  const { now } = look
  switch (said._tag) {
    case "Undone":
      return { _tag: "Send", isAlone }
    case "Unanswered":
      return inDoubt(money, said.outcome, look)
    case "Another":
      return { ...later(money, look), _tag: "Contradicted", by: said }
    case "Contradicted": {
      const next = awaitPerson(money, "contradicted", now, said.money.id)
      return { _tag: "Contradicted", money: next, again: undefined, by: said }
    }
  }
}

const afterSending = (
  money: Return,
  { isAlone, outcome }: Extract<ReturnAnswer, { readonly _tag: "Sent" }>,
  look: ReturnLook
): ReturnConclusion => {
  const { capabilities, now } = look
  switch (outcome._tag) {
    case "Done":
      return byRefund(money, outcome.value, look)
    case "Rejected":
      // It says nothing about an earlier request that is still under way.
      return isAlone
        ? refused(money, outcome.code, false, now)
        : { _tag: "Waiting", money, again: arrivesBy(money.sentAt ?? now, capabilities) }
    case "NotNow":
    case "NotSent":
      return later(isAlone ? notSent(money, now) : money, look)
    case "Unknown":
      return inDoubt(money, outcome._tag, look)
  }
}

const afterAsking = (
  money: Return,
  outcome: PspOutcome<PspRefund | undefined>,
  look: ReturnLook
): ReturnVerdict => {
  if (outcome._tag !== "Done") return inDoubt(money, outcome._tag, look)
  if (outcome.value !== undefined) return byRefund(money, outcome.value, look)
  if (!maySend(money)) return { _tag: "Waiting", money, again: undefined }
  const { firstSentAt, sentAt, status, unfound: notFound } = money
  const rest = restsUntil(money)
  if (rest !== undefined) return { _tag: "Waiting", money, again: rest }
  // What it has taken, it does not lose; and what nobody sent is not waited for.
  if (status !== "requested" || sentAt === undefined) return inDoubt(money, "NotFound", look)
  const found = onNotFound({ sentAt, firstSentAt: firstSentAt ?? sentAt, notFound }, look)
  switch (found._tag) {
    case "Repeat":
      return found.isAlone || money.besides === undefined
        ? sendOrRest(money, found.isAlone, look)
        : later(money, look)
    case "TooOld":
      return later(awaitPerson(money, "unanswered", look.now), look)
    case "MayArrive":
      return later(money, look, found.until)
    case "Counted":
      return later(unfoundAgain(money, look.now), look, found.again)
    case "NeverArrived":
      return sendOrRest(money, true, look)
  }
}

/**
 * The PSP gave notice of what is over, a person ended what it did not tell of, or its end is some time ago: nothing moves
 * any more, but what contradicts it is recorded. So it is asked until it answers.
 */
const afterLookingBack = (
  money: Return,
  outcome: PspOutcome<PspRefund | undefined>,
  look: ReturnLook
): ReturnConclusion => {
  if (outcome._tag !== "Done") return { _tag: "Waiting", money, again: inVain(money, look) }
  const again = lookedAt(money, look)
  const reason = contradiction(money, outcome.value, look.now)
  if (reason === undefined) return { _tag: "Waiting", money, again }
  if (!isOver(money)) return { _tag: "Reopened", again }
  return { _tag: "Contradicted", money, again, by: { money, reason, known: outcome.value } }
}

/** Decides on a return as the PSP has it. */
const byRefund = (money: Return, known: PspRefund, look: ReturnLook): ReturnConclusion => {
  const { now } = look
  if (!isSame(money, known)) {
    const reason = isAnother(money, known) ? "reference_mismatch" : "amount_mismatch"
    return { ...later(money, look), _tag: "Contradicted", by: { money, reason, known } }
  }
  switch (known.status) {
    case "confirmed":
      return { _tag: "Ended", money: confirm(money, known, now) }
    case "rejected": {
      const rest = restsUntil(money)
      // While it rests, the PSP's refusal is the one that was counted; and so it is when a person has it.
      return rest === undefined && maySend(money)
        ? refused(money, known.rejection?.code ?? "unknown", true, now)
        : { _tag: "Waiting", money, again: rest }
    }
    case "processing": {
      if (money.status === "processing") return later(money, look)
      const taken = take(money, now)
      return { _tag: "Waiting", money: taken, again: nextLook(taken, now) }
    }
  }
}

/**
 * It was refused. `isKept`: the PSP has it, and will answer so for ever, so that the next try is a return of its own.
 * What the PSP would not even take is sent again as it is.
 */
const refused = (
  money: Return,
  code: string,
  isKept: boolean,
  now: DateTime.Utc
): ReturnConclusion => {
  const next = refuse(money, code, now)
  if (isOver(next)) return { _tag: "Ended", money: next }
  const again = restsUntil(next)
  return isKept && again !== undefined
    ? { _tag: "Replaced", money: next }
    : { _tag: "Waiting", money: next, again }
}

/** Looks again. One that should be over by now is shown to a person, once, and looked at all the same. */
const later = (money: Return, { now }: When, again = nextLook(money, now)) => ({
  _tag: "Waiting" as const,
  money: isOverdue(money, now) ? awaitPerson(money, "unanswered", now) : money,
  again
})

const inDoubt = (money: Return, doubt: string, look: When): ReturnConclusion => ({
  ...later(money, look),
  doubt
})

/** Another look at what is over, after one that learnt nothing. */
const inVain = (money: Return, look: When): DateTime.Utc =>
  look.isLate ? notTold(money, look) : waitingSince(money.updatedAt, look.now)

/** When the PSP is asked next. Telling it again does not begin the waits anew. */
const nextLook = (money: Return, now: DateTime.Utc): DateTime.Utc =>
  waitingSince(money.status === "processing" ? money.updatedAt : askedSince(money), now)
