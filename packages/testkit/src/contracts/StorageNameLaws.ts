import { DuplicateKey, StaleVersion, Storage } from "@pagora/core"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { StorageLaw } from "./StorageLaws.ts"
import {
  aRow,
  assertSame,
  at,
  beginning,
  commit,
  newId,
  newName,
  refusal,
  scopeOf
} from "./StorageLaws.ts"

const completing = (
  scope: ReturnType<typeof scopeOf>,
  entity: ReturnType<typeof newId>,
  snapshot = "{}"
) => ({ idempotency: { _tag: "Complete", scopes: [scope], entity, snapshot } as const })

const recordOf = (scope: ReturnType<typeof scopeOf>) =>
  Storage.use((storage) => storage.idempotency(scope))

const keyLaws: ReadonlyArray<StorageLaw> = [
  {
    title: "a unique key leads to its holder, in its space only",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const [key, one, other] = [newName(), newId(), newId()]
      yield* commit({ keys: [{ space: "e2e", key, holder: one }] })
      yield* commit({ keys: [{ space: "txid", key, holder: other }] })
      const held = (space: string) => storage.resolve({ _tag: "Key", space, key })
      assert.strictEqual(yield* held("e2e"), one)
      assert.strictEqual(yield* held("txid"), other)
      assert.isUndefined(yield* held("other"))
    })
  },
  {
    title: "keys that look alike are different keys",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const name = newName()
      const alike = ["e", "E", "é", "e\u0301", "è", "ｅ", " e", "e ", "", "\\e", "'e'", "%"]
      const keys = alike.map((variant) => ({
        space: "law",
        key: `${name}${variant}`,
        holder: newId()
      }))
      yield* commit({ keys })
      for (const key of keys) {
        assert.strictEqual(yield* storage.resolve({ _tag: "Key", ...key }), key.holder)
      }
    })
  },
  {
    title: "two units of one group with the same key: the first has it, the second is refused",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const [key, one, other] = [newName(), newId(), newId()]
      const outcomes = yield* Effect.forEach(
        [one, other],
        (holder) => Effect.result(commit({ keys: [{ space: "law", key, holder }] })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        outcomes.map(({ _tag }) => _tag),
        ["Success", "Failure"]
      )
      assert.strictEqual(yield* storage.resolve({ _tag: "Key", space: "law", key }), one)
    })
  },
  {
    title: "a key is taken even from a row of the same unit that comes later",
    proof: Effect.gen(function* () {
      const row = yield* aRow()
      const key = { space: "law", key: newName(), holder: row.id }
      yield* commit({ keys: [key] })
      const refused = yield* refusal({ updates: [{ row, expected: 1 }], keys: [key] })
      assertSame(refused, new DuplicateKey({ space: "law", key: key.key }))
      yield* commit({ updates: [{ row, expected: 1 }] })
    })
  }
]

const idempotencyLaws: ReadonlyArray<StorageLaw> = [
  {
    title: "an Idempotency-Key is begun once, and read back as it was begun",
    proof: Effect.gen(function* () {
      const [scope, entity] = [scopeOf(), newId()]
      assert.isUndefined(yield* recordOf(scope))
      yield* commit(beginning(scope, { entity }))
      const record = { entity, fingerprint: "digest", expiresAt: at(86_400), snapshot: null }
      assertSame(yield* recordOf(scope), record)
      const taken = new DuplicateKey({ space: "idempotency", key: scope.key })
      assertSame(yield* refusal(beginning(scope, { seconds: 86_399 })), taken)
      assertSame(yield* recordOf(scope), record)
    })
  },
  {
    title: "an Idempotency-Key is free again at exactly its end, and then holds the new entity",
    proof: Effect.gen(function* () {
      const [scope, first, second] = [scopeOf(), newId(), newId()]
      yield* commit(beginning(scope, { entity: first, expiresIn: 100 }))
      yield* commit(completing(scope, first))
      yield* refusal({ ...beginning(scope, { entity: second, seconds: 99.999 }) })
      yield* commit(beginning(scope, { entity: second, seconds: 100, expiresIn: 100 }))
      assertSame(yield* recordOf(scope), {
        entity: second,
        fingerprint: "digest",
        expiresAt: at(200),
        snapshot: null
      })
      assertSame(yield* refusal(completing(scope, first)), new StaleVersion({ id: first }))
    })
  },
  {
    title:
      "an Idempotency-Key that was not over when somebody looked is not his, whatever time it is since",
    proof: Effect.gen(function* () {
      const [scope, first] = [scopeOf(), newId()]
      yield* commit(beginning(scope, { entity: first, expiresIn: 100 }))
      const late = { seconds: 90_000, asOf: 99.999 }
      const taken = new DuplicateKey({ space: "idempotency", key: scope.key })
      assertSame(yield* refusal(beginning(scope, late)), taken)
      assert.strictEqual((yield* recordOf(scope))?.entity, first)
      yield* commit(beginning(scope, { ...late, asOf: 100 }))
    })
  },
  {
    title: "an Idempotency-Key counts by wallet, route and key",
    proof: Effect.gen(function* () {
      const scope = scopeOf()
      const others = [
        scopeOf({ ...scope, wallet: newId() }),
        { ...scope, route: "POST /refunds" },
        { ...scope, key: newName() }
      ]
      yield* commit(beginning(scope))
      for (const other of others) {
        assert.isUndefined(yield* recordOf(other))
        yield* commit(beginning(other))
      }
    })
  },
  {
    title: "an answer is kept to the byte, and only the entity that began may leave it",
    proof: Effect.gen(function* () {
      const [scope, entity] = [scopeOf(), newId()]
      const snapshot = '{"b":1.50,"a":"é \\u00e9 \\"😀\\"","b2":[ 1 ,2]}\n'
      yield* commit(beginning(scope, { entity }))
      yield* refusal(completing(scope, newId(), "stolen"))
      yield* commit(completing(scope, entity, snapshot))
      assert.strictEqual((yield* recordOf(scope))?.snapshot, snapshot)
    })
  },
  {
    title:
      "several Idempotency-Keys that wait for one outcome get it together, or none of them does",
    proof: Effect.gen(function* () {
      const entity = newId()
      const [first, second, stranger] = [scopeOf(), scopeOf(), scopeOf()]
      yield* commit(beginning(first, { entity }))
      yield* commit(beginning(second, { entity }))
      yield* commit(beginning(stranger))
      const snapshots = Effect.map(Effect.forEach([second, first, stranger], recordOf), (records) =>
        records.map((record) => record?.snapshot)
      )
      const complete = (...scopes: ReadonlyArray<ReturnType<typeof scopeOf>>) => ({
        idempotency: { _tag: "Complete", scopes, entity, snapshot: "{}" } as const
      })
      for (const other of [stranger, scopeOf()]) {
        const refused = yield* refusal(complete(second, other, first))
        assertSame(refused, new StaleVersion({ id: entity }))
        assert.deepStrictEqual(yield* snapshots, [null, null, null])
      }
      yield* commit(complete(second, first))
      assert.deepStrictEqual(yield* snapshots, ["{}", "{}", null])
    })
  },
  {
    title: "an answer that is known at once is kept with the beginning",
    proof: Effect.gen(function* () {
      const scope = scopeOf()
      const begin = beginning(scope).idempotency
      if (begin?._tag !== "Begin") return assert.fail("no beginning")
      yield* commit({ idempotency: { ...begin, snapshot: "{ }" } })
      assert.strictEqual((yield* recordOf(scope))?.snapshot, "{ }")
    })
  }
]

export const nameLaws = [...keyLaws, ...idempotencyLaws]
