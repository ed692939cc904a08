import type { LedgerTxId, Row, Uuid, WalletId } from "@pagora/core"
import { idsAt, instantOf, LedgerAccount, LedgerTx, Storage, StorageDriver } from "@pagora/core"
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import type { StorageLaw } from "./StorageLaws.ts"
import {
  assertSame,
  aWallet,
  brl,
  commit,
  moneyIn,
  newId,
  newName,
  outside,
  rowOf,
  times,
  transfer
} from "./StorageLaws.ts"

type OperationQuery = Parameters<StorageDriver["Service"]["operations"]>[0]
type LedgerQuery = Parameters<StorageDriver["Service"]["movements"]>[0]

const operations = (query: OperationQuery) =>
  StorageDriver.use((driver) =>
    Effect.map(driver.operations(query), (rows) => rows.map(({ id }) => id))
  )

const movements = (query: LedgerQuery) =>
  StorageDriver.use((driver) =>
    Effect.map(driver.movements(query), (txs) => txs.map(({ id }) => id as Uuid))
  )

const idsOf = (things: ReadonlyArray<{ readonly id: Uuid }>): ReadonlyArray<Uuid> =>
  things.map(({ id }) => id)

const page = { order: "desc", limit: 99 } as const

const operationLaws: ReadonlyArray<StorageLaw> = [
  {
    title: "operations of several kinds are walked in one order, page by page, each row once",
    proof: Effect.gen(function* () {
      const wallet = newId<WalletId>()
      const names = [newName(), newName(), newName()]
      const rows = times(12, (index) => rowOf({ wallet, kind: names[index % 3] ?? "" }))
      yield* commit({ inserts: rows.toReversed() })
      const kinds = names.slice(0, 2).map((kind) => ({ kind }))
      const expected = idsOf(rows.filter(({ kind }) => kind !== names[2]))
      for (const order of ["asc", "desc"] as const) {
        const walked: Array<Uuid> = []
        for (let turn = 0; turn < 4; turn++) {
          const after = walked.at(-1)
          const found = yield* operations({
            wallet,
            kinds,
            order,
            limit: 3,
            ...(after === undefined ? {} : { after })
          })
          assert.isAtMost(found.length, 3)
          walked.push(...found)
        }
        assert.deepStrictEqual(walked, order === "asc" ? expected : expected.toReversed())
      }
    })
  },
  {
    title: "a page of operations does not move when a newer one comes",
    proof: Effect.gen(function* () {
      const [wallet, kind] = [newId<WalletId>(), newName()]
      const rows = times(4, () => rowOf({ wallet, kind }))
      yield* commit({ inserts: rows })
      const first = yield* operations({ wallet, kinds: [{ kind }], order: "desc", limit: 2 })
      yield* commit({ inserts: [rowOf({ wallet, kind })] })
      const after = first[1]
      assert.isDefined(after)
      const second = yield* operations({ wallet, kinds: [{ kind }], after, ...page })
      assert.deepStrictEqual([...first, ...second], idsOf(rows).toReversed())
    })
  },
  {
    title: "operations are narrowed by the statuses of each kind, by reference and by wallet",
    proof: Effect.gen(function* () {
      const [wallet, ref] = [newId<WalletId>(), newName()]
      const [one, other] = [newName(), newName()]
      const thing = (parts: Partial<Row>) => rowOf({ wallet, kind: one, status: "new", ...parts })
      const rows = [
        thing({}),
        thing({ status: "done", ref }),
        thing({ status: "gone" }),
        thing({ kind: other, ref }),
        thing({ kind: other, status: "done" })
      ] as const
      const elsewhere = [
        rowOf({ kind: one, ref }),
        thing({ table: "registry", ref }),
        thing({ kind: newName(), ref })
      ]
      yield* commit({ inserts: [...rows, ...elsewhere] })
      const find = (query: Omit<OperationQuery, "wallet" | "order" | "limit">) =>
        operations({ wallet, order: "asc", limit: 99, ...query })
      const both = [{ kind: one }, { kind: other }]
      assert.deepStrictEqual(yield* find({ kinds: both }), idsOf(rows))
      assert.deepStrictEqual(yield* find({ kinds: [] }), [])
      assert.deepStrictEqual(yield* find({ kinds: [{ kind: one, statuses: [] }] }), [])
      assert.deepStrictEqual(
        yield* find({
          kinds: [
            { kind: one, statuses: ["done", "gone"] },
            { kind: other, statuses: ["new"] }
          ]
        }),
        idsOf(rows.slice(1, 4))
      )
      assert.deepStrictEqual(yield* find({ kinds: both, ref }), idsOf([rows[1], rows[3]]))
      assert.deepStrictEqual(
        yield* find({ kinds: [{ kind: one, statuses: ["new"] }, { kind: other }], ref }),
        idsOf([rows[3]])
      )
      assert.deepStrictEqual(yield* find({ kinds: both, ref: ref.toUpperCase() }), [])
    })
  },
  {
    title: "a range of ids takes its two ends in, and the ids of a millisecond are one range",
    proof: Effect.gen(function* () {
      const [wallet, kind] = [newId<WalletId>(), newName()]
      const rows = times(6, () => rowOf({ wallet, kind }))
      yield* commit({ inserts: rows })
      const [_, second, third, , fifth] = idsOf(rows)
      assert.isDefined(second)
      assert.isDefined(third)
      assert.isDefined(fifth)
      const find = (query: Pick<OperationQuery, "first" | "last" | "after">) =>
        operations({ wallet, kinds: [{ kind }], order: "asc", limit: 99, ...query })
      assert.deepStrictEqual(yield* find({ first: second, last: fifth }), idsOf(rows).slice(1, 5))
      assert.deepStrictEqual(yield* find({ first: second, after: third }), idsOf(rows).slice(3))
      assert.deepStrictEqual(yield* find({ last: third, after: second }), [third])
      assert.deepStrictEqual(yield* find({ first: fifth, last: second }), [])
      const { first, last } = idsAt(instantOf(third))
      const sameMillisecond = idsOf(rows).filter(
        (id) => DateTime.toEpochMillis(instantOf(id)) === DateTime.toEpochMillis(instantOf(third))
      )
      assert.deepStrictEqual(yield* find({ first, last }), sameMillisecond)
    })
  }
]

