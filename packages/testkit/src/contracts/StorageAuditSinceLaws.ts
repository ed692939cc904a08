import type { AuditReport, LedgerTxId, Uuid, Violation, WalletId } from "@pagora/core"
import { LedgerAccount, LedgerTx, Storage, StorageDriver } from "@pagora/core"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { booking, inLine, outOfLine, ownRow } from "./StorageAuditReturnLaws.ts"
import type { StorageLaw } from "./StorageLaws.ts"
import { at, aWallet, brl, commit, exits, moneyIn, newId, times, transfer } from "./StorageLaws.ts"

/** Audits what is newer than `since`, and keeps what is right up to now. */
const recent = Effect.fnUntraced(function* (
  since: LedgerTxId,
  known: ReadonlyArray<Violation> = []
) {
  const storage = yield* Storage
  return yield* storage.prove({ since, known, keepUpTo: newId<LedgerTxId>() })
})

const complete = Effect.flatMap(Storage, (storage) =>
  Effect.suspend(() => storage.prove({ keepUpTo: newId<LedgerTxId>() }))
)

const about = ({ violations }: AuditReport, subject: string): ReadonlyArray<Violation> =>
  violations.filter((violation) => violation.subject === subject)
const rules = (report: AuditReport, subject: string) =>
  about(report, subject).map(({ rule }) => rule)

/** What is kept of a wallet, and what of its postings is newer. */
const kept = Effect.fnUntraced(function* (id: WalletId) {
  const driver = yield* StorageDriver
  const asked = { from: "proved", mark: newId<LedgerTxId>(), open: [] } as const
  const [found] = yield* driver.audit.wallets({ ids: [id] }, asked)
  return found ?? assert.fail(`There is no wallet ${id}.`)
})

const withoutProof = { available: 0n, held: 0n, promotional: 0n }

