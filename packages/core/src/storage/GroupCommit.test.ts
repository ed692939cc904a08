import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { UnitId, WalletId } from "../kernel/Ids.ts"
import { Centavos } from "../kernel/Money.ts"
import { factKeys } from "../units/Facts.ts"
import type { GroupCommitOptions } from "./GroupCommit.ts"
import { groupCommit } from "./GroupCommit.ts"
import type { MergedUnit } from "../units/MergedUnit.ts"
import { DuplicateKey, InsufficientFunds, LimitExceeded, StorageError } from "../units/Refused.ts"
import type { StorageDriverShape } from "../ports/StorageDriver.ts"
import type { Unit } from "../units/Unit.ts"
import { makeDriver } from "../storage-memory/StorageMemory.ts"
import { emptyState } from "../storage-memory/StorageMemoryState.ts"
import {
  moneyIn,
  moneyOut,
  newId,
  opening,
  rowOf,
  unitOf,
  assertRefused
} from "./Units.test-data.ts"

type Write = StorageDriverShape["write"]

/** A lane over a memory that writes as the test says, and a record of what reached it. */
const aLane = Effect.fnUntraced(function* (
  options: GroupCommitOptions & {
    readonly write?: (next: Write) => Write
    readonly resolveWrite?: StorageDriverShape["resolveWrite"]
    readonly facts?: (next: StorageDriverShape["facts"]) => StorageDriverShape["facts"]
  } = {}
) {
  const memory = makeDriver(emptyState())
  const groups: Array<ReadonlyArray<UnitId>> = []
  const counts = { facts: 0, resolved: 0 }
  const write = options.write?.(memory.write) ?? memory.write
  const facts = options.facts?.(memory.facts) ?? memory.facts
  const driver: StorageDriverShape = {
    ...memory,
    write: (merged) =>
      Effect.suspend(() => {
        groups.push(merged.units.map((unit) => unit.id))
        return write(merged)
      }),
    facts: (keys) =>
      Effect.suspend(() => {
        counts.facts++
        return facts(keys)
      }),
    resolveWrite: (id) =>
      Effect.suspend(() => {
        counts.resolved++
        return (options.resolveWrite ?? memory.resolveWrite)(id)
      })
  }
  const scope = yield* Scope.make()
  const commit = yield* Scope.provide(groupCommit(driver, options), scope)
  const counted = Effect.map(memory.facts(factKeys([counting()])), (facts) =>
    facts.counters.get("c")
  )
  return { commit, close: Scope.close(scope, Exit.void), groups, counts, memory, counted }
})

/** A unit that leaves no trace of its own. */
const counting = () => unitOf({ counters: [{ key: "c", add: Centavos.make(1n) }] })

/** A write that waits for `open`; `started` tells that one has begun. */
const aGate = Effect.map(
  Effect.all([Deferred.make<void>(), Deferred.make<void>()]),
  ([opened, started]) => ({
    open: Deferred.succeed(opened, undefined),
    started: Deferred.await(started),
    write:
      (next: Write): Write =>
      (merged: MergedUnit) =>
        Effect.andThen(
          Effect.andThen(Deferred.succeed(started, undefined), Deferred.await(opened)),
          next(merged)
        )
  })
)

const insertion = () => unitOf({ inserts: [rowOf()] })
const sizes = (groups: ReadonlyArray<ReadonlyArray<unknown>>) => groups.map((group) => group.length)
const fork = Effect.forkChild({ startImmediately: true })
const times = <A>(count: number, make: () => A): ReadonlyArray<A> =>
  Array.from({ length: count }, make)

