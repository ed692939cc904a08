import {
  DuplicateKey,
  GroupCommit,
  InsufficientFunds,
  MergedUnit,
  StorageDriver,
  StorageError
} from "@pagora/core"
import { assert } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { aFullUnit, tracesOf } from "./StorageAtomicityLaws.ts"
import { losingAnswers } from "./StorageFaults.ts"
import type { StorageLaw } from "./StorageLaws.ts"
import {
  assertSame,
  availableOf,
  aWallet,
  brl,
  commit,
  counterOf,
  exits,
  moneyIn,
  moneyOut,
  newId,
  newName,
  rowOf,
  unitOf
} from "./StorageLaws.ts"

const unknown = new StorageError({ reason: "OutcomeUnknown" })
const away = new StorageError({ reason: "Unavailable" })

/** What callers are told after a connection broke is true, and stays so. */
export const doubtLaws: ReadonlyArray<StorageLaw> = [
  {
    title: "what somebody else has written of the same acknowledges nothing",
    proof: Effect.gen(function* () {
      const [driver, full, row] = [yield* StorageDriver, yield* aFullUnit, rowOf()]
      const attempts = (full.unit.attempts ?? []).slice(0, 1)
      const cutOff = yield* GroupCommit.groupCommit({
        ...losingAnswers(driver, ["dropped"]),
        resolveWrite: (id) =>
          Effect.andThen(
            driver.write(MergedUnit.merge([unitOf({ attempts })], newId())),
            driver.resolveWrite(id)
          )
      })
      const answers = yield* exits([
        cutOff(unitOf({ attempts })),
        cutOff(unitOf({ inserts: [row] }))
      ])
      const [attempt] = attempts
      const taken = new DuplicateKey({
        space: "attempt",
        key: `${attempt?.delivery} ${attempt?.number}`
      })
      assertSame(answers, [Exit.fail(taken), Exit.void])
      assert.strictEqual((yield* driver.rows(row.table, [row.id])).length, 1)
    })
  },
  {
    title:
      "a refusal that is told after a lost answer stays true, however late the lost write arrives",
    proof: Effect.gen(function* () {
      for (const resent of ["InsufficientFunds", "Unavailable"] as const) {
        const [driver, wallet] = [yield* StorageDriver, yield* aWallet(10n)]
        const late: Array<MergedUnit.MergedUnit> = []
        const lane = yield* GroupCommit.groupCommit({
          ...driver,
          write: (merged) =>
            Effect.suspend(() => {
              if (late.push(merged) === 1) return unknown
              return resent === "Unavailable" ? away : driver.write(merged)
            }),
          // Meanwhile another process spends the money.
          facts: (keys) =>
            resent === "Unavailable"
              ? driver.facts(keys)
              : Effect.andThen(
                  driver.write(MergedUnit.merge([unitOf(moneyOut(wallet, 10n))], newId())),
                  driver.facts(keys)
                )
        })
        const unit = unitOf(moneyOut(wallet, 10n), { inserts: [rowOf()] })
        assertSame(
          yield* Effect.flip(lane(unit)),
          resent === "Unavailable" ? away : new InsufficientFunds({ wallet, bucket: "available" })
        )
        yield* commit(moneyIn(wallet, 100n))
        const [first] = late
        assert.isDefined(first)
        assert.isNotNull(yield* driver.write(first))
        assert.strictEqual(yield* availableOf(wallet), resent === "Unavailable" ? 110n : 100n)
        assert.deepStrictEqual((yield* tracesOf(unit)).rows, [])
      }
    })
  },
  {
    title: "while nobody can be asked what became of a write, its outcome is unknown to all of it",
    proof: Effect.gen(function* () {
      const driver = yield* StorageDriver
      const lane = yield* GroupCommit.groupCommit({
        ...losingAnswers(driver, ["written"]),
        resolveWrite: () => away
      })
      const key = newName()
      const answers = yield* exits([
        lane(unitOf({ counters: [{ key, add: brl(1n) }] })),
        lane(unitOf({ inserts: [rowOf()] }))
      ])
      assertSame(answers, [Exit.fail(unknown), Exit.fail(unknown)])
      assert.strictEqual(yield* counterOf(key), 1n)
    })
  }
]
