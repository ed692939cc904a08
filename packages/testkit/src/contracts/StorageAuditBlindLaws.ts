import type { AccountId, WalletId } from "@pagora/core"
import { LedgerAccount, LedgerTx, Storage } from "@pagora/core"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { booking, inLine, outOfLine, ownRow, rulesOf } from "./StorageAuditReturnLaws.ts"
import type { StorageLaw } from "./StorageLaws.ts"
import { aWallet, brl, commit, moneyIn, moneyOut, movement, newId, rowOf } from "./StorageLaws.ts"

const { available, held } = LedgerAccount

/** Money of a wallet that is set aside, without anything that it is set aside for. */
const heldFor = (wallet: WalletId, amount: bigint) => {
  const [tx] = movement(wallet, amount, [
    LedgerTx.spend(available(wallet), brl(amount)),
    LedgerTx.credit(held(wallet), brl(amount))
  ]).ledger
  return tx
}

/** What a ledger can hold without a sum being wrong. */
export const blindSpotLaws: ReadonlyArray<StorageLaw> = [
  {
    title: "the audit sees a lien that no block claims",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet(5_000n)
      const lien = (delta: bigint) => commit({ liens: [{ wallet, delta: brl(delta) }] })
      yield* lien(4_000n)
      assert.deepStrictEqual(yield* rulesOf(wallet), ["lien_unclaimed"])
      const parts = { kind: "balance_block", status: "defended", amount: brl(3_999n) }
      yield* commit({ inserts: [ownRow(wallet, parts)] })
      assert.deepStrictEqual(yield* rulesOf(wallet), ["lien_unclaimed"])
      yield* lien(-1n)
      assert.deepStrictEqual(yield* rulesOf(wallet), [])
    })
  },
  {
    title: "the audit sees an amount that is not what its postings move",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet()
      const [tx] = moneyIn(wallet, 777n).ledger
      const wrong = { ...tx, amount: brl(1n) }
      yield* commit({ ledger: [wrong] })
      assert.deepStrictEqual(yield* rulesOf(wrong.id), ["amount_mismatch"])

      // Of an entity's booking, too.
      const row = ownRow(wallet, { kind: "transfer", status: "completed", amount: brl(1n) })
      const { book } = booking(row)
      yield* commit({ inserts: [row] })
      yield* book("internal_transfer", 1n, { available: 777n })
      assert.deepStrictEqual(yield* rulesOf(row.id), ["transfer_misbooked"])
      const [booked] = yield* Storage.use((storage) =>
        storage.movements({ wallet, kinds: ["internal_transfer"], order: "asc", limit: 1 })
      )
      assert.deepStrictEqual(yield* rulesOf(booked?.id ?? ""), ["amount_mismatch"])
    })
  },
  {
    title: "the audit sees held money that no operation holds, and an operation that holds none",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet(100n)
      const tx = heldFor(wallet, 30n)
      yield* commit({ ledger: [tx] })
      assert.deepStrictEqual(yield* rulesOf(wallet), ["held_mismatch"])
      const parts = { kind: "withdrawal", status: "processing", amount: brl(30n) }
      const row = ownRow(wallet, parts)
      yield* commit({ inserts: [row] })
      yield* inLine("review", row)
      // The sums agree, and still the withdrawal has no booking of its own.
      assert.deepStrictEqual(yield* rulesOf(wallet), [])
      assert.deepStrictEqual(yield* rulesOf(row.id), ["withdrawal_misbooked"])
      const { become, book } = booking(row)
      yield* book("hold", 30n, { available: -30n, held: 30n })
      assert.deepStrictEqual(yield* rulesOf(wallet), ["held_mismatch"])
      assert.deepStrictEqual(yield* rulesOf(row.id), [])
      yield* become("failed", brl(30n))
      yield* outOfLine("review", row)
      assert.sameMembers(yield* rulesOf(row.id), ["event_missing", "withdrawal_misbooked"])
    })
  },
  {
    title: "the audit sees a booking for what does not exist",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet(100n)
      const tx = { ...heldFor(wallet, 10n), kind: "hold" } as const
      yield* commit({ ledger: [tx] })
      assert.deepStrictEqual(yield* rulesOf(tx.id), ["unfounded"])
      yield* commit({ inserts: [rowOf({ id: tx.source, wallet })] })
      assert.deepStrictEqual(yield* rulesOf(tx.id), [])
    })
  },
  {
    title: "the audit sees a booking in another bucket, at another wallet, or at another PSP",
    proof: Effect.gen(function* () {
      const [wallet, other] = [yield* aWallet(), yield* aWallet()]
      const row = ownRow(
        wallet,
        { kind: "charge", status: "completed", amount: brl(7n) },
        { feeAmount: "0" }
      )
      yield* commit({ inserts: [row] })
      const { book, become, rules, tell } = booking(row)
      yield* tell
      yield* book("payment", 7n, { promotional: 7n })
      assert.deepStrictEqual(yield* rules, ["charge_without_payment"])

      const elsewhere = { ...row, id: newId(), document: '{"pspCredentialId":"another"}' }
      const second = booking(elsewhere)
      yield* commit({ inserts: [elsewhere] })
      yield* second.tell
      yield* second.book("payment", 7n, { available: 7n })
      assert.deepStrictEqual(yield* second.rules, ["charge_without_payment"])
      yield* become("failed")
      assert.deepStrictEqual(yield* rules, ["charge_without_payment"])

      const third = yield* aWallet()
      const tx = movement(wallet, 2n, [
        LedgerTx.debit(LedgerAccount.equity(wallet as string as AccountId), brl(2n)),
        LedgerTx.credit(available(other), brl(1n)),
        LedgerTx.credit(available(third), brl(1n))
      ]).ledger[0]
      yield* commit({ ledger: [tx] })
      assert.deepStrictEqual(yield* rulesOf(tx.id), ["misfiled"])
    })
  },
  {
    title: "the audit sees a document that it cannot read",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet()
      const parts = { kind: "withdrawal", status: "completed", amount: brl(1n) }
      const row = ownRow(wallet, parts, { feeAmount: "1,50" })
      yield* commit({ inserts: [row] })
      assert.deepStrictEqual(yield* rulesOf(row.id), ["unreadable"])
    })
  },
  {
    title: "the audit lets a closed account hold what came back to it, and no more",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet()
      yield* commit({ inserts: [closedSince(wallet, 0)] })
      assert.deepStrictEqual(yield* rulesOf(wallet), [])
      yield* comeBack(wallet, 9n)
      assert.deepStrictEqual(yield* rulesOf(wallet), [])
      yield* commit(byOperator(moneyIn(wallet, 1n)))
      assert.deepStrictEqual(yield* rulesOf(wallet), ["closed_not_empty"])
      yield* commit(moneyOut(wallet, 1n))
      assert.deepStrictEqual(yield* rulesOf(wallet), [])
    })
  },
  {
    title: "the audit counts what came back to a closed account from its closing on",
    proof: Effect.gen(function* () {
      const before = yield* aWallet()
      yield* comeBack(before, 9n)
      yield* commit({ inserts: [closedSince(before, 3_600)] })
      assert.deepStrictEqual(yield* rulesOf(before), ["closed_not_empty"])

      // What the operator took out is not there any more.
      const emptied = yield* aWallet()
      yield* commit({ inserts: [closedSince(emptied, 0)] })
      yield* comeBack(emptied, 9n)
      yield* commit(byOperator(moneyOut(emptied, 9n)))
      assert.deepStrictEqual(yield* rulesOf(emptied), [])
      yield* commit(byOperator(moneyIn(emptied, 9n)))
      assert.deepStrictEqual(yield* rulesOf(emptied), ["closed_not_empty"])

      // What he took out right before the closing was never of what came back.
      const late = yield* aWallet()
      const [paid] = moneyIn(late, 5n).ledger
      yield* commit({ ledger: [{ ...paid, kind: "payment" }] })
      yield* commit(byOperator(moneyOut(late, 5n)))
      yield* commit({ inserts: [closedSince(late, 0)] })
      yield* comeBack(late, 9n)
      assert.deepStrictEqual(yield* rulesOf(late), [])
    })
  }
]

/** An account that was closed so many seconds from now. */
const closedSince = (wallet: WalletId, seconds: number) => {
  const updatedAt = new Date(Date.now() + seconds * 1_000).toISOString()
  const parts = { id: wallet, table: "registry", kind: "account", status: "closed" } as const
  return rowOf({ ...parts, document: JSON.stringify({ updatedAt }) })
}

/** A payout that was reversed. */
const comeBack = Effect.fnUntraced(function* (wallet: WalletId, amount: bigint) {
  const row = ownRow(wallet, { kind: "withdrawal", status: "reversed", amount: brl(amount) })
  yield* commit({ inserts: [row] })
  yield* booking(row).book("adjustment", amount, { available: amount })
})

/** An adjustment that stands for nothing but itself. */
const byOperator = ({ ledger: [tx] }: ReturnType<typeof movement>) => ({
  ledger: [{ ...tx, source: tx.id }]
})
