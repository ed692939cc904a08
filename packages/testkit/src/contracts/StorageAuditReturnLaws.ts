import type { AccountId, LedgerTxId, Queue, Row, Uuid, WalletId } from "@pagora/core"
import { LedgerAccount, LedgerTx, Storage } from "@pagora/core"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { StorageLaw } from "./StorageLaws.ts"
import { at, aWallet, brl, commit, eventOf, newId, outside, rowOf } from "./StorageLaws.ts"

export const audit = Storage.use((storage) => storage.audit)

/** The rules that hold of every ledger, whatever it is booked for. */
export const ledgerRules: ReadonlyArray<string> = [
  "unbalanced",
  "orphan_posting",
  "global_sum",
  "wallet_mismatch",
  "negative"
]

/** The rules that something breaks, as the audit tells them. */
export const rulesOf = (subject: string) =>
  Effect.map(audit, ({ violations }) =>
    violations.filter((violation) => violation.subject === subject).map(({ rule }) => rule)
  )

/** A row of an account whose main wallet it is in, with the PSP at which the laws' money comes in and goes out. */
export const ownRow = (wallet: WalletId, parts: Partial<Row>, fields: object = {}): Row =>
  rowOf({
    wallet,
    account: wallet,
    document: JSON.stringify({ pspCredentialId: outside.owner, ...fields }),
    ...parts
  })

type Bucket = LedgerAccount.Bucket
/** What a booking does to the buckets of a wallet and of its account; the rest comes from, or goes to, outside. */
export type Moves = Readonly<Partial<Record<Bucket, bigint>>>

/** Commits what makes the row's bookings, and tells which rules it breaks then. */
export const booking = (row: Row) => {
  let version = 1
  return {
    book: (kind: LedgerTx.LedgerKind, amount: bigint, moves: Moves, leg = 0) => {
      const own = Object.entries(moves).map(([bucket, size]) =>
        LedgerTx.credit({ owner: row.wallet as Uuid, bucket: bucket as Bucket }, brl(size))
      )
      const rest = own.reduce((sum, posting) => sum - posting.amount, 0n)
      const tx = {
        id: newId<LedgerTxId>(),
        kind,
        account: row.account as AccountId,
        wallet: row.wallet as WalletId,
        source: row.id,
        leg,
        amount: brl(amount),
        document: null,
        postings: [...own, LedgerTx.credit(outside, brl(rest))].filter(
          (posting) => posting.amount !== 0n
        )
      }
      return commit({ ledger: [tx] })
    },
    become: (status: string, amount = row.amount, fields?: object) =>
      commit({
        updates: [
          {
            row: {
              ...row,
              status,
              amount,
              document: JSON.stringify({ ...(JSON.parse(row.document) as object), ...fields })
            },
            expected: version++
          }
        ]
      }),
    tell: commit({
      events: [
        { event: eventOf({ account: row.account as AccountId, key: row.id }), deliveries: [] }
      ]
    }),
    rules: rulesOf(row.id)
  }
}

/** Puts a row in a line, or takes it out. */
export const inLine = (queue: Queue, { id }: Row) =>
  commit({ jobs: [{ _tag: "Schedule", queue, id, group: newId(), due: at(0) }] })
export const outOfLine = (queue: Queue, { id }: Row) =>
  commit({ jobs: [{ _tag: "Cancel", queue, id }] })

const returnOf = (wallet: WalletId, status: string, fields: object, amount = 100n) =>
  ownRow(wallet, { kind: "return", status, amount: brl(amount) }, fields)

