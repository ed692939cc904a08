import type { MergedUnit, Refused, Unit } from "@pagora/core"
import { GroupCommit, InsufficientFunds, StorageDriver, StorageError } from "@pagora/core"
import { assert } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { aFullUnit, tracesOf } from "./StorageAtomicityLaws.ts"
import type { Fate } from "./StorageFaults.ts"
import { losingAnswers, poisonedBy } from "./StorageFaults.ts"
import type { StorageLaw } from "./StorageLaws.ts"
import {
  assertSame,
  aRow,
  availableOf,
  aWallet,
  beginning,
  brl,
  commit,
  counterOf,
  exits,
  moneyIn,
  moneyOut,
  newId,
  newName,
  rowOf,
  scopeOf,
  times,
  unitOf,
  walletOf
} from "./StorageLaws.ts"

/** A write door over a storage whose writes meet these fates. */
const faultyLane = (fates: ReadonlyArray<Fate>) =>
  Effect.flatMap(StorageDriver, (driver) => GroupCommit.groupCommit(losingAnswers(driver, fates)))

const unknown = new StorageError({ reason: "OutcomeUnknown" })

/** Units of each sort: with what they minted, with a change only, and with nothing of their own. */
const aMixedGroup = Effect.gen(function* () {
  const [wallet, row, key, lienKey] = [yield* aWallet(100n), yield* aRow(), newName(), newName()]
  const full = yield* aFullUnit
  const traced: ReadonlyArray<Unit> = [
    full.unit,
    ...times(10, () => unitOf(moneyOut(wallet, 10n))),
    unitOf({ updates: [{ row, expected: 1 }] }),
    unitOf({ inserts: [rowOf()] })
  ]
  const traceless: ReadonlyArray<Unit> = [
    ...times(5, () => unitOf({ counters: [{ key, add: brl(1n) }] })),
    unitOf({
      counters: [{ key: lienKey, add: brl(1n) }],
      liens: [{ wallet: full.wallet, delta: brl(7n) }]
    })
  ]
  const assertOnce = Effect.gen(function* () {
    assert.strictEqual(yield* availableOf(wallet), 0n)
    const traces = yield* tracesOf(...traced)
    assert.deepStrictEqual(traces.rows.map(({ version }) => version).toSorted(), [1, 1, 2, 2])
    assert.deepStrictEqual([...traces.facts.counters.values()], [3n])
    // Both parts of the last unit, or neither.
    const lien = (yield* counterOf(lienKey)) === 1n ? 12n : 5n
    const held = yield* walletOf(full.wallet)
    assert.deepStrictEqual([held.available, held.lien], [90n, lien])
  })
  return { traced, traceless, assertOnce, counted: counterOf(key) }
})

const losses: ReadonlyArray<ReadonlyArray<Fate>> = [
  ["written"],
  ["dropped"],
  ["late"],
  ["overtaken"],
  ["dropped", "written"],
  ["dropped", "late"],
  ["late", "written"],
  ["overtaken", "dropped", "written"],
  ["dropped", "dropped", "dropped"]
]

