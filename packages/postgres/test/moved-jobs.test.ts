import { assert, layer } from "@effect/vitest"
import type { JobWrite, LeaseToken } from "@pagora/core"
import { MergedUnit, StorageDriver } from "@pagora/core"
import { Deferred, Duration, Effect, Fiber } from "effect"
import { clientOf, layerKnown, sqlOn, Url } from "./FreshDatabase.test-data.ts"
import { at, newId, unitOf } from "./Units.test-data.ts"

const queue = "charge"

/** What each write of a job leaves in line: when it is due, or nothing. */
const writes: ReadonlyArray<readonly [string, number | undefined, (job: Held) => JobWrite]> = [
  ["ended", undefined, ({ id, token }) => ({ _tag: "Finish", queue, id, token })],
  ["called off", undefined, ({ id }) => ({ _tag: "Cancel", queue, id })],
  ["put off", 60, ({ id, token }) => ({ _tag: "Retry", queue, id, token, due: at(60) })],
  ["put in line", 90, ({ id }) => ({ _tag: "Schedule", queue, id, group: id, due: at(90) })]
]

interface Held {
  readonly id: string & JobWrite["id"]
  readonly token: LeaseToken
}

/** A job in the hands of somebody. */
const held = Effect.gen(function* () {
  const driver = yield* StorageDriver
  const job: Held = { id: newId(), token: newId<LeaseToken>() }
  const put = unitOf({
    jobs: [{ _tag: "Schedule", queue, id: job.id, group: job.id, due: at() }]
  })
  assert.isNull(yield* driver.write(MergedUnit.merge([put], newId())))
  const taken = yield* driver.claim([
    { queue, now: at(), lease: Duration.minutes(1), max: 1, perGroup: 1, token: job.token }
  ])
  assert.deepStrictEqual(
    taken.map(({ id }) => id),
    [job.id]
  )
  return job
})

layer(layerKnown, { excludeTestServices: true, timeout: "30 seconds" })(
  "a job whose row a neighbour moves while a write waits for it",
  (it) => {
    it.effect.each(writes)("is %s where it went", ([, due, write]) =>
      Effect.gen(function* () {
        const [driver, url] = [yield* StorageDriver, yield* Url]
        const job = yield* held
        const sql = yield* clientOf(url)
        const [moved, letGo] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const neighbour = yield* Effect.forkChild(
          sql.withTransaction(
            Effect.gen(function* () {
              yield* sql.unsafe(
                "update pagora.job set due = due + interval '1 second' where id = $1",
                [job.id]
              )
              yield* Deferred.succeed(moved, undefined)
              yield* Deferred.await(letGo)
            })
          )
        )
        yield* Deferred.await(moved)
        const unit = unitOf({ jobs: [write(job)] })
        const waiting = yield* Effect.forkChild(driver.write(MergedUnit.merge([unit], newId())))
        yield* Effect.repeat(sqlOn(url, "select 1 from pg_locks where not granted"), {
          until: (locks) => locks.length > 0
        })
        yield* Deferred.succeed(letGo, undefined)
        yield* Fiber.join(neighbour)
        assert.isNull(yield* Fiber.join(waiting))
        assert.deepStrictEqual(
          yield* sqlOn(
            url,
            `select extract(epoch from due)::int as due, token from pagora.job where id = '${job.id}'`
          ),
          due === undefined
            ? []
            : [{ due: Math.floor(at(due).epochMilliseconds / 1000), token: null }]
        )
        yield* sqlOn(url, "delete from pagora.job")
      })
    )
  }
)
