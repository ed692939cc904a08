import { assert } from "@effect/vitest"
import type { AccountId, DeliveryId, EndpointId } from "@pagora/core"
import { Storage } from "@pagora/core"
import { Effect } from "effect"
import type { StorageLaw } from "./StorageLaws.ts"
import { assertSame, attemptOf, commit, eventOf, newId, rowOf, times } from "./StorageLaws.ts"

export const deliveryLaws: ReadonlyArray<StorageLaw> = [
  {
    title: "deliveries are walked page by page, and narrowed by status and type",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const account = newId<AccountId>()
      const types = ["a", "b", "a", "b", "a"]
      const deliveries = types.map(() => ({
        id: newId<DeliveryId>(),
        endpoint: newId<EndpointId>()
      }))
      yield* commit({
        events: deliveries.map((delivery, index) => ({
          event: eventOf({ account, type: types[index] ?? "" }),
          deliveries: [delivery]
        }))
      })
      const ids = deliveries.map(({ id }) => id)
      const [first, second, third, fourth, fifth] = ids
      const find = (query: object) =>
        storage
          .deliveries({ account, order: "asc", limit: 9, ...query })
          .pipe(Effect.map((found) => found.map(({ id }): DeliveryId | undefined => id)))
      assert.deepStrictEqual(yield* find({}), ids)
      assert.deepStrictEqual(yield* find({ order: "desc", limit: 2 }), ids.toReversed().slice(0, 2))
      assert.deepStrictEqual(yield* find({ after: second, limit: 2 }), ids.slice(2, 4))
      assert.deepStrictEqual(
        yield* find({ after: fourth, order: "desc", limit: 2 }),
        ids.slice(1, 3).toReversed()
      )
      assert.deepStrictEqual(yield* find({ type: "b" }), [second, fourth])
      assert.deepStrictEqual(yield* find({ status: "delivered" }), [])
      assert.deepStrictEqual(yield* find({ status: "queued", type: "a" }), [first, third, fifth])
      assert.deepStrictEqual(yield* find({ account: newId() }), [])
    })
  },
  {
    title: "deliveries are narrowed to an endpoint and to ids from one to another, both included",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const account = newId<AccountId>()
      const [endpoint, other] = [newId<EndpointId>(), newId<EndpointId>()]
      const deliveries = [endpoint, endpoint, other, endpoint, endpoint].map((to) => ({
        id: newId<DeliveryId>(),
        endpoint: to
      }))
      yield* commit({
        events: deliveries.map((delivery) => ({
          event: eventOf({ account }),
          deliveries: [delivery]
        }))
      })
      const ids = deliveries.map(({ id }) => id)
      const [, second, , fourth] = ids as [DeliveryId, DeliveryId, DeliveryId, DeliveryId]
      const find = (query: object) =>
        Effect.map(storage.deliveries({ account, order: "asc", limit: 9, ...query }), (found) =>
          found.map(({ id }) => ids.indexOf(id))
        )
      assert.deepStrictEqual(yield* find({ endpoint }), [0, 1, 3, 4])
      assert.deepStrictEqual(yield* find({ endpoint: other }), [2])
      assert.deepStrictEqual(yield* find({ first: second, last: fourth }), [1, 2, 3])
      const between = { endpoint, first: second, last: fourth }
      assert.deepStrictEqual(yield* find(between), [1, 3])
      assert.deepStrictEqual(yield* find({ ...between, limit: 1 }), [1])
      assert.deepStrictEqual(yield* find({ ...between, order: "desc" }), [3, 1])
      yield* commit({ attempts: [attemptOf(second, { status: "resent", outcome: "resent" })] })
      assert.deepStrictEqual(yield* find({ ...between, status: "queued" }), [3])
      assert.deepStrictEqual(yield* find({ ...between, status: "resent" }), [1])
    })
  },
  {
    title: "what goes out comes with its event, and with where it goes as that stands",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const account = newId<AccountId>()
      const [endpoint, gone] = [newId<EndpointId>(), newId<EndpointId>()]
      const row = rowOf({ table: "registry", id: endpoint, account, kind: "endpoint" })
      yield* commit({ inserts: [row] })
      const published = ["a", "b", "c"].map((type) => ({
        event: eventOf({ account, type }),
        deliveries: [{ id: newId<DeliveryId>(), endpoint: type === "c" ? gone : endpoint }]
      }))
      yield* commit({ events: published })
      const ids = published.flatMap(({ deliveries }) => deliveries.map(({ id }) => id))
      const [first] = ids as [DeliveryId]
      yield* commit({ attempts: [attemptOf(first, { status: "queued" })] })
      const found = yield* storage.outgoing([newId<DeliveryId>(), ...ids.toReversed()])
      const deliveries = yield* storage.deliveries({ ids })
      assert.deepStrictEqual(
        found.map(({ delivery }) => delivery),
        deliveries
      )
      assert.deepStrictEqual(
        deliveries.map(({ attempts }) => attempts),
        [1, 0, 0]
      )
      assertSame(
        found.map(({ event }) => event),
        published.map(({ event }) => event)
      )
      const stored = { ...row, version: 1 }
      assertSame(
        found.map((one) => one.endpoint),
        [stored, stored, undefined]
      )
      yield* commit({ updates: [{ row: { ...row, status: "off" }, expected: 1 }] })
      const [after] = yield* storage.outgoing([first])
      assertSame(after?.endpoint, { ...row, status: "off", version: 2 })
      assertSame(yield* storage.outgoing([]), [])
    })
  },
  {
    title: "an event is delivered further times, each a delivery of its own",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const event = eventOf({ account: newId<AccountId>() })
      const [first, second, third] = [aDelivery(), aDelivery(), aDelivery()]
      yield* commit({ events: [{ event, deliveries: [first] }] })
      yield* commit({
        redeliveries: [
          { event, delivery: second },
          { event, delivery: third }
        ]
      })
      const { account } = event
      const found = yield* storage.deliveries({ account, order: "asc", limit: 9 })
      assertSame(
        found,
        [first, second, third].map(({ endpoint, id }) => ({
          id,
          endpoint,
          account,
          event: event.id,
          type: event.type,
          status: "queued" as const,
          attempts: 0
        }))
      )
      assertSame(yield* storage.events([event.id]), [event])
    })
  },
  {
    title: "a delivery has more attempts than a small integer counts, and each its number",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const delivery = aDelivery()
      const event = eventOf({ account: newId<AccountId>() })
      yield* commit({ events: [{ event, deliveries: [delivery] }] })
      const numbers = [...times(32_768, (index) => index + 1), 40_000]
      yield* commit({ attempts: numbers.map((number) => attemptOf(delivery.id, { number })) })
      const found = yield* storage.attempts([delivery.id])
      assert.deepStrictEqual(
        found.map(({ number }) => number),
        numbers
      )
      const [stored] = yield* storage.deliveries({ ids: [delivery.id] })
      assert.strictEqual(stored?.attempts, numbers.length)
      const again = attemptOf(delivery.id, { number: 40_000 })
      assert.strictEqual((yield* Effect.flip(commit({ attempts: [again] })))._tag, "DuplicateKey")
    })
  }
]

const aDelivery = () => ({ id: newId<DeliveryId>(), endpoint: newId<EndpointId>() })