const lossLaws: ReadonlyArray<StorageLaw> = [
  ...losses.map((fates): StorageLaw => ({
    title: `a unit whose writes are ${fates.join(", ")} is found in, and is in once`,
    proof: Effect.gen(function* () {
      const { assertOnce, traced } = yield* aMixedGroup
      for (const unit of traced) yield* (yield* faultyLane(fates))(unit)
      yield* assertOnce
    })
  })),
  ...losses.map((fates): StorageLaw => ({
    title: `a group whose writes are ${fates.join(", ")} is found in, and every unit is in once`,
    proof: Effect.gen(function* () {
      const { assertOnce, counted, traced, traceless } = yield* aMixedGroup
      const lane = yield* faultyLane(fates)
      const answers = yield* exits([...traced, ...traceless].map((unit) => lane(unit)))
      assertSame(
        answers.slice(0, traced.length),
        traced.map(() => Exit.void)
      )
      yield* assertOnce
      // What leaves no trace is found in with the others, or nobody knows; it is never refused.
      const others = answers.slice(traced.length)
      const done = others.filter(Exit.isSuccess).length
      assert.strictEqual(others.filter(isUnknown).length, traceless.length - done)
      if (fates[0] === "written") assert.strictEqual(done, traceless.length)
      const counts = (yield* counted) ?? 0n
      assert.isTrue(counts <= 5n && counts >= BigInt(Math.min(done, 5)), `${counts} counted`)
    })
  })),
  {
    title:
      "a unit that leaves nothing of its own is never refused nor repeated when its answer is lost",
    proof: Effect.gen(function* () {
      const [key, scope] = [newName(), scopeOf()]
      for (const unit of [
        unitOf({ counters: [{ key, add: brl(1n) }] }),
        unitOf(beginning(scope))
      ]) {
        assertSame(yield* Effect.flip((yield* faultyLane(["written"]))(unit)), unknown)
      }
      assert.strictEqual(yield* counterOf(key), 1n)
    })
  },
  {
    title: "a refusal is still heard when answers are lost around it",
    proof: Effect.gen(function* () {
      for (const fates of losses) {
        const wallet = yield* aWallet(10n)
        const lane = yield* faultyLane(fates)
        const answers = yield* exits(times(20, () => lane(unitOf(moneyOut(wallet, 1n)))))
        const short = new InsufficientFunds({ wallet, bucket: "available" })
        const refused = answers.filter(Exit.isFailure)
        assert.strictEqual(refused.length, 10)
        for (const answer of refused) assertSame(answer, Exit.fail(short))
        assert.strictEqual(yield* availableOf(wallet), 0n)
      }
    })
  },
  {
    title: "in a storm of lost answers every success is in once and no refusal is in",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet(400n)
      const driver = yield* StorageDriver
      const fates: ReadonlyArray<Fate> = ["written", "dropped", "late", "answered", "overtaken"]
      const storm = times(120, (index) => fates[(index * index + index) % 7] ?? "written")
      const lane = yield* faultyLane(storm)
      const units = times(300, (index) => {
        const parts = index % 5 === 0 ? moneyIn(wallet, 1n) : moneyOut(wallet, 3n)
        return unitOf(parts, { inserts: [rowOf()] })
      })
      const answers = yield* exits(units.map((unit) => lane(unit)))
      for (const [index, unit] of units.entries()) {
        const ids = (unit.inserts ?? []).map(({ id }) => id)
        const written = (yield* driver.rows("operation", ids)).length === 1
        const booked =
          (yield* driver.ledgerTxs((unit.ledger ?? []).map(({ id }) => id))).length === 1
        assert.strictEqual(written, booked)
        const answer = answers[index]
        assert.isDefined(answer)
        if (isUnknown(answer)) continue
        assert.strictEqual(written, Exit.isSuccess(answer))
      }
      assert.isAbove(answers.filter(Exit.isSuccess).length, 100)
    })
  }
]

const isUnknown = (answer: Exit.Exit<void, Refused | StorageError>): boolean =>
  Exit.isFailure(answer) &&
  answer.cause.reasons.some(
    (reason) =>
      Cause.isFailReason(reason) &&
      reason.error._tag === "StorageError" &&
      reason.error.reason === "OutcomeUnknown"
  )