/** Audits of what is new go on from what audits before them kept. */
export const auditSinceLaws: ReadonlyArray<StorageLaw> = [
  {
    title: "an audit of what is new sums what moved since the last one, and keeps it",
    proof: Effect.gen(function* () {
      const [wallet, other] = [yield* aWallet(50n), yield* aWallet(0n)]
      assert.strictEqual((yield* kept(wallet)).proved, undefined)
      const first = yield* complete
      assert.deepStrictEqual([...rules(first, wallet), ...rules(first, other)], [])
      const { after, before, proved } = yield* kept(wallet)
      assert.deepStrictEqual([before, after], [withoutProof, withoutProof])
      assert.strictEqual(proved?.available, 50n)

      const since = newId<LedgerTxId>()
      yield* commit(transfer(wallet, other, 20n))
      assert.strictEqual((yield* kept(other)).before.available, 20n)
      const next = yield* recent(since)
      assert.strictEqual(next.entries, 2)
      assert.deepStrictEqual([...rules(next, wallet), ...rules(next, other)], [])
      for (const [id, amount] of [
        [wallet, 30n],
        [other, 20n]
      ] as const) {
        const now = yield* kept(id)
        assert.strictEqual(now.proved?.available, amount)
        assert.strictEqual(now.before.available, 0n)
        assert.isTrue((now.proved?.through ?? "") > since)
      }
    })
  },
  {
    title: "an audit of what is new is not misled by what was kept, and mends it",
    proof: Effect.gen(function* () {
      const driver = yield* StorageDriver
      const wallet = yield* aWallet(50n)
      const through = newId<LedgerTxId>()
      yield* driver.audit.keep([{ id: wallet, through, available: 51n, held: 0n, promotional: 0n }])
      const since = newId<LedgerTxId>()
      yield* commit(moneyIn(wallet, 1n))
      assert.deepStrictEqual(rules(yield* recent(since), wallet), [])
      assert.strictEqual((yield* kept(wallet)).proved?.available, 51n)
      yield* driver.audit.keep([{ id: wallet, through, available: 7n, held: 0n, promotional: 0n }])
      assert.deepStrictEqual(rules(yield* complete, wallet), [])
      assert.strictEqual((yield* kept(wallet)).proved?.available, 51n)
    })
  },
  {
    title: "an audit of what is new counts a transaction that was written late under an older id",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet(50n)
      const since = newId<LedgerTxId>()
      const [late] = moneyIn(wallet, 5n).ledger
      yield* commit(moneyIn(wallet, 1n))
      assert.deepStrictEqual(rules(yield* recent(since), wallet), [])
      assert.isTrue(((yield* kept(wallet)).proved?.through ?? "") > late.id)
      // What was kept ends after its id.
      yield* commit({ ledger: [late] })
      assert.strictEqual((yield* kept(wallet)).before.available, 0n)
      assert.deepStrictEqual(rules(yield* recent(since), wallet), [])
      assert.strictEqual((yield* kept(wallet)).proved?.available, 56n)
    })
  },
  {
    title: "an audit of what is new sees what is wrong in it, and again until it is right",
    proof: Effect.gen(function* () {
      const wallet = yield* aWallet(50n)
      const old = ownRow(wallet, { kind: "withdrawal", status: "pending", amount: brl(10n) })
      yield* commit({ inserts: [old] })
      yield* inLine("review", old)
      const { become, book, tell } = booking(old)
      yield* book("hold", 10n, { available: -10n, held: 10n })
      const since = newId<LedgerTxId>()
      // Booked for an old one, and not as it must be.
      yield* become("completed")
      yield* tell
      yield* book("withdrawal", 9n, { held: -9n })
      yield* commit({ liens: [{ wallet, delta: brl(3n) }] })
      const found = yield* recent(since)
      assert.deepStrictEqual(rules(found, old.id), ["withdrawal_misbooked"])
      // What does not add up is looked at whole.
      assert.deepStrictEqual(rules(found, wallet), ["held_mismatch", "lien_unclaimed"])

      const known = [...about(found, old.id), ...about(found, wallet)]
      const later = newId<LedgerTxId>()
      assert.deepStrictEqual(rules(yield* recent(later), old.id), [])
      const again = yield* recent(later, known)
      assert.deepStrictEqual(rules(again, old.id), ["withdrawal_misbooked"])
      assert.include(rules(again, wallet), "lien_unclaimed")

      yield* commit({ liens: [{ wallet, delta: brl(-3n) }] })
      const still = yield* recent(later, known)
      assert.notInclude(rules(still, wallet), "lien_unclaimed")
      yield* outOfLine("review", old)
    })
  },
  {
    title: "an audit finds nothing wrong with money that moves while it reads",
    proof: Effect.gen(function* () {
      const wallets = yield* Effect.replicateEffect(aWallet(1_000n), 4)
      const since = newId<LedgerTxId>()
      let isOver = false
      // Holds a little, and ends it at once, as a withdrawal of one centavo that fails.
      const moving = (wallet: WalletId) =>
        Effect.gen(function* () {
          const row = ownRow(wallet, { kind: "withdrawal", status: "pending", amount: brl(1n) })
          const hold = heldOf(wallet, row.id, "hold", 1n)
          const waiting = { _tag: "Schedule", queue: "review", id: row.id, group: newId() } as const
          yield* commit({ inserts: [row], ledger: [hold], jobs: [{ ...waiting, due: at(0) }] })
          yield* booking(row).tell
          yield* commit({
            updates: [{ row: { ...row, status: "failed" }, expected: 1 }],
            ledger: [heldOf(wallet, row.id, "release", -1n)],
            jobs: [{ _tag: "Cancel", queue: "review", id: row.id }]
          })
        })
      const load = Effect.whileLoop({
        while: () => !isOver,
        body: () => exits(wallets.map(moving)),
        step: () => undefined
      })
      const audits = Effect.gen(function* () {
        const reports: Array<AuditReport> = []
        for (const _ of times(3, Number)) {
          reports.push(yield* complete, yield* recent(since))
        }
        isOver = true
        return reports
      })
      const [reports] = yield* Effect.all([audits, load], { concurrency: 2 })
      for (const report of reports) {
        for (const wallet of wallets) assert.deepStrictEqual(about(report, wallet), [])
      }
    })
  }
]

/** Between what a wallet has available and what it holds. */
const heldOf = (wallet: WalletId, source: Uuid, kind: "hold" | "release", amount: bigint) => {
  const [tx] = transfer(wallet, wallet, 1n).ledger
  return {
    ...tx,
    kind,
    source,
    postings: [
      LedgerTx.credit(LedgerAccount.available(wallet), brl(-amount)),
      LedgerTx.credit(LedgerAccount.held(wallet), brl(amount))
    ]
  }
}
