import { LeaseLost, MergedUnit, Storage, StorageDriver } from "@pagora/core"
import type { JobWrite, LeaseToken, Uuid } from "@pagora/core"
import { assert } from "@effect/vitest"
import type { DateTime } from "effect"
import { Duration, Effect } from "effect"
import { law } from "./StorageJobLaws.ts"
import { claim, idsOf, pass } from "./StorageJobs.ts"
import type { StorageLaw } from "./StorageLaws.ts"
import { assertSame, commit, newId, refusal, times, unitOf } from "./StorageLaws.ts"

type Scheduled = Extract<JobWrite, { readonly _tag: "Schedule" }>

/** A job to be born leased for a minute, of whose group three may be, unless told otherwise. */
const birth = (
  due: DateTime.Utc,
  parts: Partial<Pick<Scheduled, "id" | "group">> = {},
  lease = Duration.minutes(1)
) => {
  const job = { queue: "charge", id: newId(), group: newId(), due, ...parts } as const
  return {
    ...job,
    _tag: "Schedule",
    lease: { token: newId<LeaseToken>(), lease, perGroup: 3 }
  } as const
}

/** Writes jobs in one go, past everything that core puts around a storage. */
const write = (...jobs: ReadonlyArray<JobWrite>) =>
  StorageDriver.use((driver) =>
    driver.write(
      MergedUnit.merge(
        jobs.map((job) => unitOf({ jobs: [job] })),
        newId()
      )
    )
  )

const finish = ({ id, lease, queue }: ReturnType<typeof birth>): JobWrite => ({
  _tag: "Finish",
  queue,
  id,
  token: lease.token
})

const births = (due: DateTime.Utc, count: number, group: Uuid, lease?: Duration.Duration) =>
  times(count, () => birth(due, { group }, lease)).toSorted((one, other) =>
    one.id < other.id ? -1 : 1
  )

export const birthLaws: ReadonlyArray<StorageLaw> = [
  law("a job that is born leased is nobody else's, and its holder ends it", (era) =>
    Effect.gen(function* () {
      const job = birth(era(1))
      assert.isNull(yield* write(job))
      assertSame(yield* claim(era(1)), [])
      const { id, queue } = job
      const strangers = { ...finish(job), token: newId<LeaseToken>() }
      assertSame(yield* refusal({ jobs: [strangers] }), new LeaseLost({ queue, id }))
      yield* commit({ jobs: [finish(job)] })
      assertSame(yield* claim(era(1)), [])
    })
  ),
  law("the lease that a job is born with ends by the clock of the storage", (era) =>
    Effect.gen(function* () {
      const lease = Duration.millis(200)
      const job = birth(era(1), {}, lease)
      assert.isNull(yield* write(job))
      yield* pass(lease)
      assert.deepStrictEqual(idsOf(yield* claim(era(1))), [job.id])
      const { id, queue } = job
      assertSame(yield* refusal({ jobs: [finish(job)] }), new LeaseLost({ queue, id }))
    })
  ),
  law("it is renewed like any other", (era) =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const lease = Duration.millis(200)
      const job = birth(era(1), {}, lease)
      assert.isNull(yield* write(job))
      const { id, queue } = job
      const renewal = { queue, id, token: job.lease.token, lease: Duration.seconds(30) }
      assert.isTrue(yield* storage.renew(renewal))
      yield* pass(lease)
      assertSame(yield* claim(era(1)), [])
    })
  ),
  law("one that is put in line again is leased anew, and whoever held it has lost it", (era) =>
    Effect.gen(function* () {
      const job = birth(era(1))
      assert.isNull(yield* write(job))
      const again = birth(era(1), { id: job.id, group: job.group })
      assert.isNull(yield* write(again))
      const { id, queue } = job
      assertSame(yield* refusal({ jobs: [finish(job)] }), new LeaseLost({ queue, id }))
      assertSame(yield* claim(era(1)), [])
      yield* commit({ jobs: [finish(again)] })
    })
  ),
  law(
    "a group gets no more leases at birth than it has room for, and the rest is anybody's",
    (era) =>
      Effect.gen(function* () {
        const group = newId()
        const first = birth(era(1), { group })
        assert.isNull(yield* write(first))
        const jobs = births(era(1), 4, group)
        const other = birth(era(1))
        const leaseless = jobs.slice(2).map(({ lease }) => lease.token)
        assertSame(yield* write(...jobs, other), { leaseless })
        // What is leased counts for claims, too.
        assertSame(yield* claim(era(1), { perGroup: 3 }), [])
        assert.deepStrictEqual(
          idsOf(yield* claim(era(1), { perGroup: 9 })).toSorted(),
          idsOf(jobs.slice(2))
        )
        yield* commit({ jobs: [finish(other)] })
        yield* commit({ jobs: [finish(first)] })
      })
  ),
  law("a lease that has run out leaves room, and one that was claimed leaves none", (era) =>
    Effect.gen(function* () {
      const group = newId()
      const lease = Duration.millis(200)
      const short = births(era(1), 3, group, lease)
      assert.isNull(yield* write(...short))
      yield* pass(lease)
      const later = birth(era(1), { group })
      assert.isNull(yield* write(later))
      assert.strictEqual((yield* claim(era(1), { perGroup: 9 })).length, 3)
      const last = birth(era(1), { group })
      assertSame(yield* write(last), { leaseless: [last.lease.token] })
    })
  ),
  law("a job is born leased beside others that are not, and beside ends", (era) =>
    Effect.gen(function* () {
      const before = birth(era(1))
      assert.isNull(yield* write(before))
      const { lease: _, ...plain } = birth(era(1))
      const job = birth(era(1))
      assert.isNull(yield* write(plain, job, finish(before)))
      assert.deepStrictEqual(idsOf(yield* claim(era(1))), [plain.id])
      yield* commit({ jobs: [finish(job)] })
    })
  )
]