const awayLaws: ReadonlyArray<StorageLaw> = [
  {
    title: "a trace tells the unit that left it from every other",
    proof: Effect.gen(function* () {
      const driver = yield* StorageDriver
      const full = yield* aFullUnit
      const later = unitOf({ updates: [{ row: full.updated, expected: 2 }] })
      const { id, table } = full.updated
      const [tx] = full.unit.ledger ?? []
      assert.isDefined(tx)
      const traces: ReadonlyArray<MergedUnit.Witness> = [
        { _tag: "LedgerTx", id: tx.id },
        { _tag: "Event", id: full.event.id },
        { _tag: "Row", table: "operation", id: full.inserted.id, unit: full.unit.id },
        { _tag: "Row", table, id, unit: full.unit.id },
        { _tag: "Attempt", delivery: full.tried.id, number: 1 }
      ]
      const strange: ReadonlyArray<MergedUnit.Witness> = [
        { _tag: "LedgerTx", id: newId() },
        { _tag: "Event", id: newId() },
        { _tag: "Row", table, id: newId(), unit: full.unit.id },
        { _tag: "Row", table, id, unit: later.id },
        { _tag: "Row", table: "registry", id, unit: full.unit.id },
        { _tag: "Attempt", delivery: full.tried.id, number: 2 }
      ]
      const nothing = times(traces.length + strange.length, () => false)
      assert.deepStrictEqual(yield* driver.witnesses([...traces, ...strange]), nothing)
      yield* commit(full.unit)
      const seen = [...traces.map(() => true), ...strange.map(() => false)]
      assert.deepStrictEqual(yield* driver.witnesses([...traces, ...strange]), seen)
      yield* commit(later)
      const rows = [full.unit.id, later.id].map(
        (unit) => ({ _tag: "Row", table, id, unit }) as const
      )
      assert.deepStrictEqual(yield* driver.witnesses(rows), [false, true])
      assert.deepStrictEqual(yield* driver.witnesses([]), [])
    })
  },
  {
    title:
      "while the storage is away callers hear Unavailable and nothing is written; then it goes on",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet(10n)
      const lane = yield* faultyLane(["unavailable"])
      const answers = yield* exits(times(5, () => lane(unitOf(moneyOut(wallet, 1n)))))
      const away = Exit.fail(new StorageError({ reason: "Unavailable" }))
      assertSame(
        answers,
        times(5, () => away)
      )
      assert.strictEqual(yield* availableOf(wallet), 10n)
      yield* lane(unitOf(moneyOut(wallet, 10n)))
      assert.strictEqual(yield* availableOf(wallet), 0n)
    })
  },
  {
    title: "a unit that the storage cannot take ends its own caller alone",
    proof: Effect.gen(function* () {
      const [wallet, driver] = [yield* aWallet(10n), yield* StorageDriver]
      const units = times(5, () => unitOf(moneyOut(wallet, 2n), { inserts: [rowOf()] }))
      const poison = units[2]
      assert.isDefined(poison)
      const lane = yield* GroupCommit.groupCommit(poisonedBy(driver, poison.id))
      const answers = yield* exits(units.map((unit) => lane(unit)))
      for (const [index, answer] of answers.entries()) {
        if (index !== 2) assertSame(answer, Exit.void)
        else assert.isTrue(Exit.isFailure(answer) && Cause.hasDies(answer.cause))
      }
      assert.strictEqual(yield* availableOf(wallet), 2n)
      yield* lane(unitOf({ inserts: [rowOf({ id: newId() })] }))
    })
  }
]

const aloneLaws: ReadonlyArray<StorageLaw> = [
  {
    title: "a unit that has to go by itself is in once, however late its write arrives",
    proof: Effect.gen(function* () {
      for (const fates of losses) {
        const [wallet, driver] = [yield* aWallet(10n), yield* StorageDriver]
        const poison = unitOf({ inserts: [rowOf()] })
        const lane = yield* GroupCommit.groupCommit(
          poisonedBy(losingAnswers(driver, fates), poison.id)
        )
        const answers = yield* exits([lane(unitOf(moneyOut(wallet, 10n))), lane(poison)])
        assertSame(answers[0], Exit.void, fates.join())
        assert.strictEqual(yield* availableOf(wallet), 0n)
      }
    })
  },
  {
    title: "a unit that has to go by itself and leaves no trace is not sent again",
    proof: Effect.gen(function* () {
      const [key, driver] = [newName(), yield* StorageDriver]
      const poison = unitOf({ inserts: [rowOf()] })
      const lane = yield* GroupCommit.groupCommit(
        poisonedBy(losingAnswers(driver, ["written"]), poison.id)
      )
      const count = unitOf({ counters: [{ key, add: brl(1n) }] })
      const [answer] = yield* exits([lane(count), lane(poison)])
      assertSame(answer, Exit.fail(unknown))
      assert.strictEqual(yield* counterOf(key), 1n)
    })
  }
]

export const faultLaws = [...lossLaws, ...awayLaws, ...aloneLaws]
