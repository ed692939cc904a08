import { Storage } from "@pagora/core"
import { Effect } from "effect"
import { law } from "./StorageJobLaws.ts"
import { aJob, claim } from "./StorageJobs.ts"
import type { StorageLaw } from "./StorageLaws.ts"
import { assertSame, newId } from "./StorageLaws.ts"

/** Whose work waits longest. */
export const headLaws: ReadonlyArray<StorageLaw> = [
  law("the heads of groups are their oldest due jobs, those that wait longest first", (era) =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const [one, other, third] = [newId(), newId(), newId()]
      yield* aJob(era(5), { group: one })
      yield* aJob(era(3), { group: other })
      yield* aJob(era(2), { group: one, queue: "inbox" })
      yield* aJob(era(7), { group: third })
      yield* aJob(era(9), { group: newId() })
      yield* aJob(era(1), { group: newId(), queue: "payout" })
      const heads = storage.heads({ queues: ["charge", "inbox"], now: era(8), limit: 9 })
      const oldest = { group: one, due: era(2) }
      assertSame(yield* heads, [
        oldest,
        { group: other, due: era(3) },
        { group: third, due: era(7) }
      ])
      const two = yield* storage.heads({ queues: ["charge", "inbox"], now: era(8), limit: 2 })
      assertSame(two, [oldest, { group: other, due: era(3) }])
      assertSame(yield* storage.heads({ queues: ["charge"], now: era(2), limit: 9 }), [])
    })
  ),
  law("what somebody holds is the head of no group", (era) =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const group = newId()
      yield* aJob(era(1), { group })
      const heads = storage.heads({ queues: ["charge"], now: era(9), limit: 9 })
      yield* aJob(era(2), { group })
      assertSame(yield* heads, [{ group, due: era(1) }])
      yield* claim(era(9), { max: 1 })
      assertSame(yield* heads, [{ group, due: era(2) }])
      yield* claim(era(9), { max: 1 })
      assertSame(yield* heads, [])
    })
  )
]
