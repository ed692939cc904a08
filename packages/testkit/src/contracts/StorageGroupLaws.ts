import { assert } from "@effect/vitest"
import type { WalletId } from "@pagora/core"
import {
  InsufficientFunds,
  LedgerAccount,
  LedgerTx,
  LimitExceeded,
  StaleVersion
} from "@pagora/core"
import { Effect, Exit } from "effect"
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
  movement,
  newId,
  newName,
  outside,
  transfer,
  walletOf
} from "./StorageLaws.ts"
import { counting } from "./StorageMoneyLaws.ts"

const { available, held, promotional } = LedgerAccount
const done = Exit.void

/** Units that are sent at once are decided in the order they were sent, each on what is left. */
export const groupLaws: ReadonlyArray<StorageLaw> = [
  {
    title: "in a group, each unit may spend what those before it leave, and no more",
    proof: Effect.gen(function* () {
      const id = yield* aWallet(10n)
      const short = Exit.fail(new InsufficientFunds({ wallet: id, bucket: "available" }))
      const moves = [
        moneyOut(id, 6n),
        moneyOut(id, 6n),
        moneyIn(id, 2n),
        moneyOut(id, 6n),
        moneyOut(id, 1n)
      ]
      const answers = yield* exits(moves.map((move) => commit(move)))
      assertSame(answers, [done, short, done, done, short])
      assert.strictEqual(yield* availableOf(id), 0n)
    })
  },
  {
    title: "in a group, money that comes in later does not cover what was spent before",
    proof: Effect.gen(function* () {
      const id = yield* aWallet()
      const short = Exit.fail(new InsufficientFunds({ wallet: id, bucket: "available" }))
      const answers = yield* exits([commit(moneyOut(id, 5n)), commit(moneyIn(id, 5n))])
      assertSame(answers, [short, done])
      const again = yield* exits([commit(moneyIn(id, 5n)), commit(moneyOut(id, 10n))])
      assertSame(again, [done, done])
      assert.strictEqual(yield* availableOf(id), 0n)
    })
  },
  {
    title: "in a group, no bucket and no lien is below zero on the way",
    proof: Effect.gen(function* () {
      const account = (wallet: WalletId) => ({
        available: available(wallet),
        held: held(wallet),
        promotional: promotional(wallet)
      })
      for (const bucket of ["available", "held", "promotional", "lien"] as const) {
        const id = yield* aWallet()
        const change = (amount: bigint) => {
          if (bucket === "lien") return { liens: [{ wallet: id, delta: brl(amount) }] }
          const postings = [
            LedgerTx.credit(account(id)[bucket], brl(amount)),
            LedgerTx.debit(outside, brl(amount))
          ]
          return movement(id, amount, postings)
        }
        const short = Exit.fail(new InsufficientFunds({ wallet: id, bucket }))
        const answers = yield* exits(
          [3n, -4n, 9n, -2n, -6n].map((amount) => commit(change(amount)))
        )
        assertSame(answers, [done, short, done, done, done], bucket)
        assert.strictEqual((yield* walletOf(id))[bucket], 4n)
      }
    })
  },
  {
    title: "in a group, a lien guards against what is spent after it, not before",
    proof: Effect.gen(function* () {
      const id = yield* aWallet(10n)
      const short = Exit.fail(new InsufficientFunds({ wallet: id, bucket: "spendable" }))
      const lien = { liens: [{ wallet: id, delta: brl(8n) }] }
      const answers = yield* exits([
        commit(moneyOut(id, 4n)),
        commit(lien),
        commit(moneyOut(id, 1n))
      ])
      assertSame(answers, [done, done, short])
      assert.strictEqual(yield* availableOf(id), 6n)
    })
  },
  {
    title: "in a group, a counter passes its cap nowhere on the way",
    proof: Effect.gen(function* () {
      const key = newName()
      const over = Exit.fail(new LimitExceeded({ key, used: 6n }))
      const steps = [
        counting(key, 6n, 10n),
        counting(key, 6n, 10n),
        counting(key, -6n),
        counting(key, 10n, 10n)
      ]
      const answers = yield* exits(steps.map((step) => commit(step)))
      assertSame(answers, [done, over, done, done])
      assert.strictEqual(yield* counterOf(key), 10n)
    })
  },
  {
    title: "in a group, a wallet that is not there refuses only those who name it",
    proof: Effect.gen(function* () {
      const [id, missing] = [yield* aWallet(10n), newId<WalletId>()]
      const gone = Exit.fail(new StaleVersion({ id: missing }))
      const answers = yield* exits([
        commit(transfer(id, missing, 1n)),
        commit(moneyOut(id, 10n)),
        commit(moneyIn(missing, 1n))
      ])
      assertSame(answers, [gone, done, gone])
      assert.strictEqual(yield* availableOf(id), 0n)
    })
  }
]
