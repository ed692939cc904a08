import type { Refused, Unit } from "@pagora/core"
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
  brl,
  counterOf,
  exits,
  moneyIn,
  moneyOut,
  newId,
  newName,
  rowOf,
  times,
  unitOf,
  walletOf
} from "./StorageLaws.ts"

/** A write door over a storage whose writes meet these fates. */
const faultyLane = (fates: ReadonlyArray<Fate>) =>
  Effect.flatMap(StorageDriver, (driver) => GroupCommit.groupCommit(losingAnswers(driver, fates)))

const away = new StorageError({ reason: "Unavailable" })

/** Units of each sort: with what they mint, with a change only, and with nothing of their own. */
const aMixedGroup = Effect.gen(function* () {
  const [wallet, row, key, lienKey] = [yield* aWallet(100n), yield* aRow(), newName(), newName()]
  const full = yield* aFullUnit
  const units: ReadonlyArray<Unit> = [
    full.unit,
    ...times(10, () => unitOf(moneyOut(wallet, 10n))),
    unitOf({ updates: [{ row, expected: 1 }] }),
    unitOf({ inserts: [rowOf()] }),
    ...times(5, () => unitOf({ counters: [{ key, add: brl(1n) }] })),
    unitOf({
      counters: [{ key: lienKey, add: brl(1n) }],
      liens: [{ wallet: full.wallet, delta: brl(7n) }]
    })
  ]
  const assertOnce = Effect.gen(function* () {
    assert.strictEqual(yield* availableOf(wallet), 0n)
    const traces = yield* tracesOf(...units)
    assert.deepStrictEqual(traces.rows.map(({ version }) => version).toSorted(), [1, 1, 2, 2])
    assert.deepStrictEqual([...traces.facts.counters.values()].toSorted(), [1n, 3n, 5n])
    const held = yield* walletOf(full.wallet)
    assert.deepStrictEqual([held.available, held.lien], [90n, 12n])
  })
  return { units, assertOnce }
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
      const { assertOnce, units } = yield* aMixedGroup
      for (const unit of units) yield* (yield* faultyLane(fates))(unit)
      yield* assertOnce
    })
  })),
  ...losses.map((fates): StorageLaw => ({
    title: `a group whose writes are ${fates.join(", ")} is found in, and every unit is in once`,
    proof: Effect.gen(function* () {
      const { assertOnce, units } = yield* aMixedGroup
      const lane = yield* faultyLane(fates)
      const answers = yield* exits(units.map((unit) => lane(unit)))
      assertSame(
        answers,
        units.map(() => Exit.void)
      )
      yield* assertOnce
    })
  })),
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
    title:
      "while the storage is away callers hear Unavailable and nothing is written; then it goes on",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet(10n)
      const lane = yield* faultyLane(["unavailable"])
      const answers = yield* exits(times(5, () => lane(unitOf(moneyOut(wallet, 1n)))))
      assertSame(
        answers,
        times(5, () => Exit.fail(away))
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
    title: "a unit that has to go by itself and leaves nothing of its own is in once as well",
    proof: Effect.gen(function* () {
      for (const fates of losses) {
        const [key, driver] = [newName(), yield* StorageDriver]
        const poison = unitOf({ inserts: [rowOf()] })
        const lane = yield* GroupCommit.groupCommit(
          poisonedBy(losingAnswers(driver, fates), poison.id)
        )
        const count = unitOf({ counters: [{ key, add: brl(1n) }] })
        const [answer] = yield* exits([lane(count), lane(poison)])
        assertSame(answer, Exit.void, fates.join())
        assert.strictEqual(yield* counterOf(key), 1n)
      }
    })
  },
  {
    title: "what a driver dies of after the storage is done does not make it be done again",
    proof: Effect.gen(function* () {
      const [key, driver] = [newName(), yield* StorageDriver]
      let written = 0
      const lane = yield* GroupCommit.groupCommit({
        ...driver,
        write: (merged) =>
          Effect.tap(driver.write(merged), () =>
            written++ === 0 ? Effect.die(new Error("The answer cannot be read.")) : Effect.void
          )
      })
      const answers = yield* exits(
        times(2, () => lane(unitOf({ counters: [{ key, add: brl(1n) }] })))
      )
      assertSame(answers, [Exit.void, Exit.void])
      assert.strictEqual(yield* counterOf(key), 2n)
    })
  }
]

export const faultLaws = [...lossLaws, ...awayLaws, ...aloneLaws]
