import { Facts, Storage, StorageDriver } from "@pagora/core"
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import type { StorageLaw } from "./StorageLaws.ts"
import {
  at,
  beginning,
  brl,
  commit,
  newId,
  newName,
  scopeOf,
  times,
  unitOf
} from "./StorageLaws.ts"

export const purgeLaws: ReadonlyArray<StorageLaw> = [
  {
    title:
      "purging empties the Idempotency-Keys that are over, so many at a time, each once, and no others",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const purge = (seconds: number, max: number) => storage.purge("idempotency", at(seconds), max)
      // Long before every other law: nothing else is over by then.
      const past = -40 * 365 * 86_400
      yield* Effect.repeat(purge(past + 200, 1_000), { while: (purged) => purged > 0 })
      const scopes = times(5, () => scopeOf({ key: newName() }))
      for (const scope of scopes) {
        const entity = newId()
        yield* commit(beginning(scope, { entity, seconds: past, expiresIn: 100 }))
        yield* commit({ idempotency: { _tag: "Complete", scope, entity, snapshot: "sealed" } })
      }
      const lasting = scopeOf()
      yield* commit(beginning(lasting, { seconds: past, expiresIn: 300 }))

      assert.strictEqual(yield* purge(past + 99, 10), 0)
      assert.strictEqual(yield* purge(past + 101, 3), 3)
      assert.strictEqual(yield* purge(past + 101, 3), 2)
      assert.strictEqual(yield* purge(past + 101, 3), 0)
      for (const scope of scopes) {
        const record = yield* storage.idempotency(scope)
        assert.isNull(record?.snapshot)
        const { key, wallet } = scope
        const found = yield* storage.resolve([{ _tag: "IdempotencyKey", wallet, key }])
        assert.strictEqual(found?.id, record?.entity)
      }
      const [anew = lasting] = scopes
      yield* commit(beginning(anew, { seconds: past + 150, expiresIn: 150 }))
      assert.isDefined(yield* storage.idempotency(lasting))
      assert.strictEqual(yield* purge(past + 299, 10), 0)
      assert.strictEqual(yield* purge(past + 301, 10), 2)
      assert.strictEqual(yield* purge(past + 301, 10), 0)
    })
  },
  {
    title:
      "purging deletes the counters of days and months that are over, so many at a time, and no others",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const driver = yield* StorageDriver
      const owner = newName()
      const over = ["daily/1984-10-31", "monthly/1984-10", "daily/1984-11-01", "daily/1984-11-19"]
      const living = [
        "daily/1984-11-20",
        "monthly/1984-11",
        "daily/1984-11-21",
        "endpoints",
        "yearly/1985"
      ]
      const counters = [...over, ...living].map((name) => ({
        key: `${owner}/${name}`,
        add: brl(7n)
      }))
      // In São Paulo it is the 20th for another second; that year had no summer time.
      const before = DateTime.makeUnsafe("1984-11-21T02:59:59Z")
      const purge = (max: number) => storage.purge("counter", before, max)
      const left = Effect.map(driver.facts(Facts.factKeys([unitOf({ counters })])), (facts) =>
        counters
          .filter(({ key }) => facts.counters.has(key))
          .map(({ key }) => key.slice(owner.length + 1))
      )
      yield* commit({ counters })
      assert.strictEqual(yield* purge(3), 3)
      assert.strictEqual(yield* purge(3), 1)
      assert.strictEqual(yield* purge(3), 0)
      assert.deepStrictEqual(yield* left, living)
      const [late] = counters
      assert.isDefined(late)
      yield* commit({ counters: [late] })
      assert.strictEqual(yield* purge(3), 1)
      assert.deepStrictEqual(yield* left, living)
    })
  }
]
