import { Storage, StorageDriver } from "@pagora/core"
import type { Question, WalletId } from "@pagora/core"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
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
  scopeOf
} from "./StorageLaws.ts"

const resolve = (lookups: Parameters<Storage["Service"]["resolve"]>[0]) =>
  Storage.use((storage) => storage.resolve(lookups))

/** Questions by an id or a name. */
export const lookLaws: ReadonlyArray<StorageLaw> = [
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
    title:
      "questions of many come together: each is answered in its place, with the row that has the id",
    proof: Effect.gen(function* () {
      const driver = yield* StorageDriver
      const [wallet, ref, key] = [yield* aWallet(), newName(), newName()]
      const operation = yield* aRow({ wallet, ref })
      const registered = yield* aRow({ wallet, table: "registry" })
      const { ledger } = moneyIn(wallet, 5n)
      const [{ id: tx }] = ledger
      yield* commit({ ledger, keys: [{ space: "law", key, holder: registered.id }] })
      const scope = scopeOf({ wallet })
      yield* commit(beginning(scope, { entity: operation.id }))
      const [one, other] = [
        { ...operation, version: 1 },
        { ...registered, version: 1 }
      ]
      const questions: ReadonlyArray<Question> = [
        { _tag: "Row", table: "registry", id: registered.id },
        { _tag: "Row", table: "operation", id: newId() },
        { _tag: "Row", table: "operation", id: registered.id },
        { _tag: "Row", table: "operation", id: operation.id },
        { _tag: "Ref", wallet, ref },
        { _tag: "Row", table: "registry", id: registered.id },
        { _tag: "Key", space: "law", key },
        { _tag: "Id", wallet, id: tx },
        { _tag: "IdempotencyKey", wallet, key: scope.key },
        { _tag: "Key", space: "law", key: newName() }
      ]
      assertSame(yield* driver.look(questions), [
        { table: "registry", id: other.id, row: other },
        undefined,
        undefined,
        { table: "operation", id: one.id, row: one },
        { table: "operation", id: one.id, row: one },
        { table: "registry", id: other.id, row: other },
        { table: "any", id: other.id, row: other },
        { table: "ledger", id: tx, row: undefined },
        { table: "any", id: one.id, row: one },
        undefined
      ])
      assertSame(yield* driver.look([]), [])
      const records = yield* driver.idempotency([scopeOf({ wallet }), scope, scope])
      assertSame(
        records.map((record) => record?.entity),
        [undefined, operation.id, operation.id]
      )
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
