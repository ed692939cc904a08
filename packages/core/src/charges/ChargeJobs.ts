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
export const endAtPsp = (charge: Charge, psp: PspShape): DateTime.Utc =>
  DateTime.addDuration(charge.expiresAt, psp.capabilities.settlementLag)

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

export const nextLook = (charge: Charge, now: DateTime.Utc): DateTime.Utc =>
  waitingSince(
    charge.cancelRequestedAt ?? (charge.status === "pending" ? charge.expiresAt : charge.updatedAt),
    now
  )

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
