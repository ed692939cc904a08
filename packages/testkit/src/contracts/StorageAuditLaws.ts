import type { AccountId, PspCredentialId, Row, WalletId } from "@pagora/core"
import { LedgerAccount, LedgerTx } from "@pagora/core"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { blindSpotLaws } from "./StorageAuditBlindLaws.ts"
import { auditKnownLaws } from "./StorageAuditKnownLaws.ts"
import {
  audit,
  booking,
  inLine,
  ledgerRules,
  outOfLine,
  ownRow,
  returnAuditLaws,
  rulesOf
} from "./StorageAuditReturnLaws.ts"
import { auditSinceLaws } from "./StorageAuditSinceLaws.ts"
import { purgeLaws } from "./StoragePurgeLaws.ts"
import type { StorageLaw } from "./StorageLaws.ts"
import {
  assertSame,
  aWallet,
  brl,
  commit,
  moneyOut,
  movement,
  newId,
  rowOf,
  transfer
} from "./StorageLaws.ts"

/** A completed charge of 100 with a fee of 40, of which 60 went on to another wallet. */
const aCharge = Effect.gen(function* () {
  const wallet = yield* aWallet()
  const destination = yield* aWallet()
  const split = [{ wallet: destination, reference: "loja", amount: "60", applied: "60" }]
  const row = ownRow(
    wallet,
    { kind: "charge", status: "completed", amount: brl(100n) },
    { feeAmount: "40", split }
  )
  const { become, book, rules, tell } = booking(row)
  const parts = {
    payment: (amount = 100n) => book("payment", amount, { available: amount }),
    fee: book("fee", 40n, { available: -40n, fee_revenue: 40n }),
    leg: commit(legOf(row, destination, 60n))
  }
  return { row, become, rules, tell, destination, ...parts }
})

/** A leg of a split: from the wallet of the charge to another one. */
const legOf = (row: Row, destination: WalletId, amount: bigint) => {
  const [tx] = transfer(row.wallet as WalletId, destination, amount).ledger
  const account = row.account as AccountId
  return { ledger: [{ ...tx, kind: "internal_transfer", account, source: row.id } as const] }
}

/** A balance block, and the lien that it should be. */
const aBlock = (wallet: WalletId, status: string) =>
  ownRow(wallet, { kind: "balance_block", status, amount: brl(10n) })
const lienOn = (wallet: WalletId, delta: bigint) =>
  commit({ liens: [{ wallet, delta: brl(delta) }] })