describe("groups", () => {
  it.effect("are made of what arrives while one is being written", () =>
    Effect.gen(function* () {
      const gate = yield* aGate
      const { commit, groups } = yield* aLane({ write: gate.write })
      const first = yield* fork(commit(insertion()))
      yield* gate.started
      const others = yield* fork(
        Effect.forEach(times(50, insertion), commit, { concurrency: "unbounded" })
      )
      yield* gate.open
      yield* Fiber.join(first)
      yield* Fiber.join(others)
      assert.deepStrictEqual(sizes(groups), [1, 50])
    })
  )

  it.effect("hold 100 units at most, unless told otherwise", () =>
    Effect.gen(function* () {
      for (const [groupMax, expected] of [
        [undefined, [100, 100, 50]],
        [10, times(25, () => 10)],
        [1, times(250, () => 1)]
      ] as const) {
        const { commit, groups } = yield* aLane(groupMax === undefined ? {} : { groupMax })
        const units = times(250, insertion)
        yield* Effect.forEach(units, commit, { concurrency: "unbounded" })
        assert.deepStrictEqual(sizes(groups), expected)
        assert.deepStrictEqual(
          groups.flat(),
          units.map((unit) => unit.id)
        )
      }
    })
  )

  it.effect("take along what those send next who were just answered", () =>
    Effect.gen(function* () {
      const gate = yield* aGate
      const { commit, groups } = yield* aLane({ write: gate.write })
      // As a caller does who has a step or two to go in between.
      const send = (unit: Unit) =>
        Effect.andThen(Effect.andThen(commit(unit), Effect.yieldNow), Effect.yieldNow)
      const caller = () => Effect.forEach(times(2, insertion), send, { discard: true })
      const callers = yield* fork(Effect.all(times(64, caller), { concurrency: "unbounded" }))
      yield* gate.started
      const other = yield* fork(commit(insertion()))
      yield* gate.open
      yield* Fiber.join(callers)
      yield* Fiber.join(other)
      assert.deepStrictEqual(sizes(groups), [64, 65])
    })
  )

  it.effect("are written without asking first, until one is refused", () =>
    Effect.gen(function* () {
      const { commit, counts, groups } = yield* aLane()
      const row = rowOf()
      yield* commit(unitOf({ inserts: [row] }))
      assert.strictEqual(counts.facts, 0)
      const refused = yield* Effect.flip(commit(unitOf({ inserts: [row] })))
      assertRefused(refused, new DuplicateKey({ space: "row", key: row.id }))
      assert.strictEqual(counts.facts, 1)
      // A refused unit alone is not written again; the next one asks first, and the one after it does not.
      assert.deepStrictEqual(sizes(groups), [1, 1])
      yield* commit(insertion())
      assert.strictEqual(counts.facts, 2)
      yield* commit(insertion())
      assert.strictEqual(counts.facts, 2)
    })
  )

  it.effect("are tried again while neighbours get in the way", () =>
    Effect.gen(function* () {
      let obstacles = 3
      const { commit, counts, groups } = yield* aLane({
        write: (next) => (merged) =>
          obstacles-- > 0 ? Effect.succeed({ expectation: "a neighbour" }) : next(merged)
      })
      yield* Effect.forEach(times(5, insertion), commit, { concurrency: "unbounded" })
      assert.strictEqual(counts.facts, 3)
      assert.deepStrictEqual(sizes(groups), [5, 5, 5, 5])
    })
  )
})

describe("callers", () => {
  it.effect("who are interrupted while they wait take their unit back", () =>
    Effect.gen(function* () {
      const gate = yield* aGate
      const { commit, groups } = yield* aLane({ write: gate.write })
      const first = yield* fork(commit(insertion()))
      yield* gate.started
      const withdrawn = insertion()
      const stays = insertion()
      const leaving = yield* fork(commit(withdrawn))
      const staying = yield* fork(commit(stays))
      yield* Fiber.interrupt(leaving)
      yield* gate.open
      yield* Fiber.join(first)
      yield* Fiber.join(staying)
      assert.deepStrictEqual(groups[1], [stays.id])
    })
  )

  it.effect("who are interrupted while their unit is written only stop waiting", () =>
    Effect.gen(function* () {
      const gate = yield* aGate
      const { commit, memory } = yield* aLane({ write: gate.write })
      const row = rowOf()
      const leaving = yield* fork(commit(unitOf({ inserts: [row] })))
      yield* gate.started
      yield* Fiber.interrupt(leaving)
      yield* gate.open
      yield* commit(insertion())
      assert.strictEqual((yield* memory.rows("operation", [row.id])).length, 1)
    })
  )

  it.effect("hear Overloaded when too many wait, and nothing of theirs is written", () =>
    Effect.gen(function* () {
      const gate = yield* aGate
      const { commit, groups } = yield* aLane({ write: gate.write, groupMax: 1, waitingMax: 3 })
      const fibers = yield* Effect.forEach(times(3, insertion), (unit) => fork(commit(unit)))
      yield* gate.started
      // One is being written and two wait: there is room for one more.
      fibers.push(yield* fork(commit(insertion())))
      const error = yield* Effect.flip(commit(insertion()))
      assertRefused(error, new StorageError({ reason: "Overloaded" }))
      yield* gate.open
      yield* Fiber.joinAll(fibers)
      assert.deepStrictEqual(sizes(groups), [1, 1, 1, 1])
      yield* commit(insertion())
    })
  )
})

