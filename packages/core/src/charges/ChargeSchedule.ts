import { DateTime, Duration } from "effect"
import type { WaitBounds } from "../kernel/Waiting.ts"
import { answersLag, waitingSince } from "../kernel/Waiting.ts"
import type { PspCapabilities, PspCharge } from "../ports/Psp.ts"
import { arrivesBy } from "../reconciliation/Requests.ts"
import type { Charge } from "./Charge.ts"
import { announce, announcedSince, isDue } from "./Charge.ts"

/** When a charge is looked at, and why: at its time, by a notice of its PSP, or late. */
export interface When {
  readonly now: DateTime.Utc
  readonly isLate: boolean
  readonly isNotice: boolean
  /** When the look was due; a notice came then. */
  readonly due: DateTime.Utc
}

/** The same at a PSP. */
export interface WhenAt extends When {
  readonly capabilities: PspCapabilities
}

/** What is noted of a charge, and when it is looked at again; at an undefined time: never. */
export interface Rescheduled {
  readonly charge: Charge
  readonly again: DateTime.Utc | undefined
}

type Lagging = Pick<PspCapabilities, "settlementLag">

/** How long a notice is believed to announce a payment that the PSP does not show. */
const noticeMax = Duration.days(1)
const noticeWaits: WaitBounds = { minimum: Duration.seconds(2), maximum: noticeMax }

/** From when on a charge that is still unpaid at the PSP stays so. */
const endAtPsp = (charge: Charge, psp: Lagging): DateTime.Utc =>
  DateTime.addDuration(charge.expiresAt, psp.settlementLag)

/** Whether its time was over at the PSP too. Payments made in time may still be settling there before. */
export const isOver = (charge: Charge, at: DateTime.Utc, psp: Lagging): boolean =>
  isDue(charge, DateTime.subtractDuration(at, psp.settlementLag))

/** When a pending charge is first asked about that nobody told of, and how its age grows from one look to the next. */
const firstLook = Duration.minutes(5)
const growth = 4

/**
 * The next look at a pending charge before its end: the PSP's notice of its payment can be lost for good. At the ages
 * of 5, 20, 80, 320 and 1,280 minutes, so that a charge of a day costs five questions more (decision 0052).
 */
export const lookBetween = (charge: Charge, now: DateTime.Utc): DateTime.Utc => {
  const age = Duration.times(DateTime.distance(charge.createdAt, now), growth)
  const next = DateTime.addDuration(charge.createdAt, Duration.max(firstLook, age))
  return DateTime.min(charge.expiresAt, next)
}

/** When a pending charge is asked about next, or for the last time. */
export const lookAtPending = (charge: Charge, psp: Lagging, now: DateTime.Utc): DateTime.Utc => {
  const between = lookBetween(charge, now)
  return DateTime.isLessThan(between, charge.expiresAt) ? between : endAtPsp(charge, psp)
}

/**
 * From when on an intent leads nowhere: the PSP will not find it any more, and whoever has its key cannot make it
 * a charge that can be paid. It is asked for in the request that writes the intent.
 */
export const givenUpAt = (charge: Charge, psp: PspCapabilities, hasKey: boolean): DateTime.Utc => {
  const unfoundIsFinal = arrivesBy(charge.createdAt, psp, Duration.zero)
  return hasKey ? DateTime.max(unfoundIsFinal, charge.expiresAt) : unfoundIsFinal
}

/** When the PSP is asked again that did not answer. */
export const nextLook = (charge: Charge, { isNotice, now }: When): DateTime.Utc => {
  const isPending = charge.status === "pending"
  // Nobody waits for an answer before its end, so it is not asked for more often. A notice tells that somebody paid.
  if (
    isPending &&
    !isNotice &&
    charge.cancelRequestedAt === undefined &&
    DateTime.isLessThan(now, charge.expiresAt)
  )
    return lookBetween(charge, now)
  const since = DateTime.isLessThan(now, charge.expiresAt) ? charge.createdAt : charge.expiresAt
  return waitingSince(charge.cancelRequestedAt ?? (isPending ? since : charge.updatedAt), now)
}

