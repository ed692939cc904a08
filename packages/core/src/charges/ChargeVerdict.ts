import { DateTime } from "effect"
import type { DiscrepancyReason } from "../discrepancies/Discrepancy.ts"
import { present } from "../kernel/Present.ts"
import { answersLag, waitingSince } from "../kernel/Waiting.ts"
import type { PspCharge, PspOutcome, PspPayment } from "../ports/Psp.ts"
import { lookedAt, notTold } from "../reconciliation/LateLooks.ts"
import { refuseCancel } from "./CancelWish.ts"
import type { Charge } from "./Charge.ts"
import { cancel, expire, giveUp, register, reject } from "./Charge.ts"
import type { Rescheduled, When, WhenAt } from "./ChargeSchedule.ts"
import {
  afterBooking,
  afterNotice,
  givenUpAt,
  isOver,
  lookAtPending,
  nextLook
} from "./ChargeSchedule.ts"
import { unbooked } from "./PaymentBooking.ts"

/**
 * What the PSP is asked.
 *
 * - `Ask`: for the charge; `afterCancel` is what it said before, to the order to take it back;
 * - `Cancel`: to take the charge back: as its time is over, its owner wants it cancelled or is closed, or because it ends
 *   unpaid by what is `known`, so that nobody pays it any more.
 */
export type ChargeQuestion =
  | {
      readonly _tag: "Ask"
      readonly afterCancel?: {
        readonly why: "over" | "wish"
        readonly outcome: PspOutcome<PspCharge>
      }
    }
  | { readonly _tag: "Cancel"; readonly why: "over" | "wish" | "closed" }
  | {
      readonly _tag: "Cancel"
      readonly why: "unpaid"
      readonly known: PspCharge | undefined
    }

type Asked = Extract<ChargeQuestion, { readonly _tag: "Ask" }>
type Cancelling = Extract<ChargeQuestion, { readonly _tag: "Cancel" }>

/** What is known when a verdict on a charge is due: nothing yet, or the answer to a question. */
export type ChargeAnswer =
  | { readonly _tag: "Due" }
  | {
      readonly _tag: "Found"
      readonly question: Asked
      readonly outcome: PspOutcome<PspCharge | undefined>
    }
  | {
      readonly _tag: "CancelSent"
      readonly question: Cancelling
      readonly outcome: PspOutcome<PspCharge>
    }

/**
 * What becomes of a charge, and when it is looked at again; at an undefined time: never.
 *
 * - `Booked`: somebody paid; `isLast` when nothing else is to be booked;
 * - `Ended`: nobody paid it: given up, cancelled or expired;
 * - `Waiting`: it stands as it did, but for what is noted; `doubt` is why nothing could be learnt;
 * - `Contradicted`: the PSP contradicts the payment that it was booked by.
 */
export type ChargeConclusion =
  | (Rescheduled & {
      readonly _tag: "Booked"
      readonly payment: PspPayment
      readonly isLast: boolean
    })
  | (Rescheduled & { readonly _tag: "Ended" })
  | (Rescheduled & { readonly _tag: "Waiting"; readonly doubt?: string })
  | (Rescheduled & {
      readonly _tag: "Contradicted"
      readonly reason: DiscrepancyReason
      readonly known: PspCharge | undefined
    })

export type ChargeVerdict = ChargeQuestion | ChargeConclusion

export const isQuestion = (verdict: ChargeVerdict): verdict is ChargeQuestion =>
  verdict._tag === "Ask" || verdict._tag === "Cancel"

export interface ChargeLook extends WhenAt {
  readonly askedAt: DateTime.Utc
  /** Since when its account or sub-account is closed, so that its wallet takes nothing any more. */
  readonly closedAt: DateTime.Utc | undefined
}

/** Decides what becomes of a charge by what is known of it. */
export const decide = (charge: Charge, answer: ChargeAnswer, look: ChargeLook): ChargeVerdict => {
  switch (answer._tag) {
    case "Due":
      return isDeadline(look) &&
        look.closedAt === undefined &&
        isOver(charge, look.now, look.capabilities)
        ? { _tag: "Cancel", why: "over" }
        : { _tag: "Ask" }
    case "Found":
      return afterAsking(charge, answer.question, answer.outcome, look)
    case "CancelSent":
      return afterCancelling(charge, answer.question, answer.outcome, look)
  }
}

/** Nothing is learnt: its PSP is not configured any more, or did not answer, and `doubt` is how. */
export const unlearnt = (charge: Charge, when: When, doubt?: string): ChargeConclusion => ({
  _tag: "Waiting",
  charge,
  again: when.isLate ? notTold(charge, when) : nextLook(charge, when),
  ...present({ doubt })
})

