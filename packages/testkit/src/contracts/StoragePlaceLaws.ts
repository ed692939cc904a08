import type { Storage, StorageDriver } from "@pagora/core"
import { assert } from "@effect/vitest"
import type { DateTime, Scope } from "effect"
import { Effect } from "effect"
import { aJob, anEra, claim, idsOf } from "./StorageJobs.ts"
import type { StorageLaw } from "./StorageLaws.ts"
import { assertSame, commit, newId, rowOf, times } from "./StorageLaws.ts"

const law = (
  title: string,
  proof: (
    era: (seconds: number) => DateTime.Utc
  ) => Effect.Effect<void, unknown, Storage | StorageDriver | Scope.Scope>
): StorageLaw => ({ title, proof: Effect.suspend(() => proof(anEra())) })

/** How many jobs of one group and of one account are in flight. */
export const placeLaws: ReadonlyArray<StorageLaw> = [
  law("a group can have a bound of its own, and none of one with 0 is taken", (era) =>
    Effect.gen(function* () {
      const [wide, closed, plain] = [newId(), newId(), newId()]
      const jobs = yield* Effect.forEach([wide, closed, plain], (group) =>
        Effect.forEach([1, 2, 3], (seconds) => aJob(era(seconds), { group }))
      )
      const bounds = [
        { group: wide, max: 2 },
        { group: closed, max: 0 }
      ]
      const claimed = yield* claim(era(9), { perGroup: 1, bounds })
      assert.deepStrictEqual(
        idsOf(claimed).toSorted(),
        idsOf([...(jobs[0] ?? []).slice(0, 2), ...(jobs[2] ?? []).slice(0, 1)]).toSorted()
      )
      assertSame(yield* claim(era(9), { perGroup: 1, bounds }), [])
      assert.strictEqual((yield* claim(era(9), { perGroup: 2 })).length, 3)
    })
  ),
  law("what its claimer has done with takes no place of its group or its account", (era) =>
    Effect.gen(function* () {
      const [account, group, other] = [newId(), newId(), newId()]
      yield* commit({
        inserts: [group, other].map((id) =>
          rowOf({ table: "registry", id, account, kind: "endpoint" })
        )
      })
      const jobs = yield* Effect.forEach([1, 2, 3, 4], (seconds) => aJob(era(seconds), { group }))
      const limits = { perGroup: 2, perAccount: 2 }
      const first = yield* claim(era(9), limits)
      assert.deepStrictEqual(idsOf(first), idsOf(jobs.slice(0, 2)))
      const [done, busy] = first
      assert.isDefined(done)
      assert.isDefined(busy)
      assertSame(yield* claim(era(9), limits), [])
      // Held by another token it is somebody else's.
      assertSame(yield* claim(era(9), { ...limits, spared: [{ id: done.id, token: newId() }] }), [])
      const second = yield* claim(era(9), { ...limits, max: 1, spared: [done] })
      assert.deepStrictEqual(idsOf(second), idsOf(jobs.slice(2, 3)))
      assertSame(yield* claim(era(9), { ...limits, spared: [done] }), [])
      const calm = yield* aJob(era(5), { group: other })
      assertSame(yield* claim(era(9), { ...limits, spared: [done] }), [])
      const third = yield* claim(era(9), { ...limits, max: 9, spared: [...first, ...second] })
      assert.deepStrictEqual(idsOf(third).toSorted(), idsOf([...jobs.slice(3), calm]).toSorted())
    })
  ),
  law("accounts with many groups leave others their turn, and have a bound of their own", (era) =>
    Effect.gen(function* () {
      const account = newId()
      const groups = times(8, () => newId())
      yield* commit({
        inserts: groups.map((id) => rowOf({ table: "registry", id, account, kind: "endpoint" }))
      })
      const busy = yield* Effect.forEach(groups, (group, at) => aJob(era(at), { group }))
      yield* Effect.forEach(groups, (group, at) => aJob(era(10 + at), { group }))
      const other = yield* aJob(era(30))
      const first = yield* claim(era(99), { max: 3, perAccount: 4 })
      assert.deepStrictEqual(idsOf(first), idsOf([...busy.slice(0, 2), other]))
      const second = yield* claim(era(99), { perAccount: 4 })
      assert.deepStrictEqual(idsOf(second), idsOf(busy.slice(2, 4)))
      assertSame(yield* claim(era(99), { perAccount: 4 }), [])
      const [done] = first
      assert.isDefined(done)
      const { id, token } = done
      yield* commit({ jobs: [{ _tag: "Finish", queue: "charge", id, token }] })
      assert.strictEqual((yield* claim(era(99), { perAccount: 4 })).length, 1)
      assert.strictEqual((yield* claim(era(99))).length, 11)
    })
  ),
  law("the backlog of one account's many groups fills no claim", (era) =>
    Effect.gen(function* () {
      const account = newId()
      const groups = times(100, () => newId())
      yield* commit({
        inserts: groups.map((id) => rowOf({ table: "registry", id, account, kind: "endpoint" }))
      })
      const backlog = times(400, (index) => ({
        queue: "charge" as const,
        id: newId(),
        group: groups[index % groups.length] ?? newId(),
        due: era(index)
      }))
      yield* Effect.addFinalizer(() =>
        Effect.ignore(
          commit({ jobs: backlog.map(({ id, queue }) => ({ _tag: "Cancel", id, queue })) })
        )
      )
      yield* commit({ jobs: backlog.map((job) => ({ _tag: "Schedule", ...job })) })
      const others = yield* Effect.forEach([500, 501], (seconds) => aJob(era(seconds)))
      const claimed = idsOf(yield* claim(era(999), { max: 64, perGroup: 4, perAccount: 32 }))
      assert.strictEqual(claimed.length, 34)
      assert.includeMembers([...claimed], [...idsOf(others)])
    })
  )
]
