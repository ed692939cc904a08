import { assert, describe, it } from "@effect/vitest"
import type { StorageDriverShape, WriteId } from "@pagora/core"
import { memory, MergedUnit, StorageDriver } from "@pagora/core"
import { Effect } from "effect"
import { newId, rowOf, unitOf } from "../contracts/StorageLaws.ts"
import { FormerPrimary } from "./FormerPrimary.ts"

const [before, since] = [rowOf(), rowOf()]

/** A storage with one row, beside it a former primary, and a clock. */
const aSwitch = Effect.gen(function* () {
  const driver: StorageDriverShape = yield* StorageDriver
  const clock = { millis: 0 }
  const former = new FormerPrimary(() => clock.millis)
  const insert = Effect.fnUntraced(function* (row: typeof before) {
    const merged = MergedUnit.merge([unitOf({ inserts: [row] })], newId<WriteId>())
    yield* driver.write(merged)
    former.did("write", [merged])
  })
  const ids = [before.id, since.id]
  yield* insert(before)
  former.goOn(1_000)
  yield* insert(since)
  const found = (answer: Effect.Effect<unknown, unknown> | undefined) =>
    Effect.map(answer ?? Effect.succeed([]), (rows) => (rows as ReadonlyArray<unknown>).length)
  return { clock, former, shown: found(former.answer("rows", ["operation", ids])) }
})

describe("a former primary of a simulation", () => {
  it.effect("shows what was there when it lost its place, and takes no writes", () =>
    Effect.gen(function* () {
      const { former, shown } = yield* aSwitch
      assert.strictEqual(yield* shown, 1)
      assert.isUndefined(former.answer("write", []))
      assert.isUndefined(former.answer("claim", []))
    }).pipe(Effect.provide(memory()))
  )

  it.effect("is there for its time", () =>
    Effect.gen(function* () {
      const { clock, former } = yield* aSwitch
      assert.deepStrictEqual([former.isThere, former.epoch], [true, 1])
      clock.millis = 1_000
      assert.isFalse(former.isThere)
    }).pipe(Effect.provide(memory()))
  )

  it.effect("is another one each time", () =>
    Effect.gen(function* () {
      const { clock, former } = yield* aSwitch
      former.goOn(1_000)
      assert.strictEqual(former.epoch, 1)
      clock.millis = 1_000
      former.goOn(1_000)
      assert.strictEqual(former.epoch, 2)
    }).pipe(Effect.provide(memory()))
  )
})
