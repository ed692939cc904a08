import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Centavos } from "../kernel/Money.ts"
import { StorageDriver } from "../ports/StorageDriver.ts"
import { makeDriver } from "../storage-memory/StorageMemory.ts"
import { emptyState } from "../storage-memory/StorageMemoryState.ts"
import type { MergedUnit } from "../units/MergedUnit.ts"
import { StorageError } from "../units/Refused.ts"
import { Storage } from "./Storage.ts"
import { at, rowOf } from "./Units.test-data.ts"

/** A storage over a memory that loses so many of its first writes, and what was tried. */
const losing = Effect.fnUntraced(function* (lost: number) {
  const memory = makeDriver(emptyState())
  const tried: Array<MergedUnit> = []
  const driver = StorageDriver.of({
    ...memory,
    write: (merged) =>
      Effect.suspend((): ReturnType<typeof memory.write> => {
        tried.push(merged)
        return tried.length > lost
          ? memory.write(merged)
          : Effect.fail(new StorageError({ reason: "OutcomeUnknown" }))
      })
  })
  const layer = Layer.provide(Storage.layer(), Layer.succeed(StorageDriver, driver))
  const storage = yield* Effect.provide(Storage, yield* Layer.build(layer))
  return { storage, tried }
})

describe("a unit", () => {
  it.effect(
    "has one id as long as the door tries to write it, each try under its own identity",
    () =>
      Effect.gen(function* () {
        const { storage, tried } = yield* losing(1)
        yield* storage.commit({ at: at(1_000), inserts: [rowOf()] })
        const ids = tried.map(({ units }) => units.map(({ id }) => id))
        assert.lengthOf(ids, 2)
        assert.deepStrictEqual(ids[0], ids[1])
        assert.strictEqual(new Set(tried.map(({ id }) => id)).size, 2)
      })
  )

  it.effect("that is committed twice is two units", () =>
    Effect.gen(function* () {
      const { storage, tried } = yield* losing(0)
      const unit = { at: at(1_000), counters: [{ key: "twice", add: 1n as Centavos }] }
      yield* storage.commit(unit)
      yield* storage.commit(unit)
      assert.strictEqual(new Set(tried.flatMap(({ units }) => units).map(({ id }) => id)).size, 2)
      assert.strictEqual(yield* storage.counter("twice"), 2n)
    })
  )
})
