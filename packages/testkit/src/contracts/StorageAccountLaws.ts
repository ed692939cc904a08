import { assert } from "@effect/vitest"
import type { AccountId, Row, Uuid, WalletId } from "@pagora/core"
import { LedgerTx, StorageDriver } from "@pagora/core"
import { Effect } from "effect"
import type { StorageLaw } from "./StorageLaws.ts"
import { aWallet, commit, moneyIn, newId, newName, rowOf, times, transfer } from "./StorageLaws.ts"

type Driver = StorageDriver["Service"]

const idsOf = (things: ReadonlyArray<{ readonly id: Uuid }>): ReadonlyArray<Uuid> =>
  things.map(({ id }) => id)

const operations = (query: Parameters<Driver["operations"]>[0]) =>
  StorageDriver.use((driver) => Effect.map(driver.operations(query), idsOf))

const movements = (query: Parameters<Driver["movements"]>[0]) =>
  StorageDriver.use((driver) => Effect.map(driver.movements(query), idsOf))

const list = (query: Parameters<Driver["list"]>[0]) =>
  StorageDriver.use((driver) => Effect.map(driver.list(query), idsOf))

/** Walks a list in pages of each size, in both orders: every row once, whatever page it falls on. */
const assertWalked = Effect.fnUntraced(function* <R, E>(
  expected: ReadonlyArray<Uuid>,
  read: (page: {
    readonly after?: Uuid
    readonly order: "asc" | "desc"
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<Uuid>, E, R>
) {
  for (const order of ["asc", "desc"] as const) {
    for (const limit of [1, 3, expected.length, expected.length + 1]) {
      const walked: Array<Uuid> = []
      for (;;) {
        const after = walked.at(-1)
        const page = yield* read({ order, limit, ...(after === undefined ? {} : { after }) })
        assert.isAtMost(page.length, limit)
        if (page.length === 0) break
        walked.push(...page)
      }
      assert.deepStrictEqual(walked, order === "asc" ? expected : expected.toReversed())
    }
  }
})

/** An account: its main wallet has its id. */
const anAccount = () => {
  const account = newId<AccountId>()
  return { account, wallets: [account as WalletId, newId<WalletId>(), newId<WalletId>()] as const }
}

export const accountLaws: ReadonlyArray<StorageLaw> = [
  {
    title: "operations of an account are walked over all its wallets in one order, and no other's",
    proof: Effect.gen(function* () {
      const { account, wallets } = anAccount()
      const stranger = anAccount()
      const [one, two, unasked] = [newName(), newName(), newName()]
      const kinds = [{ kind: one }, { kind: two }]
      // Also one that belongs to no wallet.
      const places = [...wallets, null]
      const rows = times(16, (index) =>
        rowOf({
          account,
          wallet: places[index % 4] ?? null,
          kind: [one, two, unasked][index % 3] ?? ""
        })
      )
      const theirs = times(4, (index) =>
        rowOf({
          account: stranger.account,
          wallet: stranger.wallets[index % 3] ?? null,
          kind: one
        })
      )
      yield* commit({ inserts: [...theirs, ...rows].toReversed() })
      const expected = idsOf(rows.filter(({ kind }) => kind !== unasked))
      yield* assertWalked(expected, (page) => operations({ account, kinds, ...page }))
      const ofBranch = idsOf(
        rows.filter(({ kind, wallet }) => kind !== unasked && wallet === wallets[1])
      )
      yield* assertWalked(ofBranch, (page) =>
        operations({ account, wallet: wallets[1], kinds, ...page })
      )
      const page = { order: "asc", limit: 99 } as const
      const elsewhere = { account, wallet: stranger.wallets[1], kinds, ...page }
      assert.deepStrictEqual(yield* operations(elsewhere), [])
    })
  },
  {
    title: "operations of an account are narrowed by statuses, by reference and by a range of ids",
    proof: Effect.gen(function* () {
      const { account, wallets } = anAccount()
      const [kind, ref] = [newName(), newName()]
      const statuses = ["new", "done", "gone"]
      const rows = times(9, (index) =>
        rowOf({
          account,
          kind,
          wallet: wallets[index % 2] ?? null,
          status: statuses[index % 3] ?? "",
          ref: index < 4 ? ref : null
        })
      )
      yield* commit({ inserts: rows })
      const ids = idsOf(rows)
      const [, second, third, fourth] = ids
      const ofStatus = (...wanted: ReadonlyArray<string>) =>
        idsOf(rows.filter(({ status }) => wanted.includes(status)))
      const found = (narrowed: Partial<Parameters<Driver["operations"]>[0]>) =>
        operations({ account, kinds: [{ kind }], order: "asc", limit: 99, ...narrowed })
      yield* assertWalked(ofStatus("new", "gone"), (page) =>
        operations({ account, kinds: [{ kind, statuses: ["new", "gone"] }], ...page })
      )
      assert.deepStrictEqual(yield* found({ kinds: [{ kind, statuses: [] }] }), [])
      assert.deepStrictEqual(yield* found({ kinds: [] }), [])
      assert.deepStrictEqual(yield* found({ ref }), ids.slice(0, 4))
      assert.isDefined(second)
      assert.isDefined(third)
      assert.isDefined(fourth)
      assert.deepStrictEqual(yield* found({ first: second, last: fourth }), ids.slice(1, 4))
      assert.deepStrictEqual(yield* found({ last: fourth, order: "desc", limit: 2 }), [
        fourth,
        third
      ])
    })
  },
  {
    title: "movements of an account are walked over all its wallets, narrowed by kinds and a range",
    proof: Effect.gen(function* () {
      const account = yield* aWallet()
      const [branch, other, stranger] = [yield* aWallet(), yield* aWallet(), yield* aWallet()]
      const of = account as Uuid as AccountId
      const booked = (wallet: WalletId, kind: LedgerTx.LedgerKind) => ({
        ...moneyIn(wallet, 5n).ledger[0],
        kind,
        account: of
      })
      const ledger = [
        booked(account, "payment"),
        booked(branch, "payment"),
        booked(branch, "adjustment"),
        booked(account, "fee"),
        // Between two wallets of the account: once, not once in each.
        {
          ...transfer(account, branch, 1n).ledger[0],
          kind: "internal_transfer",
          account: of
        } as const,
        booked(other, "fee")
      ]
      yield* commit({ ledger })
      yield* commit({ ledger: [...moneyIn(stranger, 5n).ledger] })
      const ids = idsOf(ledger)
      yield* assertWalked(ids, (page) => movements({ account: of, ...page }))
      const kinds = ["fee", "internal_transfer"] as const
      yield* assertWalked(ids.slice(3), (page) => movements({ account: of, kinds, ...page }))
      const [, second, , , fifth] = ids
      assert.isDefined(second)
      assert.isDefined(fifth)
      const range = { account: of, first: second, last: fifth, order: "desc", limit: 9 } as const
      assert.deepStrictEqual(yield* movements(range), ids.slice(1, 5).toReversed())
    })
  },
  {
    title: "a registry is walked over all accounts, and within one, narrowed by status",
    proof: Effect.gen(function* () {
      const kind = newName()
      const accounts = [newId(), newId()]
      const rows = times(8, (index) =>
        rowOf({
          table: "registry",
          kind,
          account: accounts[index % 2] as Row["account"],
          status: index < 5 ? "active" : "gone"
        })
      )
      yield* commit({ inserts: rows.toReversed() })
      const query = { table: "registry", kind } as const
      yield* assertWalked(idsOf(rows), (page) => list({ ...query, ...page }))
      yield* assertWalked(idsOf(rows.slice(0, 5)), (page) =>
        list({ ...query, status: "active", ...page })
      )
      const account = accounts[1] as Row["account"]
      yield* assertWalked(idsOf(rows.filter((row) => row.account === account)), (page) =>
        list({ ...query, account, ...page })
      )
    })
  },
  {
    title: "wallets are read together, each once, in the order of their ids, without unknown ones",
    proof: Effect.gen(function* () {
      const driver = yield* StorageDriver
      const [one, other] = [yield* aWallet(3n), yield* aWallet(5n)]
      const found = yield* driver.wallets([other, newId<WalletId>(), one, other])
      assert.deepStrictEqual(
        found.map(({ available, id }) => [id, available]),
        [
          [one, 3n],
          [other, 5n]
        ].toSorted(([left], [right]) => (String(left) < String(right) ? -1 : 1)) as never
      )
    })
  }
]
