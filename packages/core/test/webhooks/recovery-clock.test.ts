import { assert, describe, it } from "@effect/vitest"
import type { Journey } from "@pagora/testkit"
import { journey, layerPagora, RecordingTransport, TestPagora } from "@pagora/testkit"
import { DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { StorageDriver } from "../../src/ports/StorageDriver.ts"
import { layerMemory } from "../../src/storage-memory/StorageMemory.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { noon } from "../world/ServiceWorld.test-data.ts"

const { answered, blocked } = RecordingTransport

/** The service over a storage whose clock is set back when a test says so, and whose machine's is not. */
const settable = Effect.gen(function* () {
  yield* TestClock.setTime(noon)
  let backMillis = 0
  const driver = yield* Effect.provide(StorageDriver, Layer.fresh(layerMemory))
  const clock = Effect.map(driver.clock, (at) =>
    DateTime.subtract(at, { milliseconds: backMillis })
  )
  const transport = yield* Layer.build(Layer.fresh(RecordingTransport.layer))
  const world = layerPagora(
    Layer.succeed(StorageDriver, { ...driver, clock }),
    Layer.succeedContext(transport)
  ).pipe(Layer.provideMerge(Layer.succeedContext(transport)))
  const setBack = Effect.gen(function* () {
    backMillis += 4_000
    const storage = yield* Storage
    yield* storage.clock.ask
  })
  return { world, setBack }
})

const answerWith = (outcome: ReturnType<typeof answered>) =>
  Effect.flatMap(RecordingTransport, ({ answerBy }) => answerBy(() => outcome))

/** So many payments, and what is told of them. */
const sells = (story: Journey, count: number) =>
  Effect.replicateEffect(
    Effect.gen(function* () {
      yield* story.pay(yield* story.charge())
      yield* story.drain
    }),
    count,
    { discard: true }
  )

const statusesOf = (story: Journey) =>
  Effect.map(story.deliveries, (all) => all.map(({ status }) => status).toSorted())

describe("deliveries that were given up around the moment when the clock of the storage was set back", () => {
  it.effect("are sent again after the next one that is taken", () =>
    Effect.gen(function* () {
      const { setBack, world } = yield* settable
      yield* Effect.gen(function* () {
        const story = yield* journey()
        yield* story.endpoint()
        yield* sells(story, 1)
        yield* setBack
        yield* answerWith(blocked)
        yield* sells(story, 2)
        assert.deepStrictEqual(yield* statusesOf(story), ["delivered", "exhausted", "exhausted"])
        yield* answerWith(answered(200))
        yield* sells(story, 1)
        yield* story.advance("30 minutes")
        yield* sells(story, 1)
        const five = Array.from({ length: 5 }, () => "delivered")
        assert.deepStrictEqual(yield* statusesOf(story), [...five, "resent", "resent"])
        yield* story.audit
      }).pipe(Effect.provide(world))
    }).pipe(Effect.scoped)
  )

  it.effect("are sent again, all of them, when their endpoint is switched on", () =>
    Effect.gen(function* () {
      const { setBack, world } = yield* settable
      yield* Effect.gen(function* () {
        const story = yield* journey()
        const { operator } = yield* TestPagora
        const { id } = yield* story.endpoint()
        yield* answerWith(blocked)
        yield* sells(story, 3)
        yield* setBack
        yield* answerWith(answered(200))
        for (const enabled of [false, true])
          yield* operator("PATCH", `/accounts/${story.shop.id}/webhook-endpoints/${id}`, {
            body: { enabled }
          })
        yield* story.drain
        const three = (status: string) => Array.from({ length: 3 }, () => status)
        assert.deepStrictEqual(yield* statusesOf(story), [
          ...three("delivered"),
          ...three("resent")
        ])
      }).pipe(Effect.provide(world))
    }).pipe(Effect.scoped)
  )

  it.effect("are sent again on request", () =>
    Effect.gen(function* () {
      const { setBack, world } = yield* settable
      yield* Effect.gen(function* () {
        const story = yield* journey()
        const { operator } = yield* TestPagora
        const { id } = yield* story.endpoint()
        yield* answerWith(blocked)
        yield* sells(story, 2)
        yield* setBack
        const since = "2026-11-21T11:00:00.000Z"
        yield* operator("POST", `/webhook-endpoints/${id}/recover`, { body: { since } })
        yield* story.drain
        // The endpoint refuses them still: only who asked had them sent.
        const two = (status: string) => [status, status]
        assert.deepStrictEqual(yield* statusesOf(story), [...two("exhausted"), ...two("resent")])
      }).pipe(Effect.provide(world))
    }).pipe(Effect.scoped)
  )
})
