import { Kind, Storage } from "@pagora/core"
import type { AccountId, Row, WalletId } from "@pagora/core"
import { lookLaws } from "./StorageLookLaws.ts"
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { StorageLaw } from "./StorageLaws.ts"
import { assertSame, aWallet, commit, moneyIn, newId, newName, times } from "./StorageLaws.ts"

/** Walks all pages of a list, each from just after the last id of the one before. */
const pagesOf = Effect.fnUntraced(function* <A extends { readonly id: string }, E, R>(
  page: (after: A | undefined) => Effect.Effect<ReadonlyArray<A>, E, R>
) {
  const pages: Array<ReadonlyArray<A>> = []
  for (let last: A | undefined; pages.length < 50; last = pages.at(-1)?.at(-1)) {
    const next = yield* page(last)
    if (next.length === 0) break
    pages.push(next)
  }
  return pages
})

const Thing = Schema.Struct({ id: Schema.String, note: Schema.String })
const aKind = (name: string) =>
  Kind.make<typeof Thing.Type, typeof Thing.Encoded>({
    name,
    table: "operation",
    schema: Thing,
    columns: ({ id }) => ({ id: id as Row["id"], account: newId(), wallet: null, status: "new" })
  })

const listLaws: ReadonlyArray<StorageLaw> = [
  {
    title: "a list is walked page by page in either order, each row once",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const kind = aKind(newName())
      const account = newId()
      const rows = times(11, (index) => kind.row({ id: newId(), note: `${index}` }))
      yield* commit({ inserts: rows.map((row) => ({ ...row, account })).toReversed() })
      const sorted = rows.map(({ id }) => id).toSorted()
      for (const order of ["asc", "desc"] as const) {
        const pages = yield* pagesOf<typeof Thing.Type, unknown, never>((after) =>
          storage
            .list(kind, {
              account,
              order,
              limit: 4,
              ...(after === undefined ? {} : { after: after.id as Row["id"] })
            })
            .pipe(Effect.map((page) => page.map(({ value }) => value)))
        )
        assert.deepStrictEqual(
          pages.map((page) => page.length),
          [4, 4, 3]
        )
        const ids = pages.flat().map(({ id }) => id)
        assert.deepStrictEqual(ids, order === "asc" ? sorted : sorted.toReversed())
      }
    })
  },
  {
    title:
      "ids are compared by their characters, and a page may begin after an id that is not there",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const kind = aKind(newName())
      const ids = ["0", "4", "8", "c", "f"].map(
        (digit) => `${digit}${newId().slice(1)}` as Row["id"]
      )
      yield* commit({ inserts: ids.map((id) => kind.row({ id, note: "" })) })
      const after = `5${newId().slice(1)}` as Row["id"]
      for (const [order, expected] of [
        ["asc", ids.slice(2)],
        ["desc", ids.slice(0, 2).toReversed()]
      ] as const) {
        const page = yield* storage.list(kind, { order, after, limit: 9 })
        assert.deepStrictEqual(
          page.map(({ value }) => value.id),
          expected
        )
      }
    })
  },
  {
    title: "a list is narrowed by kind, account, wallet and status, and by all of them together",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const [kind, other] = [aKind(newName()), aKind(newName())]
      const [account, wallet] = [newId(), newId<WalletId>()]
      const thing = (of: typeof kind, parts: Partial<Row>) => ({
        ...of.row({ id: newId(), note: "" }),
        ...parts
      })
      const match = thing(kind, { account, wallet, status: "done" })
      const others = [
        thing(kind, { account, wallet }),
        thing(kind, { account, status: "done" }),
        thing(kind, { wallet, status: "done" }),
        thing(other, { account, wallet, status: "done" }),
        thing(kind, { account, wallet, status: "done", table: "registry" })
      ]
      yield* commit({ inserts: [match, ...others] })
      const list = (query: object) =>
        Effect.map(
          storage.list(kind, { ...query, order: "asc", limit: 99 }),
          (found) => found.length
        )
      assert.strictEqual(yield* list({}), 4)
      assert.strictEqual(yield* list({ account }), 3)
      assert.strictEqual(yield* list({ wallet }), 3)
      assert.strictEqual(yield* list({ status: "done" }), 3)
      assert.strictEqual(yield* list({ account, wallet, status: "done" }), 1)
      assert.strictEqual(yield* list({ account: newId() }), 0)
    })
  },
  {
    title: "entities are found by kind and id, with the version to expect",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const kind = aKind(newName())
      const value = { id: newId(), note: "first" }
      yield* commit({ inserts: [kind.row(value)] })
      const found = yield* storage.find(kind, value.id)
      assertSame(found, { value, version: 1 })
      assert.isDefined(found)
      const changed = { ...value, note: "second" }
      yield* commit({ updates: [Kind.update(kind, found, changed)] })
      assertSame(yield* storage.findMany(kind, [value.id, value.id, newId()]), [
        { value: changed, version: 2 }
      ])
      assert.isUndefined(yield* storage.find(aKind(newName()), value.id))
    })
  }
]

const movementLaws: ReadonlyArray<StorageLaw> = [
  {
    title:
      "movements are walked page by page in either order, by the wallet whose statement they stand in",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const wallet = yield* aWallet()
      const own = times(5, () => moneyIn(wallet, 3n).ledger[0])
      yield* commit({ ledger: own.toReversed() })
      for (const order of ["asc", "desc"] as const) {
        const pages = yield* pagesOf<(typeof own)[number], unknown, never>((after) =>
          storage.movements({
            wallet,
            order,
            limit: 2,
            ...(after === undefined ? {} : { after: after.id })
          })
        )
        assert.deepStrictEqual(
          pages.map((page) => page.length),
          [2, 2, 1]
        )
        assertSame(pages.flat(), order === "asc" ? own : own.toReversed())
      }
    })
  },
  {
    title: "movements are narrowed by account, over all its wallets",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const [one, other] = [yield* aWallet(), yield* aWallet()]
      const account = newId<AccountId>()
      const ledger = [one, other, one].map((wallet) => ({
        ...moneyIn(wallet, 3n).ledger[0],
        account
      }))
      yield* commit({ ledger })
      assertSame(yield* storage.movements({ account, order: "asc", limit: 9 }), ledger)
      const narrowed = yield* storage.movements({ account, wallet: other, order: "asc", limit: 9 })
      assertSame(narrowed, ledger.slice(1, 2))
    })
  }
]

export const readLaws = [...lookLaws, ...listLaws, ...movementLaws]
