import { InsufficientFunds, LedgerAccount, LedgerTx, LimitExceeded, Storage } from "@pagora/core"
import type { WalletId } from "@pagora/core"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { StorageLaw } from "./StorageLaws.ts"
import {
  assertSame,
  at,
  availableOf,
  aWallet,
  brl,
  commit,
  counterOf,
  factsOf,
  moneyIn,
  moneyOut,
  movement,
  newId,
  newName,
  refusal,
  transfer,
  walletOf
} from "./StorageLaws.ts"

const { available, held, promotional } = LedgerAccount

const walletLaws: ReadonlyArray<StorageLaw> = [
  {
    title: "a wallet opens empty, at the instant of its unit",
    proof: Effect.gen(function* () {
      const id = newId<WalletId>()
      yield* commit({ opens: [id], at: at(7) })
      const empty = { available: 0n, held: 0n, promotional: 0n, lien: 0n }
      assertSame(yield* walletOf(id), { id, ...empty, updatedAt: at(7) })
    })
  },
  {
    title: "a wallet can be opened and paid into by one unit",
    proof: Effect.gen(function* () {
      const id = newId<WalletId>()
      yield* commit({ opens: [id] }, moneyIn(id, 5n))
      assert.strictEqual(yield* availableOf(id), 5n)
    })
  },
  {
    title: "a wallet that was never opened is not there",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      assert.isUndefined(yield* storage.wallet(newId()))
    })
  },
  {
    title: "postings land in their buckets",
    proof: Effect.gen(function* () {
      const id = yield* aWallet(100n)
      yield* commit(moneyIn(id, 7n, promotional(id)))
      yield* commit(
        movement(id, 30n, [
          LedgerTx.spend(available(id), brl(30n)),
          LedgerTx.credit(held(id), brl(30n))
        ])
      )
      const { updatedAt: _, ...wallet } = yield* walletOf(id)
      assertSame(wallet, { id, available: 70n, held: 30n, promotional: 7n, lien: 0n })
    })
  },
  {
    title: "amounts beyond 2^53 are exact, in wallets, movements, counters and facts",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const large = 2n ** 53n + 1n
      const id = yield* aWallet(large)
      const { ledger } = moneyIn(id, large)
      const key = newName()
      yield* commit({ ledger }, { counters: [{ key, add: brl(large), max: brl(large) }] })
      assert.strictEqual(yield* availableOf(id), 2n * large)
      assertSame(yield* storage.ledgerTx(ledger[0].id), ledger[0])
      assert.strictEqual(yield* counterOf(key), large)
      const facts = yield* factsOf({ empty: [id] })
      assert.strictEqual(facts.wallets.get(id)?.available, 2n * large)
      yield* commit(moneyOut(id, 2n * large))
      assert.strictEqual(yield* availableOf(id), 0n)
    })
  },
  {
    title: "a wallet tells the latest instant at which it changed, liens included",
    proof: Effect.gen(function* () {
      const id = yield* aWallet()
      const moments = [
        [moneyIn(id, 5n), 60, 60],
        [{ liens: [{ wallet: id, delta: brl(1n) }] }, 90, 90],
        [moneyOut(id, 1n), 30, 90]
      ] as const
      for (const [parts, seconds, expected] of moments) {
        yield* commit(parts, { at: at(seconds) })
        assertSame((yield* walletOf(id)).updatedAt, at(expected))
      }
    })
  },
  {
    title: "a unit is one step: a bucket may pass below zero inside it",
    proof: Effect.gen(function* () {
      const [one, other] = [yield* aWallet(10n), yield* aWallet()]
      yield* commit(transfer(other, one, 4n), transfer(one, other, 4n))
      assert.deepStrictEqual([yield* availableOf(one), yield* availableOf(other)], [10n, 0n])
    })
  },
  {
    title: "a wallet can be emptied and closed by one unit",
    proof: Effect.gen(function* () {
      const id = yield* aWallet(10n)
      yield* commit(moneyOut(id, 10n), { empty: [id] })
      yield* commit({ empty: [id] })
      assert.strictEqual(yield* availableOf(id), 0n)
    })
  }
]