/** What the audit says of money on its way back to its payer. */
export const returnAuditLaws: ReadonlyArray<StorageLaw> = [
  {
    title: "the audit wants of a refund its hold, one end of it, and its event",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet(300n)
      const refund = { purpose: "refund", feeAmount: "5" }
      const row = returnOf(wallet, "requested", refund)
      const { become, book, rules, tell } = booking(row)
      yield* commit({ inserts: [row] })
      yield* inLine("return", row)
      assert.deepStrictEqual(yield* rules, ["return_misbooked"])
      yield* book("hold", 105n, { available: -105n, held: 105n })
      assert.deepStrictEqual(yield* rules, [])
      yield* outOfLine("return", row)
      yield* become("confirmed")
      assert.sameMembers(yield* rules, ["return_misbooked", "event_missing"])
      yield* book("refund", 100n, { held: -100n })
      yield* tell
      // Its fee is not booked yet.
      assert.deepStrictEqual(yield* rules, ["return_misbooked"])
      yield* book("fee", 5n, { held: -5n, fee_revenue: 5n })
      assert.deepStrictEqual(yield* rules, [])
      yield* become("failed")
      assert.deepStrictEqual(yield* rules, ["return_misbooked"])
      yield* become("confirmed")

      const failed = returnOf(wallet, "failed", refund)
      const second = booking(failed)
      yield* commit({ inserts: [failed] })
      yield* second.book("hold", 105n, { available: -105n, held: 105n })
      assert.deepStrictEqual(yield* second.rules, ["return_misbooked"])
      yield* second.book("release", 105n, { available: 105n, held: -105n })
      assert.deepStrictEqual(yield* second.rules, [])
    })
  },
  {
    title: "the audit wants other money that is back with its payer to have left suspense, whole",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet()
      const row = returnOf(wallet, "processing", { purpose: "deposit" })
      const { become, book, rules } = booking(row)
      yield* commit({ inserts: [row] })
      yield* inLine("review", row)
      assert.deepStrictEqual(yield* rules, [])
      yield* become("confirmed")
      assert.deepStrictEqual(yield* rules, ["return_misbooked"])
      yield* book("deposit_return", 100n, { suspense: -100n })
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

      const givenUp = returnOf(wallet, "failed", { purpose: "deposit" })
      const second = booking(givenUp)
      yield* commit({ inserts: [givenUp] })
      assert.deepStrictEqual(yield* second.rules, ["return_misbooked"])
      yield* second.book("release", 100n, { suspense: -100n, equity: 100n })
      assert.deepStrictEqual(yield* second.rules, [])
    })
  },
  {
    title: "the audit wants in suspense what is on its way back to payers, and nothing else",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet()
      const mismatch = ["suspense_mismatch"]
      const open = returnOf(wallet, "requested", { purpose: "deposit" }, 40n)
      yield* commit({ inserts: [open] })
      yield* inLine("review", open)
      assert.deepStrictEqual(yield* rulesOf(wallet), mismatch)
      const deposit = (amount: bigint) => {
        const row = ownRow(wallet, { kind: "deposit", status: "returning", amount: brl(amount) })
        const { book } = booking(row)
        return Effect.andThen(
          commit({ inserts: [row] }),
          book("deposit", amount, { suspense: amount })
        )
      }
      yield* deposit(40n)
      assert.deepStrictEqual(yield* rulesOf(wallet), [])
      yield* deposit(1n)
      assert.deepStrictEqual(yield* rulesOf(wallet), mismatch)
      yield* deposit(39n)
      yield* commit({ inserts: [returnOf(wallet, "replaced", { purpose: "deposit" }, 40n)] })
      assert.deepStrictEqual(yield* rulesOf(wallet), mismatch)
      const next = returnOf(wallet, "processing", { purpose: "chargeback" }, 40n)
      yield* commit({ inserts: [next] })
      assert.deepStrictEqual(yield* rulesOf(wallet), [])
      assert.deepStrictEqual(yield* rulesOf(next.id), ["unattended"])

      yield* booking(open).become("confirmed")
      yield* booking(next).become("failed")
      assert.deepStrictEqual(yield* rulesOf(wallet), mismatch)
      yield* booking(open).book("deposit_return", 40n, { suspense: -40n })
      yield* booking(next).book("release", 40n, { suspense: -40n, equity: 40n })
      assert.deepStrictEqual(yield* rulesOf(wallet), [])
      yield* outOfLine("review", open)
    })
  }
]