const auditLaws: ReadonlyArray<StorageLaw> = [
  {
    title:
      "the audit sees a block that took too much or too early, and a charge that gave too much",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet(20n)
      const block = aBlock(wallet, "defended")
      const taking = booking(block)
      yield* commit({ inserts: [block] })
      assert.deepStrictEqual(yield* taking.rules, [])
      yield* taking.book("chargeback", 10n, { available: -10n, suspense: 10n })
      assert.sameMembers(yield* taking.rules, ["balance_block_misbooked", "block_overdrawn"])
      const taken = { returned: "10", pieces: 1 }
      yield* taking.become("collecting", brl(10n), taken)
      assert.deepStrictEqual(yield* taking.rules, ["unattended"])
      yield* inLine("block", block)
      assert.deepStrictEqual(yield* taking.rules, [])
      yield* outOfLine("block", block)
      yield* taking.become("approved", brl(9n), taken)
      assert.deepStrictEqual(yield* taking.rules, ["block_overdrawn"])
      yield* taking.become("approved", brl(10n), { returned: "9", pieces: 1 })
      assert.deepStrictEqual(yield* taking.rules, ["balance_block_misbooked"])
      yield* taking.become("approved", brl(10n), taken)
      assert.deepStrictEqual(yield* taking.rules, [])

      const giving = yield* aCharge
      yield* commit({ inserts: [giving.row] })
      yield* Effect.all([giving.payment(), giving.tell, giving.fee, giving.leg])
      assert.deepStrictEqual(yield* giving.rules, [])
      yield* giving.become("completed", brl(99n))
      assert.sameMembers(yield* giving.rules, ["charge_overspent", "charge_without_payment"])
      yield* giving.become("completed")
      const claimed = { chargedBack: "30", blockedAmount: "20" }
      yield* giving.become("completed", undefined, { ...claimed, refundedInParts: "51" })
      assert.deepStrictEqual(yield* giving.rules, ["charge_overclaimed"])
      yield* giving.become("completed", undefined, { ...claimed, refundedInParts: "50" })
      assert.deepStrictEqual(yield* giving.rules, [])
      yield* giving.become("completed")
    })
  },
  {
    title: "the audit wants a lien for all that blocks claim of a wallet and have not got",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet(10n)
      const [open, done] = [aBlock(wallet, "awaiting_response"), aBlock(wallet, "rejected")]
      const { become, book } = booking(open)
      yield* commit({ inserts: [open, done] })
      assert.deepStrictEqual(yield* rulesOf(wallet), ["lien_missing"])
      yield* lienOn(wallet, 10n)
      assert.deepStrictEqual(yield* rulesOf(wallet), [])
      yield* lienOn(wallet, -4n)
      assert.deepStrictEqual(yield* rulesOf(wallet), ["lien_missing"])
      yield* book("chargeback", 4n, { available: -4n, suspense: 4n })
      yield* become("collecting", brl(10n), { returned: "4", pieces: 1 })
      assert.deepStrictEqual(yield* rulesOf(wallet), ["suspense_mismatch"])
      yield* lienOn(wallet, -6n)
      assert.deepStrictEqual(yield* rulesOf(wallet), ["lien_missing", "suspense_mismatch"])
      yield* become("approved", brl(10n), { returned: "4", pieces: 1, uncollected: "6" })
      assert.deepStrictEqual(yield* rulesOf(wallet), ["suspense_mismatch"])
      yield* become("collecting", brl(10n), { returned: "4", pieces: 1, released: "5" })
      assert.deepStrictEqual(yield* rulesOf(wallet), ["lien_missing", "suspense_mismatch"])
      yield* become("approved", brl(10n), { returned: "4", pieces: 1, released: "6" })
      assert.deepStrictEqual(yield* rulesOf(wallet), ["suspense_mismatch"])
    })
  },
  {
    title: "the audit sees what is left in, or claimed of, the wallet of a closed sub-account",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet(5n)
      const row = rowOf({ id: wallet, table: "registry", kind: "sub_account", status: "approved" })
      yield* commit({ inserts: [row] })
      assert.deepStrictEqual(yield* rulesOf(wallet), [])
      yield* commit({ updates: [{ row: { ...row, status: "closed" }, expected: 1 }] })
      assert.deepStrictEqual(yield* rulesOf(wallet), ["closed_not_empty"])
      yield* commit(moneyOut(wallet, 5n))
      assert.deepStrictEqual(yield* rulesOf(wallet), [])
      yield* lienOn(wallet, 1n)
      assert.deepStrictEqual(yield* rulesOf(wallet), ["closed_not_empty", "lien_unclaimed"])
      yield* lienOn(wallet, -1n)
    })
  },
  {
    title: "the audit finds nothing wrong with what the write door let in",
    proof: Effect.gen(function* () {
      const wallets = [yield* aWallet(50n), yield* aWallet(50n)] as const
      yield* commit(transfer(wallets[0], wallets[1], 20n))
      yield* commit({ inserts: [{ ...aBlock(wallets[0], "defended"), amount: brl(99n) }] })
      yield* lienOn(wallets[0], 99n)
      const { destination, fee, leg, payment, row, tell } = yield* aCharge
      yield* commit({ inserts: [row] })
      yield* Effect.all([payment(), tell, fee, leg])
      const own: ReadonlyArray<string> = [...wallets, row.id, row.wallet ?? "", destination]
      const { violations } = yield* audit
      // Other laws leave behind what no service would write; the ledger itself they cannot break.
      assertSame(
        violations.filter(
          ({ rule, subject }) => ledgerRules.includes(rule) || own.includes(subject)
        ),
        []
      )
    })
  },
  {
    title: "the audit counts the ledger's accounts and entries",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet()
      const before = yield* audit
      const psp = LedgerAccount.pspClearing(newId<PspCredentialId>())
      const postings = [
        LedgerTx.debit(psp, brl(10n)),
        LedgerTx.credit(LedgerAccount.available(wallet), brl(7n)),
        LedgerTx.credit(LedgerAccount.held(wallet), brl(3n))
      ]
      yield* commit(movement(wallet, 10n, postings))
      const after = yield* audit
      assert.strictEqual(after.accounts - before.accounts, 3)
      assert.strictEqual(after.entries - before.entries, 3)
      yield* commit(movement(wallet, 10n, postings))
      const again = yield* audit
      assert.strictEqual(again.accounts, after.accounts)
      assert.strictEqual(again.entries - after.entries, 3)
    })
  },
  {
    title: "the audit misses the payment and the event of a completed charge until they are there",
    proof: Effect.gen(function* () {
      const { fee, leg, payment, row, rules, tell } = yield* aCharge
      yield* commit({ inserts: [row] })
      assert.sameMembers(yield* rules, [
        "charge_misbooked",
        "charge_without_payment",
        "event_missing"
      ])
      yield* tell
      assert.deepStrictEqual(yield* rules, ["charge_misbooked", "charge_without_payment"])
      yield* payment()
      assert.deepStrictEqual(yield* rules, ["charge_misbooked"])
      yield* fee
      assert.deepStrictEqual(yield* rules, ["charge_misbooked"])
      yield* leg
      assert.deepStrictEqual(yield* rules, [])
    })
  },
  {
    title:
      "the audit wants of a withdrawal the bookings of its status, of its amount, and its event",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet(200n)
      const parts = { kind: "withdrawal", status: "pending", amount: brl(100n) }
      const row = ownRow(wallet, parts, { feeAmount: "5", promotionalAmount: "0" })
      const { become, book, rules, tell } = booking(row)
      const misbooked = ["withdrawal_misbooked"]
      yield* commit({ inserts: [row] })
      assert.sameMembers(yield* rules, ["unattended", ...misbooked])
      yield* inLine("payout", row)
      assert.deepStrictEqual(yield* rules, misbooked)
      yield* book("hold", 100n, { available: -100n, held: 100n })
      assert.deepStrictEqual(yield* rules, [])
      yield* become("completed")
      assert.sameMembers(yield* rules, ["event_missing", ...misbooked])
      yield* tell
      yield* book("withdrawal", 95n, { held: -95n })
      // The fee of a payout that nobody booked.
      assert.deepStrictEqual(yield* rules, misbooked)
      yield* book("fee", 5n, { held: -5n, fee_revenue: 5n })
      assert.deepStrictEqual(yield* rules, [])
      yield* become("completed", brl(90n))
      assert.deepStrictEqual(yield* rules, misbooked)
      for (const status of ["failed", "processing", "reversed"]) {
        yield* become(status)
        assert.deepStrictEqual(yield* rules, misbooked, status)
      }
      yield* book("adjustment", 100n, { available: 100n, fee_revenue: -5n })
      assert.deepStrictEqual(yield* rules, [])
      yield* outOfLine("payout", row)
    })
  },
  {
    title: "the audit sees a payment of another amount, and one of a charge that is not completed",
    proof: Effect.gen(function* () {
      const { become, fee, leg, payment, row, rules, tell } = yield* aCharge
      yield* commit({ inserts: [row] })
      yield* Effect.all([payment(), tell, fee, leg])
      const steps = [
        ["completed", 110n, ["charge_without_payment"]],
        ["pending", 100n, ["charge_misbooked", "charge_without_payment", "unattended"]],
        ["completed", 100n, []]
      ] as const
      for (const [status, amount, broken] of steps) {
        yield* become(status, brl(amount))
        assert.sameMembers(yield* rules, [...broken])
      }
    })
  }
]

export const auditAndPurgeLaws = [
  ...auditLaws,
  ...blindSpotLaws,
  ...auditSinceLaws,
  ...auditKnownLaws,
  ...returnAuditLaws,
  ...purgeLaws
]
