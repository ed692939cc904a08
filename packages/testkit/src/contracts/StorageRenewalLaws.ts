import { Storage } from "@pagora/core"
import type { LeaseToken } from "@pagora/core"
import { assert } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { law } from "./StorageJobLaws.ts"
import { aJob, claim, idsOf, pass } from "./StorageJobs.ts"
import type { StorageLaw } from "./StorageLaws.ts"
import { assertSame, commit, newId } from "./StorageLaws.ts"

export const renewalLaws: ReadonlyArray<StorageLaw> = [
  law("a lease that is renewed begins anew, and nobody takes the job before it ends", (era) =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const { id, queue } = yield* aJob(era(1))
      const token = newId<LeaseToken>()
      const lease = Duration.millis(200)
      yield* claim(era(1), { token, lease })
      assert.isTrue(yield* storage.renew({ queue, id, token, lease: Duration.seconds(30) }))
      yield* pass(lease)
      assertSame(yield* claim(era(1)), [])
      assert.isTrue(yield* storage.renew({ queue, id, token, lease }))
      yield* pass(lease)
      assert.deepStrictEqual(idsOf(yield* claim(era(1))), [id])
    })
  ),
  law("a lease that has run out is renewed while nobody has taken the job", (era) =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const { id, queue } = yield* aJob(era(1))
      const token = newId<LeaseToken>()
      yield* claim(era(1), { token, lease: Duration.zero })
      assert.isTrue(yield* storage.renew({ queue, id, token, lease: Duration.seconds(30) }))
      assertSame(yield* claim(era(1)), [])
    })
  ),
  law("only who holds a lease renews it, and renewing changes nothing else", (era) =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const { id, queue } = yield* aJob(era(1))
      const [former, token] = [newId<LeaseToken>(), newId<LeaseToken>()]
      const lease = Duration.seconds(60)
      const renew = (by: LeaseToken) => storage.renew({ queue, id, token: by, lease })
      assert.isFalse(yield* renew(former))
      yield* claim(era(1), { token: former, lease: Duration.zero })
      yield* claim(era(1), { token, lease })
      assert.isFalse(yield* renew(former))
      assert.isTrue(yield* renew(token))
      yield* commit({ jobs: [{ _tag: "Retry", queue, id, token, due: era(200) }] })
      assert.isFalse(yield* renew(token))
      assertSame(yield* storage.nextDue(["charge"]), era(200))
      assertSame(yield* claim(era(199)), [])
    })
  )
]
