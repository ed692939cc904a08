import type { Claim, JobRef, LeaseToken, Uuid } from "@pagora/core"
import { Storage, StorageDriver } from "@pagora/core"
import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { commit, newId } from "./StorageLaws.ts"

let eras = 0

/**
 * A time of its own for the jobs of one law, earlier than that of every law before: what is left of theirs is
 * not due yet, so it is neither claimed nor next.
 */
export const anEra = (): ((seconds: number) => DateTime.Utc) => {
  const beginning = Date.UTC(2001, 1, 3, 4, 5, 6, 789) - ++eras * 86_400_000
  return (seconds) => DateTime.makeUnsafe(beginning + seconds * 1_000)
}

export interface Scheduled extends JobRef {
  readonly group: Uuid
  readonly due: DateTime.Utc
}

/** A job in line, in a group of its own unless told otherwise. It is cancelled when the law ends. */
export const aJob = Effect.fnUntraced(function* (
  due: DateTime.Utc,
  parts: Partial<Omit<Scheduled, "due">> = {}
) {
  const job: Scheduled = { queue: "charge", id: newId(), group: newId(), due, ...parts }
  const { id, queue } = job
  yield* Effect.addFinalizer(() => Effect.ignore(commit({ jobs: [{ _tag: "Cancel", queue, id }] })))
  yield* schedule(job)
  return job
})

export const schedule = (job: Scheduled) => commit({ jobs: [{ _tag: "Schedule", ...job }] })

/** Claims all that is due, for a minute, unless told otherwise. */
export const claim = (
  now: DateTime.Utc,
  parts: Partial<Omit<Claim, "now">> = {}
): Effect.Effect<
  ReadonlyArray<{ readonly id: Uuid; readonly token: LeaseToken }>,
  unknown,
  Storage
> =>
  Storage.use((storage) =>
    storage.claim({
      queue: "charge",
      now,
      lease: Duration.minutes(1),
      max: 1_000,
      perGroup: 1_000,
      token: newId(),
      ...parts
    })
  )

/** Waits until the clock of the storage has gone on so far. */
export const pass = Effect.fnUntraced(function* (duration: Duration.Duration) {
  const { clock } = yield* StorageDriver
  const end = DateTime.addDuration(yield* clock, duration)
  yield* Effect.repeat(Effect.andThen(Effect.sleep("5 millis"), clock), {
    until: (now) => DateTime.isGreaterThanOrEqualTo(now, end)
  })
})

/** A job that somebody holds, and the token it is held by. */
export const aHeldJob = Effect.fnUntraced(function* () {
  const due = anEra()(0)
  const { id, queue } = yield* aJob(due, { queue: "inbox" })
  const claimed = yield* claim(due, { queue })
  const { token } = claimed.find((job) => job.id === id) ?? assert.fail("A due job is not claimed.")
  const job: JobRef = { queue, id }
  return { job, token }
})

export const idsOf = (jobs: ReadonlyArray<{ readonly id: Uuid }>): ReadonlyArray<Uuid> =>
  jobs.map((job) => job.id)
