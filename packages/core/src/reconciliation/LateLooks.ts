import { DateTime, Duration } from "effect"
import type { AccountId, Uuid } from "../kernel/Ids.ts"
import { waitingSince } from "../kernel/Waiting.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import type { JobWrite } from "../units/Unit.ts"

/** How long after its end the PSP is asked again about what could still change there (decision 0069). */
const lateLooks = [Duration.hours(1), Duration.hours(24), Duration.days(7)] as const

/** How long to wait for a PSP that does not answer a late look: half of the time since the end, between these. */
const unanswered = { minimum: Duration.minutes(5), maximum: Duration.days(7) } as const

/** When something is looked at, and whether that is a late look. */
interface When {
  readonly now: DateTime.Utc
  readonly isLate: boolean
}

/** What has come to its end, and when. */
interface Ended {
  readonly id: Uuid
  readonly account: AccountId
  readonly updatedAt: DateTime.Utc
}

const nextOf = (end: DateTime.Utc, now: DateTime.Utc): DateTime.Utc | undefined =>
  lateLooks
    .map((after) => DateTime.addDuration(end, after))
    .find((due) => DateTime.isGreaterThan(due, now))

/** Whether a job is a late look, and no question of somebody who waits. */
export const isLateLook = ({ queue }: Pick<Claimed, "queue">): boolean => queue === "reconciliation"

/** The first look at what has just ended. To be written in the unit that ends it. */
export const watchEnd = ({ account, id, updatedAt }: Ended): JobWrite => ({
  _tag: "Schedule",
  queue: "reconciliation",
  id,
  group: account,
  due: nextOf(updatedAt, updatedAt) ?? updatedAt
})

/** When what has ended is looked at again, now that the PSP has answered. */
export const lookedAt = (
  { updatedAt }: Pick<Ended, "updatedAt">,
  { isLate, now }: When
): DateTime.Utc | undefined => (isLate ? nextOf(updatedAt, now) : undefined)

/** The PSP did not answer a late look. It is asked until it does, and less and less often. */
export const notTold = (
  { updatedAt }: Pick<Ended, "updatedAt">,
  { now }: Pick<When, "now">
): DateTime.Utc => waitingSince(updatedAt, now, unanswered)
