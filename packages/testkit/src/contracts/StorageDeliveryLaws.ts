import { assert } from "@effect/vitest"
import type { AccountId, DeliveryId, EndpointId } from "@pagora/core"
import { Storage } from "@pagora/core"
import { Effect } from "effect"
import type { StorageLaw } from "./StorageLaws.ts"
import { assertSame, commit, eventOf, newId } from "./StorageLaws.ts"

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
  }
]

const aDelivery = () => ({ id: newId<DeliveryId>(), endpoint: newId<EndpointId>() })
