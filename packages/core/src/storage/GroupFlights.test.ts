import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { UnitId, Uuid, WalletId } from "../kernel/Ids.ts"
import { groupCommit } from "./GroupCommit.ts"
import { StorageError } from "../units/Refused.ts"
import type { StorageDriverShape } from "../ports/StorageDriver.ts"
import { makeDriver } from "../storage-memory/StorageMemory.ts"
import { emptyState } from "../storage-memory/StorageMemoryState.ts"
import type { Unit } from "../units/Unit.ts"
import {
  assertRefused,
  moneyIn,
  moneyOut,
  newId,
  opening,
  rowOf,
  unitOf
} from "./Units.test-data.ts"

/** A lane over a memory whose writes begin and wait until they are let go, in whatever order. */
const aLane = Effect.fnUntraced(function* (
  storage: Pick<StorageDriverShape, "writesAtOnce"> = { writesAtOnce: 2 }
) {
  const memory = makeDriver(emptyState())
  const flying: Array<{
    readonly ids: ReadonlyArray<UnitId>
    readonly gate: Deferred.Deferred<void>
  }> = []
  const begun: Array<ReadonlyArray<UnitId>> = []
  const scope = yield* Scope.make()
  const commit = yield* Scope.provide(
    groupCommit(
      {
        ...memory,
        ...storage,
        write: (merged) =>
          Effect.gen(function* () {
            const flight = {
              ids: merged.units.map(({ id }) => id),
              gate: yield* Deferred.make<void>()
            }
            begun.push(flight.ids)
            flying.push(flight)
            yield* Deferred.await(flight.gate)
            flying.splice(flying.indexOf(flight), 1)
            return yield* memory.write(merged)
          })
      },
      { drain: "1 second" }
    ),
    scope
  )
  /** Lets the group go that has this unit. */
  const land = (unit: Unit) =>
    Effect.gen(function* () {
      const flight = flying.find(({ ids }) => ids.includes(unit.id))
      if (flight === undefined) return yield* Effect.die(new Error("It is not being written."))
      yield* Deferred.succeed(flight.gate, undefined)
      yield* quiet
    })
  const send = (units: ReadonlyArray<Unit>) =>
    Effect.tap(
      Effect.forEach(units, (unit) => fork(Effect.exit(commit(unit)))),
      () => quiet
    )
  return {
    send,
    land,
    begun,
    memory,
    sizes: () => flying.map(({ ids }) => ids.length),
    isFlying: (unit: Unit) => flying.some(({ ids }) => ids.includes(unit.id)),
    close: Scope.close(scope, Exit.void)
  }
})

const fork = Effect.forkChild({ startImmediately: true })
const quiet = Effect.replicateEffect(Effect.yieldNow, 20, { discard: true })
const times = <A>(count: number, make: () => A): ReadonlyArray<A> =>
  Array.from({ length: count }, make)
const insertion = () => unitOf({ inserts: [rowOf()] })
const first = <A>(all: ReadonlyArray<A>): A => {
  const [one] = all
  if (one === undefined) throw new Error("There is none.")
  return one
}

