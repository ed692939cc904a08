import type { AuditReport, LedgerTxId, Violation, WalletId } from "@pagora/core"
import { LedgerAccount, LedgerTx, Storage } from "@pagora/core"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { booking, inLine, outOfLine, ownRow } from "./StorageAuditReturnLaws.ts"
import type { StorageLaw } from "./StorageLaws.ts"
import { aWallet, brl, commit, moneyIn, moneyOut, movement, newId, rowOf } from "./StorageLaws.ts"

/** Something wrong: what tells of it, and, where the write door lets it be mended, how. */
interface Planted {
  readonly subjects: ReadonlyArray<string>
  readonly rules: ReadonlyArray<string>
  readonly repair?: Effect.Effect<unknown, unknown, Storage>
}

const { available, held } = LedgerAccount

/** Moves money between what a wallet has available and what it holds, for no operation. */
const setAside = (wallet: WalletId, amount: bigint) =>
  movement(wallet, amount, [
    LedgerTx.credit(available(wallet), brl(-amount)),
    LedgerTx.credit(held(wallet), brl(amount))
  ]).ledger[0]

const lien = (wallet: WalletId, delta: bigint) => commit({ liens: [{ wallet, delta: brl(delta) }] })

const aBlock = (wallet: WalletId) =>
  ownRow(wallet, { kind: "balance_block", status: "defended", amount: brl(10n) })

/** What breaks each rule. */
const plants: Readonly<Record<string, Effect.Effect<Planted, unknown, Storage>>> = {
  "a booking for what does not exist": Effect.gen(function* () {
    const wallet = yield* aWallet(100n)
    const tx = { ...setAside(wallet, 10n), kind: "hold" } as const
    yield* commit({ ledger: [tx] })
    const repair = commit({ inserts: [rowOf({ id: tx.source, wallet })] })
    return { subjects: [tx.id], rules: ["unfounded"], repair }
  }),
  "a block on a wallet that does not exist": Effect.gen(function* () {
    const block = aBlock(newId<WalletId>())
    yield* commit({ inserts: [block] })
    const repair = booking(block).become("rejected")
    return { subjects: [String(block.wallet)], rules: ["lien_missing"], repair }
  }),
  "a block without a lien": Effect.gen(function* () {
    const wallet = yield* aWallet(50n)
    yield* commit({ inserts: [aBlock(wallet)] })
    return { subjects: [wallet], rules: ["lien_missing"], repair: lien(wallet, 10n) }
  }),
  "a lien without a block": Effect.gen(function* () {
    const wallet = yield* aWallet(50n)
    yield* lien(wallet, 10n)
    return { subjects: [wallet], rules: ["lien_unclaimed"], repair: lien(wallet, -10n) }
  }),
  "held money without an operation": Effect.gen(function* () {
    const wallet = yield* aWallet(50n)
    yield* commit({ ledger: [setAside(wallet, 10n)] })
    const repair = commit({ ledger: [setAside(wallet, -10n)] })
    return { subjects: [wallet], rules: ["held_mismatch"], repair }
  }),
  "an amount that its postings do not move": Effect.gen(function* () {
    const [tx] = moneyIn(yield* aWallet(), 777n).ledger
    yield* commit({ ledger: [{ ...tx, amount: brl(1n) }] })
    return { subjects: [tx.id], rules: ["amount_mismatch"] }
  }),
  "a booking to the wallets of others": Effect.gen(function* () {
    const [wallet, other, third] = [yield* aWallet(), yield* aWallet(), yield* aWallet()]
    const [tx] = movement(wallet, 2n, [
      LedgerTx.debit(LedgerAccount.equity(wallet as never), brl(2n)),
      LedgerTx.credit(available(other), brl(1n)),
      LedgerTx.credit(available(third), brl(1n))
    ]).ledger
    yield* commit({ ledger: [tx] })
    return { subjects: [tx.id], rules: ["misfiled"] }
  }),
  "an operation without its booking, its event and its line": Effect.gen(function* () {
    const wallet = yield* aWallet(50n)
    const parts = { kind: "withdrawal", status: "pending", amount: brl(10n) }
    const [open, done] = [ownRow(wallet, parts), ownRow(wallet, { ...parts, status: "failed" })]
    yield* commit({ inserts: [open, done] })
    const [first, second] = [booking(open), booking(done)]
    return {
      subjects: [open.id, done.id],
      rules: ["event_missing", "unattended", "withdrawal_misbooked", "withdrawal_misbooked"],
      repair: Effect.gen(function* () {
        yield* inLine("payout", open)
        yield* first.book("hold", 10n, { available: -10n, held: 10n })
        yield* second.book("hold", 10n, { available: -10n, held: 10n })
        yield* second.book("release", 10n, { available: 10n, held: -10n })
        yield* second.tell
      })
    }
  }),
  "a document that cannot be read": Effect.gen(function* () {
    const wallet = yield* aWallet()
    const row = ownRow(wallet, { kind: "withdrawal", status: "failed", amount: brl(1n) })
    yield* commit({ inserts: [{ ...row, document: '{"promotionalAmount":"1,50"}' }] })
    const { book, become, tell } = booking(row)
    const repair = Effect.gen(function* () {
      yield* commit(moneyIn(wallet, 1n))
      yield* book("hold", 1n, { available: -1n, held: 1n })
      yield* book("release", 1n, { available: 1n, held: -1n })
      yield* become("failed")
      yield* tell
    })
    return { subjects: [row.id], rules: ["unreadable"], repair }
  }),
  "money on its way back that is not in suspense": Effect.gen(function* () {
    const wallet = yield* aWallet()
    const parts = { kind: "return", status: "requested", amount: brl(40n) }
    const row = ownRow(wallet, parts, { purpose: "deposit" })
    yield* commit({ inserts: [row] })
    yield* inLine("return", row)
    const repair = Effect.andThen(booking(row).become("replaced"), outOfLine("return", row))
    return { subjects: [wallet], rules: ["suspense_mismatch"], repair }
  }),
  "a closed wallet that holds something": Effect.gen(function* () {
    const wallet = yield* aWallet(5n)
    const parts = { id: wallet, table: "registry", kind: "sub_account", status: "closed" } as const
    yield* commit({ inserts: [rowOf(parts)] })
    return { subjects: [wallet], rules: ["closed_not_empty"], repair: commit(moneyOut(wallet, 5n)) }
  })
}

