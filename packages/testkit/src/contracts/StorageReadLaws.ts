import { Kind, Storage } from "@pagora/core"
import type { AccountId, Row, WalletId } from "@pagora/core"
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { StorageLaw } from "./StorageLaws.ts"
import {
  aRow,
  assertSame,
  aWallet,
  beginning,
  commit,
  moneyIn,
  newId,
  newName,
  rowOf,
  scopeOf,
  times
} from "./StorageLaws.ts"

const resolve = (lookups: Parameters<Storage["Service"]["resolve"]>[0]) =>
  Storage.use((storage) => storage.resolve(lookups))

const lookupLaws: ReadonlyArray<StorageLaw> = [
  {
    title: "an id finds an operation or a movement, in its own wallet only",
    proof: Effect.gen(function* () {
      const [wallet, other] = [yield* aWallet(), yield* aWallet()]
      const row = yield* aRow({ wallet })
      const registered = yield* aRow({ wallet, table: "registry" })
      const { ledger } = moneyIn(wallet, 5n)
      yield* commit({ ledger })
      const [{ id: tx }] = ledger
      assertSame(yield* resolve([{ _tag: "Id", wallet, id: row.id }]), {
        table: "operation",
        id: row.id
      })
      assertSame(yield* resolve([{ _tag: "Id", wallet, id: tx }]), { table: "ledger", id: tx })
      for (const id of [row.id, tx])
        assert.isUndefined(yield* resolve([{ _tag: "Id", wallet: other, id }]))
      assert.isUndefined(yield* resolve([{ _tag: "Id", wallet, id: registered.id }]))
      assert.isUndefined(yield* resolve([{ _tag: "Id", wallet, id: newId() }]))
    })
  },
  {
    title: "a reference finds the newest operation of the wallet that has it now",
    proof: Effect.gen(function* () {
      const [wallet, other, ref] = [newId<WalletId>(), newId<WalletId>(), newName()]
      const byRef = resolve([{ _tag: "Ref", wallet, ref }])
      const [old, middle, newest] = [
        rowOf({ wallet, ref }),
        rowOf({ wallet, ref }),
        rowOf({ wallet, ref, kind: "another" })
      ]
      for (const row of [old, newest, middle]) yield* commit({ inserts: [row] })
      yield* aRow({ wallet: other, ref })
      yield* aRow({ wallet, ref, table: "registry" })
      assertSame(yield* byRef, { table: "operation", id: newest.id })
      yield* commit({ updates: [{ row: { ...newest, ref: null }, expected: 1 }] })
      assertSame(yield* byRef, { table: "operation", id: middle.id })
      assert.isUndefined(yield* resolve([{ _tag: "Ref", wallet, ref: ref.toUpperCase() }]))
    })
  },
  {
    title:
      "an Idempotency-Key finds the entity of its newest record in the wallet, whatever its route",
    proof: Effect.gen(function* () {
      const scope = scopeOf()
      const { key, wallet } = scope
      // The order of beginning counts, not that of the ids, nor which lasts longer.
      const [second, first] = [newId(), newId()]
      yield* commit(beginning({ ...scope, route: "z" }, { entity: first, seconds: 0 }))
      const byKey = resolve([{ _tag: "IdempotencyKey", wallet, key }])
      assertSame(yield* byKey, { table: "any", id: first })
      yield* commit(
        beginning({ ...scope, route: "a" }, { entity: second, seconds: 60, expiresIn: 60 })
      )
      assertSame(yield* byKey, { table: "any", id: second })
      yield* commit(beginning(scopeOf({ key }), { seconds: 120 }))
      assertSame(yield* byKey, { table: "any", id: second })
    })
  },
  {
    title: "of several lookups the first that finds something answers",
    proof: Effect.gen(function* () {
      const [wallet, ref] = [newId<WalletId>(), newName()]
      const one = yield* aRow({ wallet })
      const other = yield* aRow({ wallet, ref })
      const nothing = { _tag: "Ref", wallet, ref: newName() } as const
      const byRef = { _tag: "Ref", wallet, ref } as const
      const byId = { _tag: "Id", wallet, id: one.id } as const
      assert.strictEqual((yield* resolve([nothing, byRef, byId]))?.id, other.id)
      assert.strictEqual((yield* resolve([nothing, byId, byRef]))?.id, one.id)
      assert.isUndefined(yield* resolve([nothing]))
      assert.isUndefined(yield* resolve([]))
    })
  }
]

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

export const readLaws = [...lookupLaws, ...listLaws, ...movementLaws]