describe("closing", () => {
  it.effect("writes what waits and refuses what comes", () =>
    Effect.gen(function* () {
      const gate = yield* aGate
      const { close, commit, groups } = yield* aLane({ write: gate.write })
      const first = yield* fork(commit(insertion()))
      yield* gate.started
      const waiting = yield* fork(
        Effect.forEach(times(250, insertion), commit, { concurrency: "unbounded" })
      )
      const closed = yield* fork(close)
      const late = yield* Effect.flip(commit(insertion()))
      assertRefused(late, new StorageError({ reason: "Closed" }))
      yield* gate.open
      yield* Fiber.join(closed)
      yield* Fiber.join(first)
      yield* Fiber.join(waiting)
      assert.deepStrictEqual(sizes(groups), [1, 100, 100, 50])
      const later = yield* Effect.flip(commit(insertion()))
      assertRefused(later, new StorageError({ reason: "Closed" }))
    })
  )

  it.effect("answers everybody even when the storage does not", () =>
    Effect.gen(function* () {
      const gate = yield* aGate
      const { close, commit } = yield* aLane({ write: gate.write, drain: "3 seconds" })
      const writing = yield* fork(Effect.flip(commit(insertion())))
      yield* gate.started
      const waiting = yield* fork(Effect.flip(commit(insertion())))
      const closed = yield* fork(close)
      yield* TestClock.adjust("3 seconds")
      yield* Fiber.join(closed)
      assertRefused(yield* Fiber.join(writing), new StorageError({ reason: "OutcomeUnknown" }))
      assertRefused(yield* Fiber.join(waiting), new StorageError({ reason: "Closed" }))
    })
  )
})

