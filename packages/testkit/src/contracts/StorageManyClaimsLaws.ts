import { StorageDriver } from "@pagora/core"
import type { Claim, LeaseToken } from "@pagora/core"
import { assert } from "@effect/vitest"
import type { DateTime } from "effect"
import { Duration, Effect } from "effect"
import { law } from "./StorageJobLaws.ts"
import { aJob, idsOf } from "./StorageJobs.ts"
import type { StorageLaw } from "./StorageLaws.ts"
import { assertSame, newId } from "./StorageLaws.ts"

const asking = (now: DateTime.Utc, parts: Partial<Claim>): Claim => ({
  queue: "charge",
  now,
  lease: Duration.minutes(1),
  max: 1_000,
  perGroup: 1_000,
  token: newId<LeaseToken>(),
  ...parts
})

/** As one, the claims in the order given. */
const claimAll = (...claims: ReadonlyArray<Claim>) =>
  Effect.map(
    StorageDriver.use((driver) => driver.claim(claims)),
    (jobs) => claims.map(({ token }) => jobs.filter((job) => job.token === token))
  )

export const manyClaimsLaws: ReadonlyArray<StorageLaw> = [
  law("several claims as one are each given what they would be given by themselves", (era) =>
    Effect.gen(function* () {
      const group = newId()
      const notice = yield* aJob(era(1), { queue: "inbox" })
      yield* aJob(era(9), { queue: "inbox" })
      const [first, second] = [yield* aJob(era(1), { group }), yield* aJob(era(2), { group })]
      const third = yield* aJob(era(3), { group })
      const payout = yield* aJob(era(2), { queue: "payout", group })
      yield* aJob(era(3), { queue: "payout", group })
      const claims = [
        asking(era(5), { queue: "payout", bounds: [{ group, max: 1 }] }),
        asking(era(5), { queue: "inbox" }),
        asking(era(5), { perGroup: 2, bounds: [{ group: newId(), max: 1 }] }),
        asking(era(5), { queue: "return" })
      ]
      const [payouts = [], inbox = [], charges = [], returns] = yield* claimAll(...claims)
      const token = claims[1]?.token
      assertSame(inbox, [{ ...notice, token }])
      assert.deepStrictEqual(idsOf(charges), idsOf([first, second]))
      assert.deepStrictEqual(idsOf(payouts), [payout.id])
      assertSame(returns, [])
      const [rest = []] = yield* claimAll(asking(era(5), { perGroup: 3 }))
      assert.deepStrictEqual(idsOf(rest), [third.id])
    })
  ),
  law(
    "of two claims of one queue that go as one, the second is given what the first leaves",
    (era) =>
      Effect.gen(function* () {
        const jobs = [yield* aJob(era(1)), yield* aJob(era(2)), yield* aJob(era(3))]
        const [first = [], second = []] = yield* claimAll(
          asking(era(5), { max: 2 }),
          asking(era(5), { max: 2 })
        )
        assert.deepStrictEqual(idsOf([...first, ...second]), idsOf(jobs))
        assert.strictEqual(first.length, 2)
      })
  ),
  law("what several claims are given comes in their order", (era) =>
    Effect.gen(function* () {
      const queues = ["webhook", "inbox", "payout", "charge"] as const
      yield* Effect.forEach(queues, (queue, index) => aJob(era(index), { queue }))
      const claims = queues.map((queue) => asking(era(9), { queue }))
      const given = yield* StorageDriver.use((driver) => driver.claim(claims))
      assertSame(
        given.map(({ token }) => token),
        claims.map(({ token }) => token)
      )
    })
  ),
  law("no claims are given nothing", () =>
    Effect.gen(function* () {
      assertSame(yield* StorageDriver.use((driver) => driver.claim([])), [])
    })
  )
]
