import { Storage } from "@pagora/core"
import type { LeaseToken } from "@pagora/core"
import { assert } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { law } from "./StorageJobLaws.ts"
import { aJob, claim, idsOf } from "./StorageJobs.ts"
import type { StorageLaw } from "./StorageLaws.ts"
import { assertSame, commit, newId } from "./StorageLaws.ts"

export const renewalLaws: ReadonlyArray<StorageLaw> = [
  law("a lease that is renewed begins anew, and nobody takes the job before it ends", (era) =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const { id, queue } = yield* aJob(era(1))
      const token = newId<LeaseToken>()
      const lease = Duration.seconds(60)
      yield* claim(era(1), { token, lease })
      assert.isTrue(yield* storage.renew({ queue, id, token, lease, clock: era(41) }))
      assertSame(yield* claim(era(1), { clock: era(100.999) }), [])
      assert.deepStrictEqual(idsOf(yield* claim(era(1), { clock: era(101) })), [id])
    })
  ),
  law("a lease that has run out is renewed while nobody has taken the job", (era) =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const { id, queue } = yield* aJob(era(1))
      const token = newId<LeaseToken>()
      const lease = Duration.seconds(60)
      yield* claim(era(1), { token, lease })
      assert.isTrue(yield* storage.renew({ queue, id, token, lease, clock: era(90) }))
      assertSame(yield* claim(era(1), { clock: era(100) }), [])
    })
  ),
  law("only who holds a lease renews it, and renewing changes nothing else", (era) =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const { id, queue } = yield* aJob(era(1))
      const [former, token] = [newId<LeaseToken>(), newId<LeaseToken>()]
      const lease = Duration.seconds(60)
      const renew = (by: LeaseToken) =>
        storage.renew({ queue, id, token: by, lease, clock: era(70) })
      assert.isFalse(yield* renew(former))
      yield* claim(era(1), { token: former, lease })
      yield* claim(era(1), { token, lease, clock: era(61) })
      assert.isFalse(yield* renew(former))
      assert.isTrue(yield* renew(token))
      yield* commit({ jobs: [{ _tag: "Retry", queue, id, token, due: era(200) }] })
      assert.isFalse(yield* renew(token))
      assertSame(yield* storage.nextDue(["charge"]), era(200))
      assertSame(yield* claim(era(199)), [])
    })
  )
]
