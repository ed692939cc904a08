import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import type { WriteId } from "../kernel/Ids.ts"
import { merge } from "../units/MergedUnit.ts"
import { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import { StorageDriver } from "../ports/StorageDriver.ts"
import { layerMemory } from "../storage-memory/StorageMemory.ts"
import { newId, rowOf, unitOf } from "../storage/Units.test-data.ts"
import { Purger } from "./Purger.ts"

const over = <E>(driver: Layer.Layer<StorageDriver, E>) =>
  Purger.layer.pipe(
    Layer.provide(ServiceTime.layer),
    Layer.provide(Storage.layer()),
    Layer.provideMerge(Layer.fresh(driver))
  )
const world = over(layerMemory)

/** A storage that has not the right to delete counters. */
const withoutCounters = over(
  Layer.effect(
    StorageDriver,
    Effect.map(StorageDriver, (driver) => ({
      ...driver,
      purge: (...[what, before, max]: Parameters<typeof driver.purge>) =>
        what === "counter"
          ? Effect.fail(new StorageError({ reason: "Unavailable", cause: "permission denied" }))
          : driver.purge(what, before, max)
    }))
  ).pipe(Layer.provide(layerMemory))
)

describe("the identities of writes", () => {
  it.effect("are forgotten though counters cannot be purged, which is told", () => {
    const warnings: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => {
      if (logLevel === "Warn") warnings.push(String(message))
    })
    return Effect.gen(function* () {
      const [driver, purger] = [yield* StorageDriver, yield* Purger]
      const old = newId<WriteId>()
      assert.isNull(yield* driver.write(merge([unitOf({ inserts: [rowOf()] })], old)))
      yield* TestClock.adjust("25 hours")
      yield* purger.start
      yield* TestClock.adjust("1 second")
      assert.isFalse(yield* driver.resolveWrite(old))
      assert.lengthOf(warnings, 1)
      assert.include(warnings[0], "could not be purged")
    }).pipe(Effect.scoped, Effect.provide([withoutCounters, Logger.layer([logger])]))
  })

  it.effect("are forgotten after a day, however many there are, and not before", () =>
    Effect.gen(function* () {
      const [driver, purger] = [yield* StorageDriver, yield* Purger]
      const write = Effect.gen(function* () {
        const id = newId<WriteId>()
        assert.isNull(yield* driver.write(merge([unitOf({ inserts: [rowOf()] })], id)))
        return id
      })
      const old = yield* write
      for (let count = 0; count < 2_100; count++) yield* write
      yield* TestClock.adjust("1 day")
      assert.strictEqual(yield* purger.drain, 0)
      const young = yield* write
      yield* TestClock.adjust("1 second")
      const working = yield* Effect.forkChild(
        Effect.scoped(Effect.andThen(purger.start, Effect.never))
      )
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(working)
      assert.strictEqual(yield* purger.drain, 0)
      assert.isTrue(yield* driver.resolveWrite(young))
      // What is forgotten seems not to be in; nobody asks about anything so old.
      assert.isFalse(yield* driver.resolveWrite(old))
    }).pipe(Effect.provide(world))
  )
})
