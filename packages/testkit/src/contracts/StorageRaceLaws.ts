import type { Refused, StorageError, Unit, WalletId } from "@pagora/core"
import {
  DuplicateKey,
  GroupCommit,
  InsufficientFunds,
  LimitExceeded,
  StaleVersion,
  Storage,
  StorageDriver
} from "@pagora/core"
import { assert } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { ledgerRules } from "./StorageAuditReturnLaws.ts"
import type { StorageLaw } from "./StorageLaws.ts"
import {
  aRow,
  assertSame,
  availableOf,
  aWallet,
  beginning,
  brl,
  counterOf,
  moneyIn,
  moneyOut,
  newId,
  newName,
  rowOf,
  scopeOf,
  times,
  transfer,
  unitOf
} from "./StorageLaws.ts"

type Answer = Exit.Exit<void, Refused | StorageError>

const all = { concurrency: "unbounded" } as const

/** Two write doors over one storage, as two processes have them: what is sent goes to one and the other. */
const twoLanes = Effect.gen(function* () {
  const driver = yield* StorageDriver
  const lanes = [yield* GroupCommit.groupCommit(driver), yield* GroupCommit.groupCommit(driver)]
  return (units: ReadonlyArray<Partial<Unit>>): Effect.Effect<ReadonlyArray<Answer>> =>
    Effect.forEach(
      units,
      (parts, index) => Effect.exit((lanes[index % 2] ?? assert.fail("no lane"))(unitOf(parts))),
      all
    )
})

const won = (answers: ReadonlyArray<Answer>): number => answers.filter(Exit.isSuccess).length

/** Those that did not win were refused in this way, and in no other. */
const assertLosers = (answers: ReadonlyArray<Answer>, refused: Refused): void => {
  for (const answer of answers) if (Exit.isFailure(answer)) assertSame(answer, Exit.fail(refused))
}

const moneyRaces: ReadonlyArray<StorageLaw> = [
  {
    title: "of 200 racing debits with funds for 100, exactly 100 are done and nothing is left",
    proof: Effect.gen(function* () {
      const [wallet, race] = [yield* aWallet(100n), yield* twoLanes]
      const answers = yield* race(times(200, () => moneyOut(wallet, 1n)))
      assert.strictEqual(won(answers), 100)
      assertLosers(answers, new InsufficientFunds({ wallet, bucket: "available" }))
      assert.strictEqual(yield* availableOf(wallet), 0n)
    })
  },
  {
    title: "racing capped counters never pass the cap, and reach it",
    proof: Effect.gen(function* () {
      const [key, race] = [newName(), yield* twoLanes]
      const units = times(100, () => ({ counters: [{ key, add: brl(3n), max: brl(100n) }] }))
      const answers = yield* race(units)
      assert.strictEqual(won(answers), 33)
      assertLosers(answers, new LimitExceeded({ key, used: 99n }))
      assert.strictEqual(yield* counterOf(key), 99n)
    })
  },
  {
    title: "racing transfers back and forth keep the sum, and each is done whole or refused",
    proof: Effect.gen(function* () {
      const wallets = yield* Effect.forEach(
        times(4, (index) => index),
        () => aWallet(20n)
      )
      const race = yield* twoLanes
      // Every pair of wallets in both directions, by amounts that often find too little.
      const moves = times(300, (index) => {
        const from = wallets[index % 4] ?? assert.fail()
        const to = wallets[(index + 1 + (Math.floor(index / 4) % 3)) % 4] ?? assert.fail()
        return { from, to, amount: BigInt((index % 13) + 1) }
      })
      const answers = yield* race(moves.map(({ amount, from, to }) => transfer(from, to, amount)))
      const expected = new Map<WalletId, bigint>(wallets.map((wallet) => [wallet, 20n]))
      const add = (wallet: WalletId, amount: bigint) =>
        expected.set(wallet, (expected.get(wallet) ?? 0n) + amount)
      for (const [index, { amount, from, to }] of moves.entries()) {
        const answer = answers[index]
        assert.isDefined(answer)
        assertLosers([answer], new InsufficientFunds({ wallet: from, bucket: "available" }))
        if (Exit.isFailure(answer)) continue
        add(from, -amount)
        add(to, amount)
      }
      const balances = yield* Effect.forEach(wallets, availableOf)
      assert.deepStrictEqual(balances, [...expected.values()])
      assert.isAbove(won(answers), 10)
      const { violations } = yield* Storage.use((storage) => storage.audit)
      assertSame(
        violations.filter(({ rule }) => ledgerRules.includes(rule)),
        []
      )
    })
  },
  {
    title: "a wallet that is closed while it is paid into is either closed or paid, never both",
    proof: Effect.gen(function* () {
      const race = yield* twoLanes
      for (let round = 0; round < 20; round++) {
        const [wallet, row] = [yield* aWallet(), yield* aRow({ table: "registry" })]
        const { id, table } = row
        const answers = yield* race([
          { empty: [wallet], updates: [{ row: { ...row, status: "closed" }, expected: 1 }] },
          { ...moneyIn(wallet, 5n), expects: [{ table, id, version: 1 }] }
        ])
        assert.strictEqual(won(answers), 1)
      }
    })
  }
]