/** What is told of certain subjects by an audit of nothing that is new. */
const quiet = (subjects: ReadonlyArray<string>, known: ReadonlyArray<Violation>) =>
  Storage.use((storage) => {
    const [since, keepUpTo] = [newId<LedgerTxId>(), newId<LedgerTxId>()]
    return Effect.map(storage.prove({ since, keepUpTo, known }), of(subjects))
  })

const of =
  (subjects: ReadonlyArray<string>) =>
  ({ violations }: AuditReport): ReadonlyArray<Violation> =>
    violations.filter(({ subject }) => subjects.includes(subject))

/** What an audit found is looked at by those after it, however old it is. */
export const auditKnownLaws: ReadonlyArray<StorageLaw> = Object.entries(plants).map(
  ([what, plant]) => ({
    title: `an audit of what is new tells again of ${what}, until it is right`,
    proof: Effect.gen(function* () {
      const { repair, rules, subjects } = yield* plant
      const known = yield* Storage.use(({ audit }) => Effect.map(audit, of(subjects)))
      assert.deepStrictEqual(
        known.map(({ rule }) => rule),
        [...rules]
      )
      assert.deepStrictEqual(yield* quiet(subjects, []), [])
      const again = yield* quiet(subjects, known)
      assert.deepStrictEqual(again, known)
      assert.deepStrictEqual(yield* quiet(subjects, again), known)
      if (repair === undefined) return
      yield* repair
      assert.deepStrictEqual(yield* quiet(subjects, known), [])
    })
  })
)
