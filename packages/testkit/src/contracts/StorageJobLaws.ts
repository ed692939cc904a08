import { LeaseLost, Storage, StorageDriver } from "@pagora/core"
import type { LeaseToken } from "@pagora/core"
import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import type { Scope } from "effect"
import { aHeldJob, aJob, anEra, claim, idsOf, pass, schedule } from "./StorageJobs.ts"
import type { StorageLaw } from "./StorageLaws.ts"
import { placeLaws } from "./StoragePlaceLaws.ts"
import { assertSame, commit, factsOf, newId, refusal, times } from "./StorageLaws.ts"

/** A law with a time of its own. */
export const law = (
  title: string,
  proof: (
    era: (seconds: number) => DateTime.Utc
  ) => Effect.Effect<void, unknown, Storage | StorageDriver | Scope.Scope>
): StorageLaw => ({ title, proof: Effect.suspend(() => proof(anEra())) })

const claimLaws: ReadonlyArray<StorageLaw> = [
  law("a job is claimed when it is due and not before, with all that was scheduled", (era) =>
    Effect.gen(function* () {
      const job = yield* aJob(era(10))
      assertSame(yield* claim(era(9.999)), [])
      const token = newId<LeaseToken>()
      assertSame(yield* claim(era(10), { token }), [{ ...job, token }])
    })
  ),
  law("jobs come in the order they are due, those due together in the order of their ids", (era) =>
    Effect.gen(function* () {
      const [first, second] = [newId(), newId()]
      const late = yield* aJob(era(3))
      yield* aJob(era(2), { id: second })
      yield* aJob(era(2), { id: first })
      const early = yield* aJob(era(1))
      assert.deepStrictEqual(idsOf(yield* claim(era(3))), [early.id, first, second, late.id])
    })
  ),
  law("a claim takes no more than asked for, the oldest first, and the rest stays", (era) =>
    Effect.gen(function* () {
      const jobs = yield* Effect.forEach([5, 3, 1, 4, 2], (seconds) => aJob(era(seconds)))
      const inOrder = jobs.toSorted((one, other) => DateTime.Order(one.due, other.due))
      assert.deepStrictEqual(idsOf(yield* claim(era(9), { max: 2 })), idsOf(inOrder.slice(0, 2)))
      assert.deepStrictEqual(idsOf(yield* claim(era(9), { max: 9 })), idsOf(inOrder.slice(2)))
      assertSame(yield* claim(era(9)), [])
    })
  ),
  law(
    "a claim takes no more of one group than may be in flight, those already claimed included",
    (era) =>
      Effect.gen(function* () {
        const [group, other] = [newId(), newId()]
        const busy = yield* Effect.forEach([1, 2, 3, 4], (seconds) => aJob(era(seconds), { group }))
        const calm = yield* aJob(era(5), { group: other })
        const first = yield* claim(era(9), { perGroup: 3, max: 2 })
        const second = yield* claim(era(9), { perGroup: 3 })
        assert.deepStrictEqual(
          idsOf([...first, ...second]).toSorted(),
          idsOf([...busy.slice(0, 3), calm]).toSorted()
        )
        assertSame(yield* claim(era(9), { perGroup: 3 }), [])
        const done = [...first, ...second].find(({ id }) => id === busy[0]?.id)
        assert.isDefined(done)
        const { id, token } = done
        yield* commit({ jobs: [{ _tag: "Finish", queue: "charge", id, token }] })
        assert.deepStrictEqual(idsOf(yield* claim(era(9), { perGroup: 3 })), idsOf(busy.slice(3)))
      })
  ),
  law("the backlog of one group keeps no other group's work waiting", (era) =>
    Effect.gen(function* () {
      const group = newId()
      const backlog = yield* Effect.forEach(
        times(5, (index) => index),
        (seconds) => aJob(era(seconds), { group })
      )
      const others = yield* Effect.forEach([6, 7], (seconds) => aJob(era(seconds)))
      const claimed = yield* claim(era(9), { max: 3 })
      assert.deepStrictEqual(idsOf(claimed), idsOf([...backlog.slice(0, 1), ...others]))
    })
  ),
  law("a backlog of hundreds in one group neither fills a claim nor its group's limit", (era) =>
    Effect.gen(function* () {
      const group = newId()
      const backlog = times(300, (index) => ({
        queue: "charge" as const,
        id: newId(),
        group,
        due: era(index)
      }))
      yield* Effect.addFinalizer(() =>
        Effect.ignore(
          commit({ jobs: backlog.map(({ id, queue }) => ({ _tag: "Cancel", id, queue })) })
        )
      )
      yield* commit({ jobs: backlog.map((job) => ({ _tag: "Schedule", ...job })) })
      const others = yield* Effect.forEach([400, 401, 402], (seconds) => aJob(era(seconds)))
      const limits = { max: 6, perGroup: 5 }
      const first = yield* claim(era(999), limits)
      assert.deepStrictEqual(idsOf(first), idsOf([...backlog.slice(0, 3), ...others]))
      const second = yield* claim(era(999), limits)
      assert.deepStrictEqual(idsOf(second), idsOf(backlog.slice(3, 5)))
      assertSame(yield* claim(era(999), limits), [])
      const [done] = first
      assert.isDefined(done)
      const { id, token } = done
      yield* commit({ jobs: [{ _tag: "Finish", queue: "charge", id, token }] })
      assert.deepStrictEqual(idsOf(yield* claim(era(999), limits)), idsOf(backlog.slice(5, 6)))
    })
  ),
  law("queues are lines of their own", (era) =>
    Effect.gen(function* () {
      const id = newId()
      yield* aJob(era(1), { id, queue: "charge" })
      yield* aJob(era(1), { id, queue: "webhook" })
      assertSame(yield* claim(era(1), { queue: "inbox" }), [])
      assert.deepStrictEqual(idsOf(yield* claim(era(1), { queue: "webhook" })), [id])
      assert.deepStrictEqual(idsOf(yield* claim(era(1), { queue: "charge" })), [id])
    })
  ),
  law("of two who claim at once, no job is given to both, and none is lost", (era) =>
    Effect.gen(function* () {
      const jobs = yield* Effect.forEach(
        times(40, (index) => index),
        (seconds) => aJob(era(seconds))
      )
      const claims = times(8, () => claim(era(99), { max: 10 }))
      const claimed = yield* Effect.all(claims, { concurrency: "unbounded" })
      const left = yield* claim(era(99))
      const given = idsOf([...claimed.flat(), ...left])
      assert.deepStrictEqual(given.toSorted(), idsOf(jobs).toSorted())
      const tokens = claimed.map((batch) => new Set(batch.map(({ token }) => token)).size)
      assert.isTrue(tokens.every((size) => size <= 1))
    })
  )
]

