import type { AccountId, AttemptRow, DeliveryId, EndpointId } from "@pagora/core"
import { Facts, idsAt, Storage, StorageDriver } from "@pagora/core"
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import type { StorageLaw } from "./StorageLaws.ts"
import {
  at,
  attemptOf,
  beginning,
  brl,
  commit,
  eventOf,
  newId,
  newName,
  refusal,
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
        yield* commit({
          idempotency: { _tag: "Complete", scopes: [scope], entity, snapshot: "sealed" }
        })
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
        const found = yield* storage.resolve({ _tag: "Name", wallet, name: key })
        assert.strictEqual(found, record?.entity)
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
  },
  {
    title:
      "purging deletes deliveries that are over and were made before, with their attempts, the oldest first, and no event",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      yield* noneIsOver
      const account = newId<AccountId>()
      const statuses = ["delivered", "queued", "exhausted", "cancelled", "resent", "delivered"]
      const deliveries = statuses.map((_, index) => deliveryMadeAt(longAgo + index))
      const events = deliveries.map(() => eventOf({ account }))
      yield* commit({
        events: events.map((event, index) => ({
          event,
          deliveries: deliveries.slice(index, index + 1)
        }))
      })
      yield* commit({
        attempts: deliveries.map(({ id }, index) =>
          attemptOf(id, { status: statuses[index] as AttemptRow["status"] })
        )
      })
      const left = Effect.map(
        storage.deliveries({ ids: deliveries.map(({ id }) => id) }),
        (found) =>
          deliveries.flatMap(({ id }, index) => (found.some((one) => one.id === id) ? [index] : []))
      )
      const tried = Effect.map(storage.attempts(deliveries.map(({ id }) => id)), (found) =>
        found.map(({ delivery }) => deliveries.findIndex(({ id }) => id === delivery)).toSorted()
      )
      const purge = (seconds: number, max: number) => storage.purge("delivery", at(seconds), max)

      assert.strictEqual(yield* purge(longAgo, 9), 0)
      // Two of them, and the attempt of each.
      assert.strictEqual(yield* purge(longAgo + 5, 2), 4)
      assert.deepStrictEqual(
        [yield* left, yield* tried],
        [
          [1, 3, 4, 5],
          [1, 3, 4, 5]
        ]
      )
      assert.strictEqual(yield* purge(longAgo + 5, 9), 4)
      assert.strictEqual(yield* purge(longAgo + 5, 9), 0)
      assert.deepStrictEqual(
        [yield* left, yield* tried],
        [
          [1, 5],
          [1, 5]
        ]
      )

      const [{ key } = eventOf(), ...others] = events
      assert.lengthOf(yield* storage.events(events.map(({ id }) => id)), events.length)
      const again = { event: eventOf({ account, key }), deliveries: [] }
      assert.strictEqual((yield* refusal({ events: [again] }))._tag, "DuplicateKey")
      const [gone] = deliveries
      const further = { event: others[0] ?? eventOf(), delivery: deliveryMadeAt(longAgo + 9) }
      yield* commit({ redeliveries: [further] })
      assert.deepStrictEqual(yield* storage.deliveries({ ids: [gone?.id ?? newId()] }), [])
      // What was not over goes when it is.
      const [, late] = deliveries
      assert.isDefined(late)
      yield* commit({ attempts: [attemptOf(late.id, { number: 2, status: "delivered" })] })
      assert.strictEqual(yield* purge(longAgo + 5, 9), 3)
      assert.deepStrictEqual(yield* left, [5])
      yield* noneIsOver
    })
  },
  {
    title: "a delivery with more attempts than are purged at once goes with the last of them",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      yield* noneIsOver
      const delivery = deliveryMadeAt(longAgo)
      yield* commit({ events: [{ event: eventOf(), deliveries: [delivery] }] })
      yield* commit({
        attempts: times(5, (index) =>
          attemptOf(delivery.id, {
            number: index + 1,
            status: index === 4 ? "cancelled" : "queued"
          })
        )
      })
      const purge = storage.purge("delivery", at(longAgo + 1), 2)
      const left = Effect.map(storage.deliveries({ ids: [delivery.id] }), ({ length }) => length)
      const purged: Array<readonly [number, number]> = []
      for (let turn = 0; turn < 4; turn++) purged.push([yield* purge, yield* left])
      assert.deepStrictEqual(purged, [
        [2, 1],
        [2, 1],
        [2, 0],
        [0, 0]
      ])
      assert.deepStrictEqual(yield* storage.attempts([delivery.id]), [])
    })
  }
]

/** Long before every other law, and over by any clock. */
const longAgo = -40 * 365 * 86_400

const deliveryMadeAt = (seconds: number) => {
  const { first } = idsAt(at(seconds))
  const id = `${first.slice(0, 14)}7${newId().slice(15)}` as DeliveryId
  return { id, endpoint: newId<EndpointId>() }
}

/** Suites share a storage. */
const noneIsOver = Effect.flatMap(Storage, (storage) =>
  Effect.repeat(storage.purge("delivery", at(longAgo + 1_000), 1_000), {
    while: (purged) => purged > 0
  })
)
