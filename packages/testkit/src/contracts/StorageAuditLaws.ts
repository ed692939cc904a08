import type { ChargeId, PspCredentialId, Unit } from "@pagora/core"
import { LedgerAccount, LedgerTx } from "@pagora/core"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import {
  audit,
  booking,
  inLine,
  outOfLine,
  returnAuditLaws,
  rulesOf
} from "./StorageAuditReturnLaws.ts"
import { purgeLaws } from "./StoragePurgeLaws.ts"
import type { StorageLaw } from "./StorageLaws.ts"
import {
  assertSame,
  aWallet,
  brl,
  commit,
  eventOf,
  moneyIn,
  moneyOut,
  movement,
  newId,
  rowOf,
  transfer
} from "./StorageLaws.ts"

/** A completed charge, and the parts that make it right one by one. */
const aCharge = Effect.gen(function* () {
  const wallet = yield* aWallet()
  const row = rowOf({ kind: "charge", status: "completed", amount: brl(100n), wallet })
  const payment = (amount: bigint) => {
    const [tx] = moneyIn(wallet, amount).ledger
    return {
      ledger: [{ ...tx, kind: "payment", source: row.id as ChargeId }]
    } satisfies Partial<Unit>
  }
  const event = {
    events: [{ event: eventOf({ account: row.account as never, key: row.id }), deliveries: [] }]
  }
  return { row, payment, event }
})

