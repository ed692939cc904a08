import type { Unit, WriteId } from "@pagora/core"
import { MergedUnit, StorageDriver } from "@pagora/core"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { aFullUnit, tracesOf } from "./StorageAtomicityLaws.ts"
import type { StorageLaw } from "./StorageLaws.ts"
import { aWallet, brl, commit, counterOf, newId, newName, times, unitOf } from "./StorageLaws.ts"

const aWrite = (...units: ReadonlyArray<Unit>) => MergedUnit.merge(units, newId<WriteId>())

/** A unit that leaves nothing of its own. */
const counting = (key: string) => unitOf({ counters: [{ key, add: brl(1n) }] })

/** Each write is in once or never, and its identity tells which. */
export const identityLaws: ReadonlyArray<StorageLaw> = [
  {
    title: "a write that is in is found in, and cannot be made void",
    proof: Effect.gen(function* () {
      const driver = yield* StorageDriver
      const { unit } = yield* aFullUnit
      const write = aWrite(unit)
      assert.isNull(yield* driver.write(write))
      const traces = yield* tracesOf(unit)
      assert.isTrue(yield* driver.resolveWrite(write.id))
      assert.isTrue(yield* driver.resolveWrite(write.id))
      assert.deepStrictEqual(yield* tracesOf(unit), traces)
    })
  },
  {
    title: "a write that was made void is never in, and changes nothing when it arrives",
    proof: Effect.gen(function* () {
      const driver = yield* StorageDriver
      const { unit } = yield* aFullUnit
      const write = aWrite(unit)
      const before = yield* tracesOf(unit)
      assert.isFalse(yield* driver.resolveWrite(write.id))
      assert.isNotNull(yield* driver.write(write))
      assert.isFalse(yield* driver.resolveWrite(write.id))
      assert.deepStrictEqual(yield* tracesOf(unit), before)
      // The same under an identity of its own is another write.
      const again = aWrite(unit)
      assert.isNull(yield* driver.write(again))
      assert.isTrue(yield* driver.resolveWrite(again.id))
    })
  },
  {
    title: "a second copy of a write changes nothing, though nothing of it is taken",
    proof: Effect.gen(function* () {
      const [driver, key] = [yield* StorageDriver, newName()]
      const write = aWrite(counting(key))
      assert.isNull(yield* driver.write(write))
      assert.isNotNull(yield* driver.write(write))
      assert.strictEqual(yield* counterOf(key), 1n)
      assert.isTrue(yield* driver.resolveWrite(write.id))
    })
  },
  {
    title: "a write that was refused is not in, and its identity can still be made void",
    proof: Effect.gen(function* () {
      const [driver, wallet, key] = [yield* StorageDriver, yield* aWallet(), newName()]
      const write = aWrite(counting(key), unitOf({ opens: [wallet] }))
      assert.isNotNull(yield* driver.write(write))
      assert.isFalse(yield* driver.resolveWrite(write.id))
      assert.isUndefined(yield* counterOf(key))
    })
  },
  {
    title:
      "a write that was decided in another epoch of the primary is refused, and changes nothing",
    proof: Effect.gen(function* () {
      const driver = yield* StorageDriver
      const epoch = driver.epoch?.()
      const { unit } = yield* aFullUnit
      const before = yield* tracesOf(unit)
      if (epoch !== undefined)
        for (const other of [epoch - 1, epoch + 1]) {
          const { reason } = yield* Effect.flip(driver.write(aWrite({ ...unit, epoch: other })))
          assert.strictEqual(reason, "Unavailable")
          assert.deepStrictEqual(yield* tracesOf(unit), before)
        }
      const now = aWrite({ ...unit, epoch })
      assert.isNull(yield* driver.write(now))
      assert.isTrue(yield* driver.resolveWrite(now.id))
      assert.notDeepEqual(yield* tracesOf(unit), before)
    })
  },
  {
    title: "of a write and somebody who makes it void at the same time one has come first for both",
    proof: Effect.gen(function* () {
      const driver = yield* StorageDriver
      const key = newName()
      let written = 0n
      for (const round of times(40, (index) => index)) {
        const write = aWrite(counting(key))
        const writing = driver.write(write)
        const resolving = Effect.delay(driver.resolveWrite(write.id), round % 4)
        const [failed, isIn] = yield* Effect.all([writing, resolving], { concurrency: "unbounded" })
        assert.strictEqual(failed === null, isIn)
        if (isIn) written++
      }
      assert.strictEqual((yield* counterOf(key)) ?? 0n, written)
    })
  },
  {
    title: "what is forgotten of writes is old",
    proof: Effect.gen(function* () {
      const driver = yield* StorageDriver
      const [written, voided] = [aWrite(counting(newName())), newId<WriteId>()]
      yield* driver.write(written)
      yield* driver.resolveWrite(voided)
      yield* Effect.repeat(driver.forgetWrites(1_000), { while: (count) => count > 0 })
      assert.isTrue(yield* driver.resolveWrite(written.id))
      assert.isFalse(yield* driver.resolveWrite(voided))
      yield* commit(counting(newName()))
    })
  }
]