/** What became of an intent by the PSP's answer; undefined where that is not known. */
export const afterCreating = (
  intent: Charge,
  outcome: PspOutcome<PspCharge>,
  now: DateTime.Utc
): Charge | undefined => {
  switch (outcome._tag) {
    case "Done":
      return register(intent, outcome.value, now)
    case "Rejected":
      return reject(intent, outcome.code, now)
    case "NotNow":
    case "NotSent":
    case "Unknown":
      return undefined
  }
}

/**
 * What became of the wish to cancel, when the PSP was told of it and asked then; undefined where that is not known.
 * Only the answer to the question decides, but for payments that the first shows and the second does not yet.
 */
export const afterWish = (
  charge: Charge,
  cancelled: PspOutcome<PspCharge>,
  asked: PspOutcome<PspCharge | undefined>,
  when: WhenAt
): ChargeConclusion | undefined => {
  const known = asked._tag === "Done" ? shownByEither(cancelled, asked.value) : undefined
  const booked = bookedOf(charge, known, when)
  if (booked !== undefined) return booked
  if (asked._tag !== "Done") return undefined
  const { now } = when
  // It can do no more: it has removed it, or takes it for paid by what was given back for its amount.
  if (known === undefined || known.status === "removed" || isPaid(known))
    return ended(cancel(charge, now))
  if (cancelled._tag !== "Rejected") return undefined
  const again = lookAtPending(charge, when.capabilities, now)
  return { _tag: "Waiting", charge: refuseCancel(charge, cancelled.code, now), again }
}

const isPaid = ({ payments, status }: PspCharge): boolean =>
  status === "paid" && payments.length > 0

/** Whether it is looked at because its time has come. */
const isDeadline = ({ isLate, isNotice }: When): boolean => !isLate && !isNotice

const afterAsking = (
  charge: Charge,
  { afterCancel }: Asked,
  outcome: PspOutcome<PspCharge | undefined>,
  look: ChargeLook
): ChargeVerdict => {
  if (afterCancel?.why === "wish") {
    const conclusion = afterWish(charge, afterCancel.outcome, outcome, look)
    return conclusion ?? { _tag: "Waiting", charge, again: nextLook(charge, look) }
  }
  if (outcome._tag !== "Done") return unlearnt(charge, look, outcome._tag)
  // The answer to the question decides, but it may be the older one: a payment that either shows was made.
  return afterCancel === undefined
    ? byCharge(charge, outcome.value, false, look)
    : byCharge(charge, shownByEither(afterCancel.outcome, outcome.value), true, look)
}

const afterCancelling = (
  charge: Charge,
  question: Cancelling,
  outcome: PspOutcome<PspCharge>,
  look: ChargeLook
): ChargeVerdict => {
  const { now } = look
  switch (question.why) {
    case "over":
    case "wish":
      // Where its time is over, and it is removed and shows no payment, that is the answer (decision 0094).
      return question.why === "over" &&
        outcome._tag === "Done" &&
        outcome.value.status === "removed" &&
        outcome.value.payments.length === 0
        ? byCharge(charge, outcome.value, true, look)
        : { _tag: "Ask", afterCancel: { why: question.why, outcome } }
    case "closed": {
      // It is cancelled only when nobody can pay it any more.
      if (outcome._tag !== "Done" && outcome._tag !== "Rejected") {
        const again = waitingSince(look.closedAt ?? charge.updatedAt, now)
        return { _tag: "Waiting", charge, again }
      }
      const known = outcome._tag === "Done" ? outcome.value : undefined
      return bookedOf(charge, known, look) ?? ended(cancel(charge, now))
    }
    case "unpaid":
      // A payment that shows only now was made. If the PSP does not take the charge back, a late one is returned all the same.
      return (
        bookedOf(charge, shownByEither(outcome, question.known), look) ??
        endedUnpaid(charge, question.known, look)
      )
  }
}

/** Decides on a charge as the PSP has it; `isTakenBack` when it was told before that its time is over. */
const byCharge = (
  charge: Charge,
  known: PspCharge | undefined,
  isTakenBack: boolean,
  look: ChargeLook
): ChargeVerdict => {
  const booked = bookedOf(charge, known, look)
  if (booked !== undefined) return booked
  switch (charge.status) {
    case "creating":
      return isDeadline(look) ? intent(charge, known, look) : unchanged(charge, known, look)
    case "pending":
      return pending(charge, known, isTakenBack, look)
    case "completed":
    case "expired":
    case "cancelled":
    case "failed": {
      const heard = unchanged(charge, known, look)
      const reason = isDeadline(look) ? undefined : contradiction(charge, known, look.now)
      // A notice of what contradicts the booking may tell of a further payment all the same.
      return reason === undefined ? heard : { ...heard, _tag: "Contradicted", reason, known }
    }
  }
}