const nameRaces: ReadonlyArray<StorageLaw> = [
  {
    title: "of racing changes to one version of a row one is done, and the others leave nothing",
    proof: Effect.gen(function* () {
      const [row, key, race] = [yield* aRow(), newName(), yield* twoLanes]
      const driver = yield* StorageDriver
      const changes = times(50, (index) => ({ ...row, document: `{"by":${index}}` }))
      const answers = yield* race(
        changes.map((changed) => ({
          updates: [{ row: changed, expected: 1 }],
          counters: [{ key, add: brl(1n) }]
        }))
      )
      assert.strictEqual(won(answers), 1)
      assertLosers(answers, new StaleVersion({ id: row.id }))
      assert.strictEqual(yield* counterOf(key), 1n)
      const winner = changes[answers.findIndex(Exit.isSuccess)]
      assertSame(yield* driver.rows("operation", [row.id]), [{ ...winner, version: 2 }])
    })
  },
  {
    title: "of two that each rest on what the other changes, one is done",
    proof: Effect.gen(function* () {
      const race = yield* twoLanes
      for (let round = 0; round < 20; round++) {
        const [one, other] = [yield* aRow(), yield* aRow({ table: "registry" })]
        const changing = (row: typeof one, resting: typeof one) => ({
          updates: [{ row, expected: 1 }],
          expects: [{ table: resting.table, id: resting.id, version: 1 }]
        })
        const answers = yield* race([changing(one, other), changing(other, one)])
        assert.strictEqual(won(answers), 1)
      }
    })
  },
  {
    title: "of racing holders of one unique key one has it, and the others leave nothing",
    proof: Effect.gen(function* () {
      const [name, race] = [newName(), yield* twoLanes]
      const storage = yield* Storage
      const driver = yield* StorageDriver
      const rows = times(50, () => rowOf())
      const answers = yield* race(
        rows.map((row) => ({ inserts: [row], keys: [{ space: "law", key: name, holder: row.id }] }))
      )
      assert.strictEqual(won(answers), 1)
      assertLosers(answers, new DuplicateKey({ space: "law", key: name }))
      const winner = rows[answers.findIndex(Exit.isSuccess)]
      const held = yield* storage.resolve({ _tag: "Key", space: "law", key: name })
      assert.strictEqual(held, winner?.id)
      const written = yield* driver.rows(
        "operation",
        rows.map(({ id }) => id)
      )
      assert.deepStrictEqual(
        written.map(({ id }) => id),
        [winner?.id]
      )
    })
  },
  {
    title: "of racing requests under one Idempotency-Key one begins, also where an old one is over",
    proof: Effect.gen(function* () {
      const [scope, race] = [scopeOf(), yield* twoLanes]
      const storage = yield* Storage
      const taken = new DuplicateKey({ space: "idempotency", key: scope.key })
      for (const seconds of [0, 100]) {
        const entities = times(50, () => newId())
        const answers = yield* race(
          entities.map((entity) => beginning(scope, { entity, seconds, expiresIn: 100 }))
        )
        assert.strictEqual(won(answers), 1)
        assertLosers(answers, taken)
        const record = yield* storage.idempotency(scope)
        assert.strictEqual(record?.entity, entities[answers.findIndex(Exit.isSuccess)])
      }
    })
  },
  {
    title: "of racing openings of one wallet one is done",
    proof: Effect.gen(function* () {
      const [wallet, race] = [newId<WalletId>(), yield* twoLanes]
      const answers = yield* race(times(20, () => ({ opens: [wallet], ...moneyIn(wallet, 1n) })))
      assert.strictEqual(won(answers), 1)
      assertLosers(answers, new DuplicateKey({ space: "wallet", key: wallet }))
      assert.strictEqual(yield* availableOf(wallet), 1n)
    })
  }
]

export const raceLaws = [...moneyRaces, ...nameRaces]
