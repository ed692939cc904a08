import { Storage, StorageDriver } from "@pagora/core"
import type { Lookup, Question, WalletId } from "@pagora/core"
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

const resolve = (lookup: Lookup) => Storage.use((storage) => storage.resolve(lookup))

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
      assert.strictEqual(yield* resolve({ _tag: "Name", wallet, id: row.id }), row.id)
      assert.strictEqual(yield* resolve({ _tag: "Name", wallet, id: tx }), tx)
      for (const id of [row.id, tx])
        assert.isUndefined(yield* resolve({ _tag: "Name", wallet: other, id }))
      assert.isUndefined(yield* resolve({ _tag: "Name", wallet, id: registered.id }))
      assert.isUndefined(yield* resolve({ _tag: "Name", wallet, id: newId() }))
    })
  },
  {
    title: "a reference finds the newest operation of the wallet that has it now",
    proof: Effect.gen(function* () {
      const [wallet, other, ref] = [newId<WalletId>(), newId<WalletId>(), newName()]
      const byRef = resolve({ _tag: "Name", wallet, name: ref })
      const [old, middle, newest] = [
        rowOf({ wallet, ref }),
        rowOf({ wallet, ref }),
        rowOf({ wallet, ref, kind: "another" })
      ]
      for (const row of [old, newest, middle]) yield* commit({ inserts: [row] })
      yield* aRow({ wallet: other, ref })
      yield* aRow({ wallet, ref, table: "registry" })
      assert.strictEqual(yield* byRef, newest.id)
      yield* commit({ updates: [{ row: { ...newest, ref: null }, expected: 1 }] })
      assert.strictEqual(yield* byRef, middle.id)
      assert.isUndefined(yield* resolve({ _tag: "Name", wallet, name: ref.toUpperCase() }))
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
      const byKey = resolve({ _tag: "Name", wallet, name: key })
      assert.strictEqual(yield* byKey, first)
      yield* commit(
        beginning({ ...scope, route: "a" }, { entity: second, seconds: 60, expiresIn: 60 })
      )
      assert.strictEqual(yield* byKey, second)
      yield* commit(beginning(scopeOf({ key }), { seconds: 120 }))
      assert.strictEqual(yield* byKey, second)
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
        { _tag: "Name", wallet, name: ref },
        { _tag: "Row", table: "registry", id: registered.id },
        { _tag: "Key", space: "law", key },
        { _tag: "Name", wallet, id: tx, name: newName() },
        { _tag: "Name", wallet, name: scope.key },
        { _tag: "Key", space: "law", key: newName() }
      ]
      assertSame(yield* driver.look(questions), [
        { id: other.id, row: other },
        undefined,
        undefined,
        { id: one.id, row: one },
        { id: one.id, row: one },
        { id: other.id, row: other },
        { id: other.id, row: other },
        { id: tx, row: undefined },
        { id: one.id, row: one },
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
    title:
      "of the names of a transaction the id comes first, then the reference, then the Idempotency-Key",
    proof: Effect.gen(function* () {
      const [wallet, name] = [newId<WalletId>(), newName()]
      const [byId, byRef, byKey] = [yield* aRow({ wallet }), rowOf({ wallet, ref: name }), newId()]
      yield* commit(beginning(scopeOf({ wallet, key: name }), { entity: byKey }))
      const both = resolve({ _tag: "Name", wallet, id: byId.id, name })
      const none = resolve({ _tag: "Name", wallet, id: newId(), name })
      assert.strictEqual(yield* both, byId.id)
      assert.strictEqual(yield* none, byKey)
      yield* commit({ inserts: [byRef] })
      assert.strictEqual(yield* both, byId.id)
      assert.strictEqual(yield* none, byRef.id)
      assert.isUndefined(yield* resolve({ _tag: "Name", wallet, name: newName() }))
      assert.isUndefined(yield* resolve({ _tag: "Name", wallet }))
      // The same where they are asked together, and a movement's id before a reference.
      const { ledger } = moneyIn(yield* aWallet(), 5n)
      yield* commit({ ledger })
      const [{ id: tx, wallet: ofTx }] = ledger
      yield* aRow({ wallet: ofTx, ref: name })
      const found = yield* (yield* StorageDriver).look([
        { _tag: "Name", wallet, name: newName() },
        { _tag: "Name", wallet: ofTx, id: tx, name },
        { _tag: "Name", wallet, id: byId.id, name },
        { _tag: "Name", wallet, name },
        { _tag: "Name", wallet, id: newId(), name },
        { _tag: "Name", wallet: newId<WalletId>(), id: byId.id }
      ])
      assertSame(
        found.map((seen) => seen?.id),
        [undefined, tx, byId.id, byRef.id, byRef.id, undefined]
      )
    })
  },
  {
    title:
      "the only row of a kind in the registry is found while its wallet has one, and none then",
    proof: Effect.gen(function* () {
      const [wallet, kind] = [newId<WalletId>(), newName()]
      const only = resolve({ _tag: "Only", wallet, kind })
      assert.isUndefined(yield* only)
      yield* aRow({ wallet, kind })
      yield* aRow({ wallet, table: "registry" })
      yield* aRow({ table: "registry", kind })
      assert.isUndefined(yield* only)
      const first = yield* aRow({ wallet, kind, table: "registry" })
      assert.strictEqual(yield* only, first.id)
      yield* aRow({ wallet, kind, table: "registry" })
      assert.isUndefined(yield* only)
    })
  }
]