/** One that somebody can still go on with, or that may still appear at the PSP, is kept. */
const intent = (charge: Charge, known: PspCharge | undefined, look: ChargeLook): ChargeVerdict => {
  // The key of a closed account or sub-account opens nothing any more.
  const hasKey = charge.idempotencyKey !== undefined && look.closedAt === undefined
  const final = givenUpAt(charge, look.capabilities, hasKey)
  const isKept = hasKey || known === undefined
  if (isKept && DateTime.isLessThan(look.askedAt, final))
    return { _tag: "Waiting", charge, again: final }
  return known === undefined
    ? endedUnpaid(charge, known, look)
    : { _tag: "Cancel", why: "unpaid", known }
}

const pending = (
  charge: Charge,
  known: PspCharge | undefined,
  isTakenBack: boolean,
  look: ChargeLook
): ChargeVerdict => {
  if (look.closedAt !== undefined) return { _tag: "Cancel", why: "closed" }
  if (isOver(charge, look.askedAt, look.capabilities))
    return isTakenBack ? endedUnpaid(charge, known, look) : { _tag: "Cancel", why: "unpaid", known }
  if (charge.cancelRequestedAt !== undefined && isDeadline(look))
    return { _tag: "Cancel", why: "wish" }
  return look.isNotice
    ? unchanged(charge, known, look)
    : { _tag: "Waiting", charge, again: lookAtPending(charge, look.capabilities, look.now) }
}

/** Nothing that the PSP shows is left to be done. */
const unchanged = (
  charge: Charge,
  known: PspCharge | undefined,
  look: ChargeLook
): ChargeConclusion =>
  look.isNotice
    ? { _tag: "Waiting", ...afterNotice(charge, known, look) }
    : { _tag: "Waiting", charge, again: lookedAt(charge, look) }

/** A charge whose time has come, as far as the PSP tells; and an intent that nobody was ever told about. */
const endedUnpaid = (
  charge: Charge,
  known: PspCharge | undefined,
  look: ChargeLook
): ChargeConclusion => {
  if (charge.status === "creating") return ended(giveUp(charge, look.now))
  const expired = expire(charge, look.now)
  return look.isNotice ? { _tag: "Ended", ...afterNotice(expired, known, look) } : ended(expired)
}

const ended = (charge: Charge): ChargeConclusion => ({ _tag: "Ended", charge, again: undefined })

/** Books the oldest payment that is not booked yet; undefined where there is none. */
const bookedOf = (
  charge: Charge,
  known: PspCharge | undefined,
  when: When
): ChargeConclusion | undefined => {
  const [payment, ...more] = unbooked(charge, known?.payments ?? [])
  if (known === undefined || payment === undefined) return undefined
  // A payment of a charge whose create was never answered: it was registered at the PSP all the same.
  const payable = charge.status === "creating" ? register(charge, known, when.now) : charge
  return {
    _tag: "Booked",
    charge: payable,
    payment,
    // A late look goes on: who paid once so late may do so again.
    isLast: more.length === 0 && !when.isLate,
    again: afterBooking(payable, when)
  }
}

/** What a PSP shows by the answer to a question, or by the one to the order before it. */
const shownByEither = (
  cancelled: PspOutcome<PspCharge>,
  known: PspCharge | undefined
): PspCharge | undefined => {
  if (cancelled._tag !== "Done" || cancelled.value.payments.length === 0) return known
  if (known === undefined) return cancelled.value
  const shown = new Set(known.payments.map(({ endToEndId }) => endToEndId))
  const others = cancelled.value.payments.filter(({ endToEndId }) => !shown.has(endToEndId))
  return { ...known, payments: [...known.payments, ...others] }
}

/**
 * How a PSP contradicts the payment that a charge was booked by: it does not know it any more, or knows another amount.
 * Undefined where it does not, or where nothing was booked.
 */
const contradiction = (
  { amount, e2eId, updatedAt }: Charge,
  known: PspCharge | undefined,
  now: DateTime.Utc
): DiscrepancyReason | undefined => {
  if (e2eId === undefined) return undefined
  const payment = (known?.payments ?? []).find(({ endToEndId }) => endToEndId === e2eId)
  if (payment !== undefined) return payment.amount === amount ? undefined : "amount_mismatch"
  const mayLag = DateTime.isLessThan(now, DateTime.addDuration(updatedAt, answersLag))
  return mayLag ? undefined : "payment_gone"
}