const betweenLaws: ReadonlyArray<StorageLaw> = [
  {
    title:
      "a movement between two wallets stands in both statements, once in each, and is found in both",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const [from, to, third] = [yield* aWallet(), yield* aWallet(), yield* aWallet()]
      const opening = moneyIn(from, 100n).ledger
      const first = transfer(from, to, 1n).ledger
      const back = transfer(to, from, 1n).ledger
      for (const ledger of [opening, first, back]) yield* commit({ ledger })
      const [[start], [there], [again]] = [opening, first, back]
      assert.deepStrictEqual(
        yield* movements({ wallet: from, ...page }),
        idsOf([again, there, start])
      )
      assert.deepStrictEqual(yield* movements({ wallet: to, ...page }), idsOf([again, there]))
      assert.deepStrictEqual(yield* movements({ wallet: third, ...page }), [])
      const firstOnly = yield* movements({ wallet: to, order: "asc", limit: 1 })
      assert.deepStrictEqual(firstOnly, [there.id])
      for (const wallet of [from, to]) {
        assert.strictEqual(
          yield* storage.resolve({ _tag: "Name", wallet, id: there.id }),
          there.id as Uuid
        )
      }
      assert.isUndefined(yield* storage.resolve({ _tag: "Name", wallet: third, id: there.id }))
      assertSame(yield* storage.ledgerTx(there.id), there)
    })
  },
  {
    title: "what a wallet pays to the deployment stands in no other wallet's statement",
    proof: Effect.gen(function* () {
      const [wallet, main] = [yield* aWallet(10n), yield* aWallet()]
      const fee = LedgerTx.post({
        id: newId<LedgerTxId>(),
        kind: "fee",
        account: main as never,
        wallet,
        source: newId(),
        leg: 0,
        amount: brl(1n),
        document: null,
        postings: [
          LedgerTx.debit(LedgerAccount.available(wallet), brl(1n)),
          LedgerTx.credit(LedgerAccount.feeRevenue(main as never), brl(1n))
        ]
      })
      yield* commit({ ledger: [fee] })
      assert.deepStrictEqual(yield* movements({ wallet: main, ...page }), [])
    })
  },
  {
    title: "movements are narrowed by kinds and by a range of ids, in both statements alike",
    proof: Effect.gen(function* () {
      const [wallet, other] = [yield* aWallet(100n), yield* aWallet(100n)]
      const tx = (kind: LedgerTx.LedgerKind, from: WalletId, to?: WalletId) =>
        LedgerTx.post({
          id: newId<LedgerTxId>(),
          kind,
          account: from as never,
          wallet: from,
          source: newId(),
          leg: 0,
          amount: brl(1n),
          document: null,
          postings: [
            LedgerTx.debit(LedgerAccount.available(from), brl(1n)),
            LedgerTx.credit(to === undefined ? outside : LedgerAccount.available(to), brl(1n))
          ]
        })
      const ledger = [
        tx("fee", wallet),
        tx("internal_transfer", wallet, other),
        tx("withdrawal", wallet),
        tx("internal_transfer", other, wallet),
        tx("fee", wallet)
      ]
      yield* commit({ ledger: ledger.toReversed() })
      const [first, second, third, fourth, fifth] = idsOf(ledger)
      const find = (query: Partial<LedgerQuery>) =>
        movements({ wallet, order: "asc", limit: 99, ...query })
      const kinds = ["fee", "internal_transfer"] as const
      assert.deepStrictEqual(yield* find({ kinds }), [first, second, fourth, fifth])
      assert.deepStrictEqual(yield* find({ kinds: ["internal_transfer"] }), [second, fourth])
      assert.deepStrictEqual(yield* find({ kinds, order: "desc", limit: 2 }), [fifth, fourth])
      assert.deepStrictEqual(yield* find({ kinds: [] }), [])
      assert.deepStrictEqual(yield* find({ kinds, wallet: other }), [second, fourth])
      assert.isDefined(second)
      assert.isDefined(fourth)
      assert.deepStrictEqual(yield* find({ first: second, last: fourth }), [second, third, fourth])
      assert.deepStrictEqual(yield* find({ kinds, first: second, last: fourth, after: second }), [
        fourth
      ])
    })
  }
]

export const historyLaws = [...operationLaws, ...betweenLaws]