const leaseLaws: ReadonlyArray<StorageLaw> = [
  law("a claimed job is nobody else's until the lease ends, and then it is the next one's", (era) =>
    Effect.gen(function* () {
      yield* aJob(era(0))
      yield* claim(era(0), { lease: Duration.seconds(30) })
      const job = yield* aJob(era(0))
      const lease = Duration.millis(200)
      const [first] = yield* claim(era(0), { lease })
      yield* pass(lease)
      // Its group has room for it again, too; the other one's has not.
      const [second, ...others] = yield* claim(era(0), { perGroup: 1 })
      assert.isDefined(first)
      assert.isDefined(second)
      assert.strictEqual(second.id, job.id)
      assertSame(others, [])
      const finish = (token: LeaseToken) => ({
        jobs: [{ _tag: "Finish", queue: job.queue, id: job.id, token } as const]
      })
      const { id, queue } = job
      assertSame(yield* refusal(finish(first.token)), new LeaseLost({ queue, id }))
      yield* commit(finish(second.token))
    })
  ),
  law(
    "leases go by the clock of the storage: a day's travel of business time takes no work out of anybody's hands",
    (era) =>
      Effect.gen(function* () {
        yield* aJob(era(0))
        const lease = Duration.millis(200)
        yield* claim(era(0), { lease: Duration.seconds(30) })
        assertSame(yield* claim(era(86_400)), [])
        const { id } = yield* aJob(era(86_400))
        yield* claim(era(86_400), { lease })
        yield* pass(lease)
        assert.deepStrictEqual(idsOf(yield* claim(era(86_400))), [id])
      })
  ),
  law("the clock of the storage goes on as time does", () =>
    Effect.gen(function* () {
      const { clock } = yield* StorageDriver
      const [outer, [inner, took]] = yield* Effect.timed(
        Effect.gen(function* () {
          const before = yield* clock
          const [slept] = yield* Effect.timed(Effect.sleep("200 millis"))
          return [slept, DateTime.distance(before, yield* clock)] as const
        })
      )
      // It tells whole milliseconds.
      const [least, most, told] = [inner, outer, took].map(Duration.toMillis)
      assert.isAtLeast(told ?? 0, (least ?? 0) - 2)
      assert.isAtMost(told ?? 0, (most ?? 0) + 2)
    })
  ),
  law("a lease that ended still counts for its holder while nobody else has claimed", (era) =>
    Effect.gen(function* () {
      const { id, queue } = yield* aJob(era(0))
      const [claimed] = yield* claim(era(0), { lease: Duration.zero })
      assert.isDefined(claimed)
      yield* commit({ jobs: [{ _tag: "Finish", queue, id, token: claimed.token }] })
      assertSame(yield* claim(era(99)), [])
    })
  ),
  law("scheduling a job anew takes the lease away", (era) =>
    Effect.gen(function* () {
      const job = yield* aJob(era(0))
      const [claimed] = yield* claim(era(0))
      assert.isDefined(claimed)
      yield* schedule({ ...job, due: era(5), group: newId() })
      const { id, queue } = job
      const lost = new LeaseLost({ queue, id })
      for (const write of [{ _tag: "Finish" }, { _tag: "Retry", due: era(0) }] as const) {
        assertSame(yield* refusal({ jobs: [{ ...write, queue, id, token: claimed.token }] }), lost)
      }
      assertSame(yield* claim(era(4)), [])
      assert.deepStrictEqual(idsOf(yield* claim(era(5))), [id])
    })
  ),
  law("a job to be retried is free, at its new time, in its old group", (era) =>
    Effect.gen(function* () {
      const job = yield* aJob(era(0))
      const { id, queue } = job
      const [claimed] = yield* claim(era(0))
      assert.isDefined(claimed)
      yield* commit({ jobs: [{ _tag: "Retry", queue, id, token: claimed.token, due: era(5) }] })
      assertSame(yield* claim(era(4)), [])
      const token = newId<LeaseToken>()
      assertSame(yield* claim(era(5), { token }), [{ ...job, due: era(5), token }])
      assertSame(
        yield* refusal({ jobs: [{ _tag: "Finish", queue, id, token: claimed.token }] }),
        new LeaseLost({ queue, id })
      )
    })
  ),
  law("a job that is finished or cancelled is gone, whoever holds it", (era) =>
    Effect.gen(function* () {
      const { job, token } = yield* aHeldJob()
      const other = yield* aHeldJob()
      yield* commit({ jobs: [{ _tag: "Finish", ...job, token }] })
      yield* commit({ jobs: [{ _tag: "Cancel", ...other.job }] })
      yield* commit({ jobs: [{ _tag: "Cancel", ...other.job }] })
      const facts = yield* factsOf({
        jobs: [
          { _tag: "Cancel", ...job },
          { _tag: "Cancel", ...other.job }
        ]
      })
      assert.strictEqual(facts.jobs.size, 0)
      const { id, queue } = job
      yield* schedule({ queue, id, group: newId(), due: era(0) })
      assert.deepStrictEqual(idsOf(yield* claim(era(0), { queue })), [id])
      yield* commit({ jobs: [{ _tag: "Cancel", ...job }] })
    })
  )
]

