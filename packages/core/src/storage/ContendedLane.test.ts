import { assert, describe, it } from "@effect/vitest"
import { Context, Duration, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { WalletId } from "../kernel/Ids.ts"
import { InsufficientFunds, StorageError } from "../units/Refused.ts"
import { locksOf, walletLock } from "../units/RowLocks.ts"
import { Storage } from "./Storage.ts"
import { StorageDriver } from "../ports/StorageDriver.ts"
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

const fork = Effect.forkChild({ startImmediately: true })
const times = <A>(count: number, make: () => A): ReadonlyArray<A> =>
  Array.from({ length: count }, make)
/** So many milliseconds, in steps: who wakes up sleeps on from then, not from the end. */
const pass = (millis: number) =>
  Effect.replicateEffect(TestClock.adjust("50 millis"), millis / 50, { discard: true })
const insertion = () => unitOf({ inserts: [rowOf()] })
const contended = new StorageError({ reason: "Contended" })

/** The write door over a memory whose rows others can lock: a write that meets one waits as long as it is told. */
const aLane = Effect.gen(function* () {
  const memory = makeDriver(emptyState())
  const held = new Set<string>()
  /** Whether the storage can tell what is locked. */
  let isNamed = true
  const writes: Array<number> = []
  const waits: Array<number> = []
  const scope = yield* Scope.make()
  const driver = StorageDriver.of({
    ...memory,
    write: (merged) =>
      Effect.gen(function* () {
        const met = merged.units.flatMap(locksOf).filter((lock) => held.has(lock))
        writes.push(merged.units.length)
        if (met.length === 0) return yield* memory.write(merged)
        const wait = Duration.toMillis(merged.lockWait ?? Duration.seconds(1))
        waits.push(wait)
        yield* Effect.sleep(wait)
        return { expectation: "locked", locked: isNamed ? met : [] }
      })
  })
  const door = Layer.provide(Storage.layer(), Layer.succeed(StorageDriver, driver))
  const { commit } = Context.get(yield* Layer.buildWithScope(door, scope), Storage)
  const aWallet = Effect.gen(function* () {
    const wallet = newId<WalletId>()
    yield* commit(opening(wallet))
    yield* commit(moneyIn(wallet, 100n))
    return wallet
  })
  return {
    commit,
    aWallet,
    writes,
    waits,
    close: Scope.close(scope, Exit.void),
    available: (wallet: WalletId) =>
      Effect.map(memory.wallets([wallet]), ([found]) => found?.available),
    lock: (wallet: WalletId) => Effect.sync(() => held.add(walletLock(wallet))),
    unlock: Effect.sync(() => held.clear()),
    leaveUnnamed: Effect.sync(() => {
      isNamed = false
    })
  }
})

const all = (commit: (unit: Unit) => Effect.Effect<void, unknown>, units: ReadonlyArray<Unit>) =>
  Effect.forEach(units, (unit) => Effect.exit(commit(unit)), { concurrency: "unbounded" })

describe("a unit that meets somebody else's lock", () => {
  it.effect("keeps the lane for a second, and for a tenth of one while others stand aside", () =>
    Effect.gen(function* () {
      const { aWallet, commit, lock, unlock, waits } = yield* aLane
      const [one, other] = [yield* aWallet, yield* aWallet]
      yield* lock(one)
      const first = yield* fork(commit(moneyOut(one, 1n)))
      yield* pass(1_000)
      yield* lock(other)
      const second = yield* fork(commit(moneyOut(other, 1n)))
      yield* pass(1_000)
      assert.strictEqual(waits[0], 1_000)
      assert.isAbove(waits.length, 3)
      assert.deepStrictEqual(new Set(waits.slice(1)), new Set([100]))
      yield* unlock
      yield* pass(2_000)
      yield* Fiber.join(first)
      yield* Fiber.join(second)
    }).pipe(Effect.scoped)
  )

  it.effect("waits aside with all that meet it, and the others go on at once", () =>
    Effect.gen(function* () {
      const { available, aWallet, commit, lock, unlock, writes } = yield* aLane
      const [locked, free] = [yield* aWallet, yield* aWallet]
      yield* lock(locked)
      const blocked = yield* fork(all(commit, [moneyOut(locked, 1n), moneyOut(locked, 2n)]))
      const neighbours = yield* fork(
        all(
          commit,
          times(5, () => moneyOut(free, 1n))
        )
      )
      yield* pass(1_500)
      yield* Fiber.join(neighbours)
      assert.strictEqual(yield* available(free), 95n)
      // From now on nobody waits who need not, though more come for the locked one.
      const more = yield* fork(
        all(
          commit,
          times(50, () => moneyOut(locked, 1n))
        )
      )
      yield* commit(moneyOut(free, 1n))
      yield* pass(2_000)
      yield* commit(moneyOut(free, 1n))
      assert.isUndefined(blocked.pollUnsafe())
      // One is tried for all.
      assert.isTrue(writes.slice(-3).every((units) => units === 1))

      yield* unlock
      yield* pass(1_000)
      const exits = [...(yield* Fiber.join(blocked)), ...(yield* Fiber.join(more))]
      assert.isTrue(exits.every(Exit.isSuccess))
      assert.strictEqual(yield* available(locked), 47n)
      assert.isAbove(Math.max(...writes), 40)
    })
  )

  it.effect("hears after five seconds that it was not written", () =>
    Effect.gen(function* () {
      const { available, aWallet, commit, lock, unlock } = yield* aLane
      const locked = yield* aWallet
      yield* lock(locked)
      const blocked = yield* fork(
        all(
          commit,
          times(10, () => moneyOut(locked, 1n))
        )
      )
      yield* pass(5_000)
      assert.isUndefined(blocked.pollUnsafe())
      yield* pass(2_000)
      assertRefused(
        yield* Fiber.join(blocked),
        times(10, () => Exit.fail(contended))
      )
      yield* unlock
      yield* pass(10_000)
      assert.strictEqual(yield* available(locked), 100n)
      yield* commit(moneyOut(locked, 1n))
    })
  )

  it.effect("that nobody can name is found among its neighbours, which are written meanwhile", () =>
    Effect.gen(function* () {
      const { available, aWallet, commit, leaveUnnamed, lock, unlock } = yield* aLane
      const [locked, free] = [yield* aWallet, yield* aWallet]
      yield* leaveUnnamed
      yield* lock(locked)
      const neighbours = times(20, () => moneyOut(free, 1n))
      const blocked = yield* fork(commit(moneyOut(locked, 1n)))
      const others = yield* fork(all(commit, neighbours))
      yield* pass(2_000)
      assert.isTrue((yield* Fiber.join(others)).every(Exit.isSuccess))
      assert.strictEqual(yield* available(free), 80n)
      yield* unlock
      yield* pass(1_000)
      yield* Fiber.join(blocked)
      assert.strictEqual(yield* available(locked), 99n)
    })
  )

  it.effect(
    "is decided when its turn comes, and refuses no neighbour for what it would have done",
    () =>
      Effect.gen(function* () {
        const { aWallet, commit, lock, unlock } = yield* aLane
        const [locked, shared] = [yield* aWallet, yield* aWallet]
        yield* lock(locked)
        const both = unitOf({
          ledger: [...(moneyOut(locked, 1n).ledger ?? []), ...(moneyOut(shared, 100n).ledger ?? [])]
        })
        const first = yield* fork(Effect.flip(commit(both)))
        const second = yield* fork(commit(moneyOut(shared, 50n)))
        yield* pass(2_000)
        yield* Fiber.join(second)
        yield* unlock
        yield* pass(1_000)
        assertRefused(
          yield* Fiber.join(first),
          new InsufficientFunds({ wallet: shared, bucket: "available" })
        )
      })
  )

  it.effect("is taken back when its caller is interrupted", () =>
    Effect.gen(function* () {
      const { available, aWallet, commit, lock, unlock } = yield* aLane
      const locked = yield* aWallet
      yield* lock(locked)
      const blocked = yield* fork(commit(moneyOut(locked, 1n)))
      yield* pass(1_500)
      yield* Fiber.interrupt(blocked)
      yield* pass(1_000)
      yield* unlock
      yield* pass(10_000)
      assert.strictEqual(yield* available(locked), 100n)
    })
  )

  it.effect("is one of 1,000 at most; the next hears at once that it was not written", () =>
    Effect.gen(function* () {
      const { aWallet, commit, lock } = yield* aLane
      const locked = yield* aWallet
      yield* lock(locked)
      const first = yield* fork(
        all(
          commit,
          times(1_000, () => moneyOut(locked, 1n))
        )
      )
      yield* pass(1_100)
      assert.isUndefined(first.pollUnsafe())
      assertRefused(yield* Effect.flip(commit(moneyOut(locked, 1n))), contended)
      yield* commit(insertion())
    })
  )

  it.effect("is still done while the lane closes, or hears that it was not written", () =>
    Effect.gen(function* () {
      for (const isFreed of [true, false]) {
        const { available, aWallet, close, commit, lock, unlock } = yield* aLane
        const locked = yield* aWallet
        yield* lock(locked)
        const blocked = yield* fork(Effect.exit(commit(moneyOut(locked, 1n))))
        yield* pass(1_500)
        const closed = yield* fork(close)
        if (isFreed) yield* unlock
        yield* pass(10_000)
        yield* Fiber.join(closed)
        assertRefused(yield* Fiber.join(blocked), isFreed ? Exit.void : Exit.fail(contended))
        assert.strictEqual(yield* available(locked), isFreed ? 99n : 100n)
      }
    })
  )
})