describe("an answer that is lost", () => {
  const unknown = Effect.fail(new StorageError({ reason: "OutcomeUnknown" }))
  /** Loses the answers of the first writes, after or without writing. */
  const losing = (count: number, isWritten: boolean) => {
    let lost = 0
    return (next: Write): Write =>
      (merged) =>
        lost++ >= count ? next(merged) : isWritten ? Effect.andThen(next(merged), unknown) : unknown
  }

  for (const isWritten of [true, false]) {
    const sentence = isWritten ? "after the write" : "before the write"
    it.effect(`${sentence} is found out, and the unit is in once`, () =>
      Effect.gen(function* () {
        const wallet = newId<WalletId>()
        const { commit, memory } = yield* aLane({
          write: (next) => {
            const lossy = losing(3, isWritten)(next)
            return (merged) => (merged.opens.length > 0 ? next(merged) : lossy(merged))
          }
        })
        yield* commit(opening(wallet))
        yield* commit(moneyIn(wallet, 5n))
        assert.strictEqual((yield* memory.wallets([wallet]))[0]?.available, 5n)
      })
    )
  }

  for (const isWritten of [true, false]) {
    const sentence = isWritten ? "after the write" : "before the write"
    it.effect(`${sentence} of a group is found out for all of its units alike`, () =>
      Effect.gen(function* () {
        const { commit, counted, counts, groups } = yield* aLane({ write: losing(1, isWritten) })
        const units = [insertion(), counting(), insertion()]
        yield* Effect.forEach(units, commit, { concurrency: "unbounded" })
        assert.strictEqual(yield* counted, 1n)
        assert.strictEqual(counts.resolved, 1)
        // What is not in goes again as one group, under an identity of its own.
        assert.deepStrictEqual(sizes(groups), isWritten ? [3] : [3, 3])
      })
    )
  }

  it.effect("again and again, of what never comes in, ends as Unavailable", () =>
    Effect.gen(function* () {
      const { commit, counted, groups } = yield* aLane({ write: losing(99, false) })
      assertRefused(
        yield* Effect.flip(commit(counting())),
        new StorageError({ reason: "Unavailable" })
      )
      assert.isUndefined(yield* counted)
      assert.strictEqual(groups.length, 4)
    })
  )

  it.effect("never hides a refusal of a unit that was not sent", () =>
    Effect.gen(function* () {
      const row = rowOf()
      const { commit } = yield* aLane({
        write: (next) => (merged) =>
          merged.inserts.some((insert) => insert.row.id === row.id)
            ? next(merged)
            : Effect.andThen(next(merged), unknown)
      })
      yield* commit(unitOf({ inserts: [row] }))
      // From here on the lane asks before it writes, so what is refused is not sent at all.
      yield* Effect.flip(commit(unitOf({ inserts: [row] })))
      const over = unitOf({
        counters: [{ key: "c", add: Centavos.make(1n), max: Centavos.make(0n) }]
      })
      const exits = yield* Effect.forEach(
        [insertion(), over],
        (unit) => Effect.exit(commit(unit)),
        { concurrency: "unbounded" }
      )
      assertRefused(exits, [Exit.void, Exit.fail(new LimitExceeded({ key: "c", used: 0n }))])
    })
  )

  it.effect("of a question leaves nothing unknown, since nothing was sent", () =>
    Effect.gen(function* () {
      let asked = 0
      const { commit, counted } = yield* aLane({
        facts: (next) => (keys) => (asked++ === 0 ? unknown : next(keys))
      })
      const row = rowOf()
      yield* commit(unitOf({ inserts: [row] }))
      const exits = yield* Effect.forEach(
        [unitOf({ inserts: [row] }), counting()],
        (unit) => Effect.exit(commit(unit)),
        { concurrency: "unbounded" }
      )
      assertRefused(exits, [Exit.fail(new DuplicateKey({ space: "row", key: row.id })), Exit.void])
      assert.strictEqual(yield* counted, 1n)
    })
  )

  it.effect("stays unknown when the storage does not come back", () =>
    Effect.gen(function* () {
      const away = Effect.fail(new StorageError({ reason: "Unavailable" }))
      const { commit, counts } = yield* aLane({ write: losing(1, true), resolveWrite: () => away })
      const caller = yield* fork(Effect.flip(commit(insertion())))
      yield* TestClock.adjust("1 minute")
      assertRefused(yield* Fiber.join(caller), new StorageError({ reason: "OutcomeUnknown" }))
      assert.isAbove(counts.resolved, 1)
    })
  )

  it.effect("stays unknown when the storage may have forgotten the write meanwhile", () =>
    Effect.gen(function* () {
      let isIn = false
      const { commit } = yield* aLane({
        write: losing(2, true),
        resolveWrite: () => Effect.as(TestClock.adjust("2 hours"), isIn)
      })
      assertRefused(
        yield* Effect.flip(commit(insertion())),
        new StorageError({ reason: "OutcomeUnknown" })
      )
      // What is found in is in, however old.
      isIn = true
      yield* commit(insertion())
    })
  )

  it.effect("never turns into a refusal, though a neighbour was refused", () =>
    Effect.gen(function* () {
      const wallet = newId<WalletId>()
      let writes = 0
      const { commit, memory } = yield* aLane({
        write: (next) => (merged) => {
          writes++
          return merged.units.length > 1 ? Effect.andThen(next(merged), unknown) : next(merged)
        }
      })
      yield* commit(opening(wallet))
      yield* commit(moneyIn(wallet, 10n))
      const exits = yield* Effect.forEach(
        [moneyOut(wallet, 6n), moneyOut(wallet, 6n), moneyOut(wallet, 4n)],
        (unit) => Effect.exit(commit(unit)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true])
      assertRefused(exits[1], Exit.fail(new InsufficientFunds({ wallet, bucket: "available" })))
      assert.strictEqual((yield* memory.wallets([wallet]))[0]?.available, 0n)
      assert.isAbove(writes, 2)
    })
  )
})
