import { Storage, StorageDriver } from "@pagora/core"
import type { AccountId, DeliveryRow, EventRow, LedgerTx, Row } from "@pagora/core"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { StorageLaw } from "./StorageLaws.ts"
import {
  assertSame,
  at,
  attemptOf,
  aWallet,
  beginning,
  byId,
  commit,
  counterOf,
  brl,
  eventOf,
  moneyIn,
  newId,
  newName,
  rowOf,
  scopeOf,
  times
} from "./StorageLaws.ts"

/** Texts that some storage, driver or protocol has once changed on the way. No text has a NUL in it. */
const texts: ReadonlyArray<string> = [
  "",
  " ",
  "NULL",
  "null",
  "a\\b\\\\c",
  "\"quoted\" and 'quoted' and `quoted`",
  "{a,b}",
  '{"a":[1,{}]}',
  '(a,"b")',
  "line\nfeed\r\nreturn\ttab\u0001\u001f\u007f",
  "trailing space ",
  "São João, R$ 1.234,56 €",
  "e\u0301 é ﬁ Å Å",
  "🎉👩‍👩‍👧‍👦🇧🇷𝟘",
  "\uFEFFmark",
  "'; drop table wallet; --",
  "$1 %s ${x} :name ?",
  "עברית العربية 日本語"
]

/** JSON that is only the same if no digit, space or order was touched. */
const documents: ReadonlyArray<string> = [
  "{}",
  "null",
  '{"b":1,"a":2,"B":3}',
  '{ "amount" : 10.50 , "zero":0.00,"exp":1E+2,"big":12345678901234567890.10,"small":1e-300}',
  "[1,\n  2,\t3]",
  '{"escaped":"\\u00e9\\ud83d\\ude00\\/\\"","plain":"é😀/"}',
  '{"__proto__":{"x":1},"":"","constructor":null}',
  JSON.stringify({ texts })
]

const large = `{"text":"${'é🎉\\\\\\"x'.repeat(8_192)}"}`

const rowLaws: ReadonlyArray<StorageLaw> = [
  {
    title: "documents come back to the byte, as they were inserted and as they were updated",
    proof: Effect.gen(function* () {
      const driver = yield* StorageDriver
      for (const table of ["operation", "registry"] as const) {
        const rows = [...documents, large].map((document) => rowOf({ table, document }))
        yield* commit({ inserts: rows })
        const read = yield* driver.rows(
          table,
          rows.map(({ id }) => id)
        )
        assertSame(byId(read), byId(rows.map((row) => ({ ...row, version: 1 }))))
        const changed = rows.map((row, index) => ({ ...row, document: documents[index] ?? large }))
        const reversed = changed.map((row, index) => ({
          ...row,
          document: changed.at(-1 - index)?.document ?? ""
        }))
        yield* commit({ updates: reversed.map((row) => ({ row, expected: 1 })) })
        const again = yield* driver.rows(
          table,
          rows.map(({ id }) => id)
        )
        assertSame(byId(again), byId(reversed.map((row) => ({ ...row, version: 2 }))))
      }
    })
  },
  {
    title: "every column of a row comes back to the byte, and what is null stays null",
    proof: Effect.gen(function* () {
      const driver = yield* StorageDriver
      const rows = texts.map((text, index): Row =>
        rowOf({ kind: `k${text}`, status: text, ref: text, amount: brl(BigInt(index) - 3n) })
      )
      const nulls = rowOf({ wallet: null, ref: null, amount: null })
      yield* commit({ inserts: [...rows, nulls] })
      const read = yield* driver.rows(
        "operation",
        [...rows, nulls].map(({ id }) => id)
      )
      assertSame(byId(read), byId([...rows, nulls].map((row) => ({ ...row, version: 1 }))))
    })
  },
  {
    title: "an update changes every column of a row but its id and table",
    proof: Effect.gen(function* () {
      const driver = yield* StorageDriver
      const before = rowOf({ amount: brl(5n), ref: "before" })
      yield* commit({ inserts: [before] })
      const row = rowOf({
        id: before.id,
        kind: "other",
        status: "done",
        amount: null,
        wallet: null
      })
      yield* commit({ updates: [{ row, expected: 1 }] })
      assertSame(yield* driver.rows("operation", [row.id]), [{ ...row, version: 2 }])
    })
  },
  {
    title: "rows are told apart by their table",
    proof: Effect.gen(function* () {
      const driver = yield* StorageDriver
      const [one, other] = [rowOf({ table: "operation" }), rowOf({ table: "registry" })]
      yield* commit({ inserts: [one, other] })
      for (const { id, table } of [one, other]) {
        assert.deepStrictEqual(
          (yield* driver.rows(table, [one.id, other.id])).map((row) => row.id),
          [id]
        )
      }
      assertSame(yield* driver.rows("operation", []), [])
      assertSame(yield* driver.rows("operation", [newId()]), [])
    })
  }
]