/**
 * What becomes of a notice when the PSP shows no payment that is not booked. It may show one later: what it answers can
 * be older than what it tells. While no payment is known at all, somebody waits: it is asked again for a day from the first
 * such notice, at waits that grow by half (decision 0052); a notice after that begins another day.
 */
export const afterNotice = (
  charge: Charge,
  known: PspCharge | undefined,
  when: WhenAt
): Rescheduled => {
  if (charge.e2eId !== undefined || (known?.payments ?? []).length > 0)
    return afterFurtherNotice(charge, when)
  const { now } = when
  const announced = announce(charge, now, noticeMax)
  const since = announced.announcedAt ?? now
  const next = waitingSince(since, now, noticeWaits)
  const isLast = DateTime.isGreaterThan(next, DateTime.addDuration(since, noticeMax))
  return { charge: announced, again: isLast ? undefined : next }
}

/** When a PSP is asked again about a notice that may be of a further payment, and how its age grows until the next time. */
const furtherFirst = Duration.minutes(1)
const furtherGrowth = 8

/** How much later than its notice a payment may show that is made after its charge's end. */
const patienceWith = ({ settlementLag }: Lagging): Duration.Duration =>
  Duration.max(settlementLag, answersLag)

/** By when the PSP shows all that it gives notice of from `since` on, and for as long again as that may lag. */
const furtherEnd = (charge: Charge, psp: Lagging, since: DateTime.Utc): DateTime.Utc =>
  DateTime.max(
    endAtPsp(charge, psp),
    DateTime.addDuration(since, Duration.times(patienceWith(psp), 2))
  )

/**
 * What becomes of a notice when all that the PSP shows is booked: it repeats one that was heeded, or tells of a further
 * payment that does not show yet. The PSP is asked again until it would show that (decision 0098).
 */
const afterFurtherNotice = (charge: Charge, when: WhenAt): Rescheduled => {
  const { capabilities: psp, now } = when
  const since = askedSince(charge, when)
  const end = furtherEnd(charge, psp, since)
  if (DateTime.isGreaterThanOrEqualTo(now, end)) return { charge, again: undefined }
  return { charge: announcedSince(charge, since), again: furtherLook(since, end, psp, now) }
}

/**
 * Since when it is asked about a notice, which came when its job was due, if that is not one of the questions
 * themselves. Those about an earlier notice serve it too, if the last of them comes late enough for its payment to show.
 */
const askedSince = (charge: Charge, { capabilities: psp, due }: WhenAt): DateTime.Utc => {
  const { announcedAt } = charge
  if (announcedAt === undefined) return due
  const end = furtherEnd(charge, psp, announcedAt)
  const isLastQuestion = DateTime.Equivalence(due, end)
  return isLastQuestion || !DateTime.isGreaterThan(due, servedUntil(end, psp)) ? announcedAt : due
}

/** What is noticed after that may show only after the last question. */
const servedUntil = (end: DateTime.Utc, psp: Lagging): DateTime.Utc =>
  DateTime.subtractDuration(end, patienceWith(psp))

const furtherLook = (
  since: DateTime.Utc,
  end: DateTime.Utc,
  psp: Lagging,
  now: DateTime.Utc
): DateTime.Utc => {
  let age = furtherFirst
  while (!DateTime.isGreaterThan(DateTime.addDuration(since, age), now))
    age = Duration.times(age, furtherGrowth)
  const next = DateTime.addDuration(since, age)
  // Between the two there is none, so that whatever is due there is a notice.
  return DateTime.isGreaterThan(next, servedUntil(end, psp)) ? end : next
}

/**
 * When a charge is looked at again that is booked. What was announced before it showed may have been more than one
 * payment, so a notice of that is asked about once more, and then like any that shows nothing new.
 */
export const afterBooking = (
  { announcedAt }: Charge,
  { isNotice, now }: When
): DateTime.Utc | undefined =>
  isNotice && announcedAt !== undefined ? DateTime.addDuration(now, furtherFirst) : undefined