const lineLaws: ReadonlyArray<StorageLaw> = [
  law("a line is walked page by page in the order of ids, whoever holds its jobs", (era) =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const queue = "review"
      // A line of its own, in whatever storage: what other laws leave in it is in other groups.
      const [group, other] = [newId(), newId()]
      const mine = yield* Effect.forEach([30, 10, 20, 5, 15], (seconds) =>
        aJob(era(seconds), { queue, group })
      )
      const others = yield* Effect.forEach([1, 2], (seconds) =>
        aJob(era(seconds), { queue, group: other })
      )
      yield* aJob(era(3), { queue: "return", group })
      yield* claim(era(10), { queue })
      const inOrder = mine
        .toSorted((one, another) => (one.id < another.id ? -1 : 1))
        .map(({ due, group, id }) => ({ id, group, due }))
      assertSame(yield* storage.jobs({ queue, group, limit: 10 }), inOrder)
      const first = yield* storage.jobs({ queue, group, limit: 2 })
      assertSame(first, inOrder.slice(0, 2))
      const after = first[1]?.id ?? newId()
      assertSame(yield* storage.jobs({ queue, group, after, limit: 2 }), inOrder.slice(2, 4))
      const ends = inOrder.at(-1)?.id ?? newId()
      assertSame(yield* storage.jobs({ queue, group, after: ends, limit: 2 }), [])
      const all = idsOf(yield* storage.jobs({ queue, limit: 1_000 }))
      for (const { id } of [...mine, ...others]) assert.include(all, id)
      yield* commit({ jobs: [{ _tag: "Cancel", queue, id: after }] })
      assert.notInclude(idsOf(yield* storage.jobs({ queue, group, limit: 10 })), after)
    })
  )
]

export const jobLaws = [...lineLaws, ...claimLaws, ...placeLaws, ...leaseLaws]
