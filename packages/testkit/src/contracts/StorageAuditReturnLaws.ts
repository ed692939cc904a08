import type { AccountId, ChargeId, Queue, Row, WalletId } from "@pagora/core"
import { LedgerAccount, LedgerTx, Storage } from "@pagora/core"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { StorageLaw } from "./StorageLaws.ts"
import {
  at,
  aWallet,
  brl,
  commit,
  eventOf,
  moneyIn,
  movement,
  newId,
  outside,
  rowOf
} from "./StorageLaws.ts"

export const audit = Storage.use((storage) => storage.audit)

/** The rules that something breaks, as the audit tells them. */
export const rulesOf = (subject: string) =>
  Effect.map(audit, ({ violations }) =>
    violations.filter((violation) => violation.subject === subject).map(({ rule }) => rule)
  )

/** Commits what makes the row's bookings, and tells which rules it breaks then. */
export const booking = (row: Row) => {
  let version = 1
  let legs = 0
  return {
    book: (kind: LedgerTx.LedgerKind, amount: bigint) => {
      const [tx] = moneyIn(row.wallet as WalletId, amount).ledger
      return commit({ ledger: [{ ...tx, kind, source: row.id as ChargeId, leg: ++legs }] })
    },
    become: (status: string, amount = row.amount) =>
      commit({ updates: [{ row: { ...row, status, amount }, expected: version++ }] }),
    rules: rulesOf(row.id)
  }
}

/** Puts a row in a line, or takes it out. */
export const inLine = (queue: Queue, { id }: Row) =>
  commit({ jobs: [{ _tag: "Schedule", queue, id, group: newId(), due: at(0) }] })
export const outOfLine = (queue: Queue, { id }: Row) =>
  commit({ jobs: [{ _tag: "Cancel", queue, id }] })

/** What the audit says of money on its way back to its payer. */
export const returnAuditLaws: ReadonlyArray<StorageLaw> = [
  {
    title: "the audit wants of a refund its hold, one end of it, and its event",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet()
      const row = rowOf({ kind: "return", status: "requested", amount: brl(100n), wallet })
      const { become, book, rules } = booking(row)
      yield* commit({ inserts: [row] })
      yield* inLine("return", row)
      yield* book("hold", 105n)
      assert.deepStrictEqual(yield* rules, [])
      yield* outOfLine("return", row)
      yield* become("confirmed")
      assert.sameMembers(yield* rules, ["return_misbooked", "event_missing"])
      yield* book("refund", 100n)
      const event = eventOf({ account: row.account as never, key: row.id })
      yield* commit({ events: [{ event, deliveries: [] }] })
      assert.deepStrictEqual(yield* rules, [])
      yield* become("failed")
      assert.deepStrictEqual(yield* rules, ["return_misbooked"])
      yield* become("confirmed")

      const failed = rowOf({ kind: "return", status: "failed", amount: brl(100n), wallet })
      const second = booking(failed)
      yield* commit({ inserts: [failed] })
      yield* second.book("hold", 105n)
      assert.deepStrictEqual(yield* second.rules, ["return_misbooked"])
      yield* second.book("release", 105n)
      assert.deepStrictEqual(yield* second.rules, [])
    })
  },
  {
    title: "the audit wants other money that is back with its payer to have left suspense, whole",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet()
      const row = rowOf({ kind: "return", status: "processing", amount: brl(100n), wallet })
      const { become, book, rules } = booking(row)
      yield* commit({ inserts: [row] })
      yield* inLine("review", row)
      assert.deepStrictEqual(yield* rules, [])
      yield* become("confirmed")
      assert.deepStrictEqual(yield* rules, ["return_misbooked"])
      yield* book("deposit_return", 100n)
      assert.deepStrictEqual(yield* rules, [])
      for (const [status, amount] of [
        ["processing", 100n],
        ["confirmed", 90n]
      ] as const) {
        yield* become(status, brl(amount))
        assert.deepStrictEqual(yield* rules, ["return_misbooked"])
      }
      yield* become("confirmed")
      yield* outOfLine("review", row)

      const givenUp = rowOf({ kind: "return", status: "failed", amount: brl(100n), wallet })
      const second = booking(givenUp)
      yield* commit({ inserts: [givenUp] })
      assert.deepStrictEqual(yield* second.rules, ["return_misbooked"])
      yield* second.book("release", 100n)
      assert.deepStrictEqual(yield* second.rules, [])
    })
  },
  {
    title: "the audit wants in suspense what is on its way back to payers, and nothing else",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet()
      const account = newId<AccountId>()
      const returnOf = (status: string) =>
        rowOf({ kind: "return", status, amount: brl(40n), wallet, account })
      const suspense = LedgerAccount.suspense(account)
      const mismatch = ["suspense_mismatch"]
      const open = returnOf("requested")
      yield* commit({ inserts: [open] })
      yield* inLine("review", open)
      assert.deepStrictEqual(yield* rulesOf(account), mismatch)
      yield* commit(moneyIn(wallet, 40n, suspense))
      assert.deepStrictEqual(yield* rulesOf(account), [])
      yield* commit(moneyIn(wallet, 1n, suspense))
      assert.deepStrictEqual(yield* rulesOf(account), mismatch)
      yield* commit(moneyIn(wallet, 39n, suspense), { inserts: [returnOf("replaced")] })
      assert.deepStrictEqual(yield* rulesOf(account), mismatch)
      const next = returnOf("processing")
      yield* commit({ inserts: [next] })
      assert.deepStrictEqual(yield* rulesOf(account), [])
      assert.deepStrictEqual(yield* rulesOf(next.id), ["unattended"])

      const gone = booking(open)
      yield* gone.become("confirmed")
      yield* booking(next).become("failed")
      assert.deepStrictEqual(yield* rulesOf(account), mismatch)
      yield* commit(
        movement(wallet, 80n, [
          LedgerTx.debit(suspense, brl(80n)),
          LedgerTx.credit(outside, brl(80n))
        ])
      )
      assert.deepStrictEqual(yield* rulesOf(account), [])
      yield* gone.book("deposit_return", 40n)
      yield* booking(next).book("release", 40n)
      yield* outOfLine("review", open)
    })
  }
]
