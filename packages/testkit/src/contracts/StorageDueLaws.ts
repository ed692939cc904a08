import { Storage } from "@pagora/core"
import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { law } from "./StorageJobLaws.ts"
import { aJob, claim, idsOf } from "./StorageJobs.ts"
import type { StorageLaw } from "./StorageLaws.ts"
import { assertSame, commit } from "./StorageLaws.ts"

const nextDue = Storage.use((storage) => storage.nextDue(["charge"]))

export const dueLaws: ReadonlyArray<StorageLaw> = [
  law("what is due between two milliseconds is due at the first of them", (era) =>
    Effect.gen(function* () {
      const due = DateTime.addDuration(era(10), Duration.millis(0.75))
      const { id } = yield* aJob(due)
      assertSame(yield* nextDue, era(10))
      assert.deepStrictEqual(idsOf(yield* claim(era(10))), [id])
    })
  ),
  law("what is due next is the earliest job that nobody holds, of the queues asked about", (era) =>
    Effect.gen(function* () {
      const storage = yield* Storage
      yield* aJob(era(20))
      const first = yield* aJob(era(10))
      yield* aJob(era(30))
      yield* aJob(era(5), { queue: "inbox" })
      assertSame(yield* nextDue, era(10))
      assertSame(yield* storage.nextDue(["charge", "inbox"]), era(5))
      const [claimed] = yield* claim(era(10))
      assert.isDefined(claimed)
      assertSame(yield* nextDue, era(20))
      const { id, queue } = first
      yield* commit({ jobs: [{ _tag: "Retry", queue, id, token: claimed.token, due: era(15) }] })
      assertSame(yield* nextDue, era(15))
      assert.isUndefined(yield* storage.nextDue([]))
    })
  )
]