const auditLaws: ReadonlyArray<StorageLaw> = [
  {
    title:
      "the audit sees a block that took too much or too early, and a charge that gave too much",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet()
      const block = rowOf({ kind: "balance_block", status: "defended", amount: brl(10n), wallet })
      const taking = booking(block)
      yield* commit({ inserts: [block] })
      assert.deepStrictEqual(yield* taking.rules, [])
      yield* taking.book("chargeback", 10n)
      assert.deepStrictEqual(yield* taking.rules, ["block_overdrawn"])
      yield* taking.become("collecting")
      assert.deepStrictEqual(yield* taking.rules, ["unattended"])
      yield* inLine("block", block)
      assert.deepStrictEqual(yield* taking.rules, [])
      yield* outOfLine("block", block)
      yield* taking.become("approved", brl(9n))
      assert.deepStrictEqual(yield* taking.rules, ["block_overdrawn"])
      yield* taking.become("approved")

      const { event, payment, row } = yield* aCharge
      yield* commit({ inserts: [row] }, payment(100n), event)
      const giving = booking(row)
      yield* giving.book("fee", 40n)
      yield* giving.book("internal_transfer", 60n)
      assert.deepStrictEqual(yield* giving.rules, [])
      yield* giving.become("completed", brl(99n))
      assert.sameMembers(yield* giving.rules, ["charge_overspent", "charge_without_payment"])
      yield* giving.become("completed")
    })
  },
  {
    title: "the audit wants a lien for all that blocks claim of a wallet and have not got",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet()
      const blockOf = (status: string) =>
        rowOf({ kind: "balance_block", status, amount: brl(10n), wallet })
      const [open, done] = [blockOf("awaiting_response"), blockOf("rejected")]
      const { become, book } = booking(open)
      const lien = (delta: bigint) => commit({ liens: [{ wallet, delta: brl(delta) }] })
      yield* commit({ inserts: [open, done] })
      assert.deepStrictEqual(yield* rulesOf(wallet), ["lien_missing"])
      yield* lien(10n)
      assert.deepStrictEqual(yield* rulesOf(wallet), [])
      yield* lien(-4n)
      assert.deepStrictEqual(yield* rulesOf(wallet), ["lien_missing"])
      yield* become("collecting")
      yield* book("chargeback", 4n)
      assert.deepStrictEqual(yield* rulesOf(wallet), [])
      yield* lien(-6n)
      assert.deepStrictEqual(yield* rulesOf(wallet), ["lien_missing"])
      yield* become("approved")
      assert.deepStrictEqual(yield* rulesOf(wallet), [])
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
      yield* commit({ liens: [{ wallet, delta: brl(1n) }] })
      assert.deepStrictEqual(yield* rulesOf(wallet), ["closed_not_empty"])
      yield* commit({ liens: [{ wallet, delta: brl(-1n) }] })
    })
  },
  {
    title: "the audit finds nothing wrong with what the write door let in",
    proof: Effect.gen(function* () {
      const wallets = [yield* aWallet(50n), yield* aWallet(50n)] as const
      yield* commit(transfer(wallets[0], wallets[1], 20n))
      yield* commit({ liens: [{ wallet: wallets[0], delta: brl(99n) }] })
      const { payment, row, event } = yield* aCharge
      yield* commit({ inserts: [row] }, payment(100n), event)
      assertSame((yield* audit).violations, [])
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
      const { event, payment, row } = yield* aCharge
      yield* commit({ inserts: [row] })
      assert.sameMembers(yield* rulesOf(row.id), ["charge_without_payment", "event_missing"])
      yield* commit(event)
      assert.deepStrictEqual(yield* rulesOf(row.id), ["charge_without_payment"])
      yield* commit(payment(100n))
      assert.deepStrictEqual(yield* rulesOf(row.id), [])
    })
  },
  {
    title:
      "the audit wants of a withdrawal the bookings of its status, of its amount, and its event",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet()
      const row = rowOf({ kind: "withdrawal", status: "pending", amount: brl(100n), wallet })
      const booked = (kind: LedgerTx.LedgerKind, amount: bigint) => {
        const [tx] = moneyIn(wallet, amount).ledger
        return { ledger: [{ ...tx, kind, source: row.id as ChargeId }] } satisfies Partial<Unit>
      }
      const event = {
        events: [{ event: eventOf({ account: row.account as never, key: row.id }), deliveries: [] }]
      }
      let version = 0
      const become = (status: string, amount = 100n) =>
        commit({ updates: [{ row: { ...row, status, amount: brl(amount) }, expected: ++version }] })
      const misbooked = ["withdrawal_misbooked"]
      yield* commit({ inserts: [row] })
      assert.sameMembers(yield* rulesOf(row.id), ["unattended", ...misbooked])
      yield* inLine("payout", row)
      assert.deepStrictEqual(yield* rulesOf(row.id), misbooked)
      yield* commit(booked("hold", 100n))
      assert.deepStrictEqual(yield* rulesOf(row.id), [])
      yield* become("completed")
      assert.sameMembers(yield* rulesOf(row.id), ["event_missing", ...misbooked])
      yield* commit(event, booked("withdrawal", 95n))
      assert.deepStrictEqual(yield* rulesOf(row.id), [])
      yield* become("completed", 90n)
      assert.deepStrictEqual(yield* rulesOf(row.id), misbooked)
      for (const status of ["failed", "processing", "reversed"]) {
        yield* become(status)
        assert.deepStrictEqual(yield* rulesOf(row.id), misbooked, status)
      }
      yield* commit(booked("adjustment", 100n))
      assert.deepStrictEqual(yield* rulesOf(row.id), [])
      yield* outOfLine("payout", row)
    })
  },
  {
    title: "the audit sees a payment of another amount, and one of a charge that is not completed",
    proof: Effect.gen(function* () {
      const { event, payment, row } = yield* aCharge
      const steps = [
        [{ ...row, status: "completed", amount: brl(90n) }, ["charge_without_payment"]],
        [
          { ...row, status: "pending", amount: brl(100n) },
          ["charge_without_payment", "unattended"]
        ],
        [{ ...row, status: "completed", amount: brl(100n) }, []]
      ] as const
      yield* commit({ inserts: [row] }, payment(100n), event)
      for (const [index, [changed, rules]] of steps.entries()) {
        yield* commit({ updates: [{ row: changed, expected: index + 1 }] })
        assert.sameMembers(yield* rulesOf(row.id), [...rules])
      }
    })
  }
]

export const auditAndPurgeLaws = [...auditLaws, ...returnAuditLaws, ...purgeLaws]