const ledgerLaws: ReadonlyArray<StorageLaw> = [
  {
    title: "a movement comes back as it was booked, its postings in their order",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const wallet = yield* aWallet()
      for (const document of [null, ...documents, large]) {
        const [booked] = moneyIn(wallet, 5n).ledger
        const [first, second] = booked.postings
        assert.isDefined(first)
        assert.isDefined(second)
        const postings = document === null ? [second, first] : booked.postings
        const account = newId<AccountId>()
        const tx: LedgerTx.LedgerTx = {
          ...booked,
          document,
          postings,
          leg: 3,
          kind: "refund",
          account
        }
        yield* commit({ ledger: [tx] })
        assertSame(yield* storage.ledgerTx(tx.id), tx)
      }
      assert.isUndefined(yield* storage.ledgerTx(newId()))
    })
  }
]

const deliveryOf = (parts: Partial<DeliveryRow> = {}): DeliveryRow => ({
  id: newId(),
  endpoint: newId(),
  ...parts
})

const eventLaws: ReadonlyArray<StorageLaw> = [
  {
    title: "an event's body comes back to the byte, up to 64 KB and beyond",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const bodies = [...texts, ...documents, large, "x".repeat(65_536)]
      const events = bodies.map((body, index): EventRow =>
        eventOf({
          body,
          key: `${newName()}${texts[index] ?? ""}`,
          type: `t${texts[index] ?? ""}`,
          at: at(index / 1_000)
        })
      )
      yield* commit({ events: events.map((event) => ({ event, deliveries: [] })) })
      assertSame(byId(yield* storage.events(events.map(({ id }) => id))), byId(events))
    })
  },
  {
    title:
      "a delivery is queued with its event, counts its attempts and stands where the last one left it",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const [event, delivery] = [eventOf(), deliveryOf()]
      yield* commit({ events: [{ event, deliveries: [delivery] }] })
      const { account, id, type } = event
      const expected = { ...delivery, event: id, account, type, status: "queued", attempts: 0 }
      const read = storage.deliveries({ ids: [delivery.id] })
      assertSame(yield* read, [expected])
      const attempts = [
        attemptOf(delivery.id, { number: 1 }),
        attemptOf(delivery.id, {
          number: 2,
          httpStatus: 503,
          outcome: "answered",
          durationMillis: 0
        }),
        attemptOf(delivery.id, {
          number: 3,
          httpStatus: 204,
          outcome: "ok",
          status: "delivered",
          at: at(0.001)
        })
      ]
      for (const attempt of attempts) yield* commit({ attempts: [attempt] })
      assertSame(yield* read, [{ ...expected, status: "delivered", attempts: 3 }])
      assertSame(yield* storage.attempts([delivery.id]), attempts)
      assertSame(yield* storage.attempts([newId()]), [])
    })
  },
  {
    title:
      "attempts come in the order of their numbers, of one delivery and of many, and their texts to the byte",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const delivery = deliveryOf()
      yield* commit({ events: [{ event: eventOf(), deliveries: [delivery] }] })
      const attempts = times(12, (index) =>
        attemptOf(delivery.id, { number: index + 1, outcome: `o${texts[index] ?? ""}` })
      )
      for (const attempt of attempts.toReversed()) yield* commit({ attempts: [attempt] })
      assertSame(yield* storage.attempts([delivery.id]), attempts)
      const other = deliveryOf()
      yield* commit({ events: [{ event: eventOf(), deliveries: [other] }] })
      const later = attemptOf(other.id, { number: 1 })
      yield* commit({ attempts: [later] })
      const both = yield* storage.attempts([other.id, delivery.id, newId()])
      const of = (id: string) => both.filter((attempt) => attempt.delivery === id)
      assertSame([of(delivery.id), of(other.id), both.length], [attempts, [later], 13])
      assertSame(yield* storage.attempts([]), [])
    })
  }
]

const nameTextLaws: ReadonlyArray<StorageLaw> = [
  {
    title: "names of any text are found again: keys, counters, references and Idempotency-Keys",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const unique = newName()
      for (const text of texts) {
        const name = `${text}${unique}${text}`
        const row = rowOf({ ref: name })
        const { wallet } = row
        assert.isNotNull(wallet)
        const scope = scopeOf({ wallet, route: `r${text}`, key: `${name} key` })
        yield* commit(beginning(scope, { entity: row.id }), {
          inserts: [row],
          keys: [{ space: `s${text}`, key: name, holder: row.id }],
          counters: [{ key: name, add: brl(2n) }]
        })
        assert.strictEqual((yield* storage.idempotency(scope))?.entity, row.id)
        assert.strictEqual(yield* counterOf(name), 2n)
        for (const lookup of [
          { _tag: "Key", space: `s${text}`, key: name },
          { _tag: "Name", wallet, name },
          { _tag: "Name", wallet, name: scope.key }
        ] as const) {
          assert.strictEqual(yield* storage.resolve(lookup), row.id, lookup._tag)
        }
      }
    })
  }
]

export const textLaws = [...rowLaws, ...ledgerLaws, ...eventLaws, ...nameTextLaws]