describe("a second group", () => {
  it.effect("is written beside the first, in halves of those who wait together", () =>
    Effect.gen(function* () {
      const { begun, land, send, sizes } = yield* aLane()
      const units = times(64, insertion)
      const fibers = yield* send(units)
      assert.deepStrictEqual(sizes(), [32, 32])
      assert.deepStrictEqual(
        begun.flat(),
        units.map(({ id }) => id)
      )
      // Whichever is done first makes room.
      const more = yield* send(times(20, insertion))
      assert.deepStrictEqual(sizes(), [32, 32])
      yield* land(units[63] ?? first(units))
      assert.deepStrictEqual(sizes(), [32, 20])
      yield* land(first(units))
      yield* land(unitOf({ id: first(begun.slice(2).flat()) }))
      assert.isTrue((yield* Fiber.joinAll([...fibers, ...more])).every(Exit.isSuccess))
    })
  )

  it.effect("goes as soon as enough wait, and not for fewer", () =>
    Effect.gen(function* () {
      const { send, sizes } = yield* aLane()
      yield* send([insertion()])
      yield* send(times(15, insertion))
      assert.deepStrictEqual(sizes(), [1])
      yield* send([insertion()])
      assert.deepStrictEqual(sizes(), [1, 16])
      yield* send(times(40, insertion))
      assert.deepStrictEqual(sizes(), [1, 16])
    })
  )

  it.effect("never goes at a storage that gains nothing by it", () =>
    Effect.gen(function* () {
      for (const storage of [{}, { writesAtOnce: 1 }]) {
        const { send, sizes } = yield* aLane(storage)
        yield* send(times(64, insertion))
        yield* send(times(64, insertion))
        assert.deepStrictEqual(sizes(), [64])
      }
    })
  )

  it.effect("has nobody in it who meets the first, nor who meets somebody that waits for it", () =>
    Effect.gen(function* () {
      const { land, memory, send, isFlying } = yield* aLane()
      const [row, other] = [rowOf(), rowOf()]
      const opened = unitOf({ inserts: [row, other] })
      yield* send([opened])
      yield* land(opened)
      const expects = (id: Uuid, version: number): Partial<Unit> => ({
        expects: [{ table: row.table, id, version }]
      })
      const changes = unitOf({ updates: [{ row: { ...row, status: "changed" }, expected: 1 }] })
      const [one] = yield* send([changes])
      // It expects what the first writes, and writes what a later one rests on.
      const waits = unitOf({ ...expects(row.id, 2), updates: [{ row: other, expected: 1 }] })
      const behind = unitOf(expects(other.id, 2))
      const free = times(20, insertion)
      const rest = yield* send([waits, behind, ...free])
      assert.deepStrictEqual([waits, behind, first(free)].map(isFlying), [false, false, true])
      yield* land(first(free))
      assert.deepStrictEqual([changes, waits, behind].map(isFlying), [true, false, false])
      yield* land(changes)
      assert.deepStrictEqual([waits, behind].map(isFlying), [true, false])
      yield* land(waits)
      yield* land(behind)
      const exits = yield* Fiber.joinAll([...(one === undefined ? [] : [one]), ...rest])
      assert.isTrue(exits.every(Exit.isSuccess))
      assert.strictEqual((yield* memory.rows(row.table, [row.id]))[0]?.version, 2)
    })
  )

  it.effect(
    "does not go once something was refused, until a group is written as it was hoped",
    () =>
      Effect.gen(function* () {
        const { land, send, sizes } = yield* aLane()
        const wallet = newId<WalletId>()
        const beginning = opening(wallet)
        yield* send([beginning])
        yield* land(beginning)
        const poor = moneyOut(wallet, 1n)
        const [refused] = yield* send([poor])
        yield* land(poor)
        assert.isTrue(refused !== undefined && Exit.isFailure(yield* Fiber.join(refused)))
        const units = times(64, insertion)
        yield* send(units)
        assert.deepStrictEqual(sizes(), [64])
        yield* land(first(units))
        yield* send(times(64, () => moneyIn(wallet, 1n)))
        assert.deepStrictEqual(sizes(), [32, 32])
      })
  )
})

describe("a unit that opens a wallet", () => {
  it.effect("waits until nothing is written, is not passed then, and goes by itself", () =>
    Effect.gen(function* () {
      const { isFlying, land, send, sizes } = yield* aLane()
      const before = insertion()
      yield* send([before])
      const beginning = opening(newId<WalletId>())
      const [behind, later] = [times(20, insertion), times(40, insertion)]
      yield* send([beginning, ...behind, ...later])
      assert.deepStrictEqual(sizes(), [1])
      yield* land(before)
      assert.isTrue(isFlying(beginning))
      assert.deepStrictEqual(sizes(), [1])
      yield* land(beginning)
      assert.deepStrictEqual(sizes(), [30, 30])
    })
  )
})

describe("closing", () => {
  it.effect("answers everybody of both groups even when the storage does not", () =>
    Effect.gen(function* () {
      const { close, send, sizes } = yield* aLane()
      const writing = yield* send(times(64, insertion))
      const waiting = yield* send([insertion()])
      assert.deepStrictEqual(sizes(), [32, 32])
      const closed = yield* fork(close)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(closed)
      for (const exit of yield* Fiber.joinAll(writing))
        assertRefused(exit, Exit.fail(new StorageError({ reason: "OutcomeUnknown" })))
      for (const exit of yield* Fiber.joinAll(waiting))
        assertRefused(exit, Exit.fail(new StorageError({ reason: "Closed" })))
    })
  )

  it.effect("waits for both groups and writes what waits", () =>
    Effect.gen(function* () {
      const { close, land, send, sizes } = yield* aLane()
      const [units, last] = [times(64, insertion), insertion()]
      const fibers = yield* send([...units, last])
      const closed = yield* fork(close)
      yield* quiet
      yield* land(last)
      yield* land(first(units))
      assert.deepStrictEqual(sizes(), [])
      yield* Fiber.join(closed)
      assert.isTrue((yield* Fiber.joinAll(fibers)).every(Exit.isSuccess))
    })
  )
})