const lienLaws: ReadonlyArray<StorageLaw> = [
  {
    title: "a lien may claim more than there is, and later credits stay claimed",
    proof: Effect.gen(function* () {
      const id = yield* aWallet(10n)
      yield* commit({ liens: [{ wallet: id, delta: brl(25n) }] })
      yield* commit(moneyIn(id, 10n))
      const short = new InsufficientFunds({ wallet: id, bucket: "spendable" })
      assertSame(yield* refusal(moneyOut(id, 1n)), short)
      yield* commit(moneyIn(id, 10n))
      assertSame(yield* refusal(moneyOut(id, 6n)), short)
      yield* commit(moneyOut(id, 5n))
      assert.strictEqual(yield* availableOf(id), 25n)
    })
  },
  {
    title: "what a lien claims can be taken by a debit that does not spend",
    proof: Effect.gen(function* () {
      const id = yield* aWallet(10n)
      yield* commit({ liens: [{ wallet: id, delta: brl(10n) }] })
      yield* commit(
        movement(id, 10n, [
          LedgerTx.debit(available(id), brl(10n)),
          LedgerTx.credit(held(id), brl(10n))
        ]),
        { liens: [{ wallet: id, delta: brl(-10n) }] }
      )
      const { available: left, held: taken, lien } = yield* walletOf(id)
      assert.deepStrictEqual([left, taken, lien], [0n, 10n, 0n])
    })
  },
  {
    title: "a lien that is lifted frees what it claimed",
    proof: Effect.gen(function* () {
      const id = yield* aWallet(10n)
      yield* commit({ liens: [{ wallet: id, delta: brl(8n) }] })
      yield* commit({ liens: [{ wallet: id, delta: brl(-8n) }] }, moneyOut(id, 10n))
      assert.strictEqual(yield* availableOf(id), 0n)
    })
  }
]

export const counting = (key: string, add: bigint, max?: bigint) => ({
  counters: [{ key, add: brl(add), ...(max === undefined ? {} : { max: brl(max) }) }]
})

const counterLaws: ReadonlyArray<StorageLaw> = [
  {
    title:
      "a counter begins at zero, reaches its cap, and gets room again when something is released",
    proof: Effect.gen(function* () {
      const key = newName()
      assert.isUndefined(yield* counterOf(key))
      yield* commit(counting(key, 4n, 10n))
      yield* commit(counting(key, 6n, 10n))
      assertSame(yield* refusal(counting(key, 1n, 10n)), new LimitExceeded({ key, used: 10n }))
      yield* commit(counting(key, -3n))
      yield* commit(counting(key, 3n, 10n))
      assert.strictEqual(yield* counterOf(key), 10n)
    })
  },
  {
    title: "a counter without a cap goes anywhere, and a cap only holds those who name it",
    proof: Effect.gen(function* () {
      const key = newName()
      yield* commit(counting(key, -5n))
      yield* commit(counting(key, 100n))
      assertSame(yield* refusal(counting(key, 1n, 95n)), new LimitExceeded({ key, used: 95n }))
      yield* commit(counting(key, 1n, 96n))
      assert.strictEqual(yield* counterOf(key), 96n)
    })
  },
  {
    title: "a counter that a unit adds to twice counts by its sum",
    proof: Effect.gen(function* () {
      const key = newName()
      const refused = yield* refusal(counting(key, 6n, 10n), counting(key, 5n))
      assertSame(refused, new LimitExceeded({ key, used: 0n }))
      yield* commit(counting(key, 12n, 10n), counting(key, -5n))
      assert.strictEqual(yield* counterOf(key), 7n)
    })
  }
]

export const moneyLaws = [...walletLaws, ...lienLaws, ...counterLaws]
