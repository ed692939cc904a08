import { DateTime, Duration } from "effect"
import type { WaitBounds } from "../kernel/Waiting.ts"
import { answersLag, waitingSince } from "../kernel/Waiting.ts"
import type { PspCharge, PspShape } from "../ports/Psp.ts"
import { pspDeadline } from "../psp-calls/PspCall.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import type { JobWrite } from "../units/Unit.ts"
import { finish, retry } from "../jobs/JobSteps.ts"
import type { Charge } from "./Charge.ts"
import { announce, announcedSince } from "./Charge.ts"

/** How long a notice is believed to announce a payment that the PSP does not show. */
const noticeMax = Duration.days(1)
const noticeWaits: WaitBounds = { minimum: Duration.seconds(2), maximum: noticeMax }

/** From when on a charge that is still unpaid at the PSP stays so. */
const endAtPsp = (charge: Charge, psp: PspShape): DateTime.Utc =>
  DateTime.addDuration(charge.expiresAt, psp.capabilities.settlementLag)

/** When a pending charge is first asked about that nobody told of, and how its age grows from one look to the next. */
const firstLook = Duration.minutes(5)
const growth = 4

/**
 * The next look at a pending charge before its end: the PSP's notice of its payment can be lost for good. At the ages
 * of 5, 20, 80, 320 and 1,280 minutes, so that a charge of a day costs five questions more (decision 0055).
 */
export const lookBetween = (charge: Charge, now: DateTime.Utc): DateTime.Utc => {
  const age = Duration.times(DateTime.distance(charge.createdAt, now), growth)
  const next = DateTime.addDuration(charge.createdAt, Duration.max(firstLook, age))
  return DateTime.min(charge.expiresAt, next)
}

/** When a pending charge is asked about next, or for the last time. */
export const lookAtPending = (charge: Charge, psp: PspShape, now: DateTime.Utc): DateTime.Utc => {
  const between = lookBetween(charge, now)
  return DateTime.isLessThan(between, charge.expiresAt) ? between : endAtPsp(charge, psp)
}

/**
 * From when on an intent leads nowhere: the PSP will not find it any more, and whoever has its key cannot make it
 * a charge that can be paid.
 */
export const givenUpAt = (charge: Charge, psp: PspShape, hasKey: boolean): DateTime.Utc => {
  const unfoundIsFinal = DateTime.addDuration(
    charge.createdAt,
    Duration.sum(Duration.fromInputUnsafe(pspDeadline), psp.capabilities.notFoundIsFinalAfter)
  )
  return hasKey ? DateTime.max(unfoundIsFinal, charge.expiresAt) : unfoundIsFinal
}

/** When the PSP is asked again that did not answer. */
export const nextLook = (job: Claimed, charge: Charge, now: DateTime.Utc): DateTime.Utc => {
  const isPending = charge.status === "pending"
  // Nobody waits for an answer before its end, so it is not asked for more often. A notice tells that somebody paid.
  if (
    isPending &&
    job.queue !== "inbox" &&
    charge.cancelRequestedAt === undefined &&
    DateTime.isLessThan(now, charge.expiresAt)
  )
    return lookBetween(charge, now)
  const since = DateTime.isLessThan(now, charge.expiresAt) ? charge.createdAt : charge.expiresAt
  return waitingSince(charge.cancelRequestedAt ?? (isPending ? since : charge.updatedAt), now)
}

/** A charge that has come to its end needs no deadline any more either. */
export const endOf = (job: Claimed): ReadonlyArray<JobWrite> =>
  job.queue === "charge"
    ? [finish(job)]
    : [finish(job), { _tag: "Cancel", queue: "charge", id: job.id }]

/** What becomes of a notice: what is noted of it, and its job. */
interface Heeded {
  readonly charge: Charge
  readonly job: JobWrite
}

/**
 * What becomes of a notice when the PSP shows no payment that is not booked. It may show one later: what it answers can
 * be older than what it tells. While no payment is known at all, somebody waits: it is asked again for a day from the first
 * such notice, at waits that grow by half (decision 0055); a notice after that begins another day.
 */
export const afterNotice = (
  job: Claimed,
  charge: Charge,
  { known, psp }: { readonly known: PspCharge | undefined; readonly psp: PspShape },
  now: DateTime.Utc
): Heeded => {
  if (charge.e2eId !== undefined || (known?.payments ?? []).length > 0)
    return afterFurtherNotice(job, charge, psp, now)
  const announced = announce(charge, now, noticeMax)
  const since = announced.announcedAt ?? now
  const next = waitingSince(since, now, noticeWaits)
  const isLast = DateTime.isGreaterThan(next, DateTime.addDuration(since, noticeMax))
  return { charge: announced, job: isLast ? finish(job) : retry(job, next) }
}

/** When a PSP is asked again about a notice that may be of a further payment, and how its age grows until the next time. */
const furtherFirst = Duration.minutes(1)
const furtherGrowth = 8

/** How much later than its notice a payment may show that is made after its charge's end. */
const patienceWith = ({ capabilities }: PspShape): Duration.Duration =>
  Duration.max(capabilities.settlementLag, answersLag)

/** By when the PSP shows all that it gives notice of from `since` on, and for as long again as that may lag. */
const furtherEnd = (charge: Charge, psp: PspShape, since: DateTime.Utc): DateTime.Utc =>
  DateTime.max(
    endAtPsp(charge, psp),
    DateTime.addDuration(since, Duration.times(patienceWith(psp), 2))
  )

/**
 * What becomes of a notice when all that the PSP shows is booked: it repeats one that was heeded, or tells of a further
 * payment that does not show yet. The PSP is asked again until it would show that (decision 0107).
 */
const afterFurtherNotice = (
  job: Claimed,
  charge: Charge,
  psp: PspShape,
  now: DateTime.Utc
): Heeded => {
  const since = askedSince(job, charge, psp)
  const end = furtherEnd(charge, psp, since)
  if (DateTime.isGreaterThanOrEqualTo(now, end)) return { charge, job: finish(job) }
  return {
    charge: announcedSince(charge, since),
    job: retry(job, furtherLook(since, end, psp, now))
  }
}

/**
 * Since when it is asked about the notice of a job, which came when the job was due, if that is not one of the questions
 * themselves. Those about an earlier notice serve it too, if the last of them comes late enough for its payment to show.
 */
const askedSince = ({ due }: Claimed, charge: Charge, psp: PspShape): DateTime.Utc => {
  const { announcedAt } = charge
  if (announcedAt === undefined) return due
  const end = furtherEnd(charge, psp, announcedAt)
  const isLastQuestion = DateTime.Equivalence(due, end)
  return isLastQuestion || !DateTime.isGreaterThan(due, servedUntil(end, psp)) ? announcedAt : due
}

/** What is noticed after that may show only after the last question. */
const servedUntil = (end: DateTime.Utc, psp: PspShape): DateTime.Utc =>
  DateTime.subtractDuration(end, patienceWith(psp))

const furtherLook = (
  since: DateTime.Utc,
  end: DateTime.Utc,
  psp: PspShape,
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
 * The jobs of a charge that is booked and needs no deadline any more. What was announced before it showed may have been
 * more than one payment, so a notice of that is asked about once more, and then like any that shows nothing new.
 */
export const endOfBooked = (
  job: Claimed,
  charge: Charge,
  now: DateTime.Utc
): ReadonlyArray<JobWrite> =>
  job.queue === "inbox" && charge.announcedAt !== undefined
    ? [
        retry(job, DateTime.addDuration(now, furtherFirst)),
        { _tag: "Cancel", queue: "charge", id: job.id }
      ]
    : endOf(job)
