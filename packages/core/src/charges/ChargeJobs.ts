import { DateTime, Duration } from "effect"
import { waitingSince } from "../kernel/Waiting.ts"
import type { PspCharge, PspShape } from "../ports/Psp.ts"
import { pspDeadline } from "../ports/PspCall.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import type { JobWrite } from "../ports/Unit.ts"
import { finish, retry } from "../workers/JobSteps.ts"
import type { Charge } from "./Charge.ts"

/** How long a notice is believed to announce a payment that the PSP does not show. */
const noticeMax = Duration.days(1)

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
export const nextLook = (charge: Charge, now: DateTime.Utc): DateTime.Utc => {
  const isPending = charge.status === "pending"
  // Nobody waits for an answer before its end, so it is not asked for more often.
  if (
    isPending &&
    charge.cancelRequestedAt === undefined &&
    DateTime.isLessThan(now, charge.expiresAt)
  )
    return lookBetween(charge, now)
  return waitingSince(
    charge.cancelRequestedAt ?? (isPending ? charge.expiresAt : charge.updatedAt),
    now
  )
}

/** A charge that has come to its end needs no deadline any more either. */
export const endOf = (job: Claimed): ReadonlyArray<JobWrite> =>
  job.queue === "charge"
    ? [finish(job)]
    : [finish(job), { _tag: "Cancel", queue: "charge", id: job.id }]

/**
 * What becomes of a notice when the PSP shows no payment. It may show one later: what it answers can be older than
 * what it tells. So it is asked again for a day, at growing waits.
 */
export const afterNotice = (
  job: Claimed,
  charge: Charge,
  known: PspCharge | undefined,
  now: DateTime.Utc
): JobWrite => {
  const isPending = charge.status === "pending"
  const since = isPending ? charge.createdAt : charge.updatedAt
  const isStale = DateTime.isLessThan(DateTime.addDuration(since, noticeMax), now)
  const isBooked = charge.status === "completed" || (known?.payments ?? []).length > 0
  return isBooked || (isStale && !isPending) ? finish(job) : retry(job, waitingSince(since, now))
}
