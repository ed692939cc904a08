import type { DateTime } from "effect"
import type { AccountId, Uuid } from "../kernel/Ids.ts"
import type { JobWrite } from "../units/Unit.ts"

/** What waits for a person, or does not: its id, whose it is, and since when. */
interface Awaiting {
  readonly id: Uuid
  readonly account: AccountId
  readonly since: DateTime.Utc | undefined
}

/**
 * Puts what begins to wait for a person in the line `review`, and takes out what has been decided. To be written in the
 * unit that changes it, so that the line is never longer or shorter than what waits (decision 0041).
 */
export const reviewJobs = (
  before: DateTime.Utc | undefined,
  { account, id, since }: Awaiting
): ReadonlyArray<JobWrite> => {
  if (before === undefined && since !== undefined) {
    return [{ _tag: "Schedule", queue: "review", id, group: account, due: since }]
  }
  return before !== undefined && since === undefined ? [outOfLine(id)] : []
}

/** Takes it out of the line, where it is there. */
export const outOfLine = (id: Uuid): JobWrite => ({ _tag: "Cancel", queue: "review", id })
