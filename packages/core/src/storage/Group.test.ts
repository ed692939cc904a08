import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Uuid } from "../kernel/Ids.ts"
import { Centavos } from "../kernel/Money.ts"
import { pick } from "./Group.ts"
import type { IdempotencyScope, Unit } from "../units/Unit.ts"
import { at, idOf, moneyIn, moneyOut, opening, rowOf, unitOf } from "./Units.test-data.ts"

const row = (name: number) => rowOf({ id: idOf(0x100 + name) })
const scope: IdempotencyScope = { wallet: idOf(1), route: "/pix", key: "k" }
const one = Centavos.make(1n)
const attempt = {
  at: at(1),
  outcome: "",
  httpStatus: null,
  durationMillis: 0,
  status: "queued"
} as const

/** What a unit can write, each under a name that two units may share. */
const writing: ReadonlyArray<(name: number) => Partial<Unit>> = [
  (name) => ({ inserts: [row(name)] }),
  (name) => ({ updates: [{ row: row(name), expected: 1 }] }),
  (name) => ({ keys: [{ space: "s", key: `${name}`, holder: idOf(1) }] }),
  (name) => ({
    idempotency: {
      _tag: "Complete",
      scopes: [{ ...scope, key: `${name}` }],
      entity: idOf(1),
      snapshot: ""
    }
  }),
  (name) => ({ jobs: [{ _tag: "Cancel", queue: "inbox", id: idOf(name) }] }),
  (name) => ({
    events: [
      {
        event: {
          id: idOf(1),
          account: idOf(1),
          wallet: idOf(1),
          key: `${name}`,
          type: "t",
          body: "",
          at: at(1)
        },
        deliveries: []
      }
    ]
  }),
  (name) => ({
    ledger: (moneyIn(idOf(1), 1n).ledger ?? []).map((tx) => ({ ...tx, leg: name, source: idOf(1) }))
  }),
  (name) => ({ attempts: [{ ...attempt, delivery: idOf(1), number: name }] })
]
const expecting = (name: number): Partial<Unit> => ({
  expects: [{ table: "operation", id: row(name).id, version: 1 }]
})

const groupOf = (units: ReadonlyArray<Unit>, max = 100) => {
  const { group, rest } = pick(units, max, (unit) => unit)
  return { group: idsOf(group), rest: idsOf(rest) }
}
const idsOf = (units: ReadonlyArray<{ readonly id: Uuid }>) => units.map((unit) => unit.id)

describe("two units", () => {
  for (const [kind, write] of writing.entries()) {
    it(`meet in what they write: ${Object.keys(write(0)).join()}`, () => {
      const [one, same, other] = [unitOf(write(0)), unitOf(write(0)), unitOf(write(1))]
      const expected = { group: idsOf([one, other]), rest: idsOf([same]) }
      assert.deepStrictEqual(groupOf([one, same, other]), expected, `${kind}`)
    })
  }

  it("meet where one expects what the other writes", () => {
    const [read, write] = [
      unitOf(expecting(0)),
      unitOf({ updates: [{ row: row(0), expected: 1 }] })
    ]
    assert.deepStrictEqual(groupOf([read, write]), { group: [read.id], rest: [write.id] })
    assert.deepStrictEqual(groupOf([write, read]), { group: [write.id], rest: [read.id] })
  })

  it("do not meet where both only expect, nor in wallets and counters", () => {
    const pairs = [
      [unitOf(expecting(0)), unitOf(expecting(0))],
      [moneyIn(idOf(1), 1n), moneyOut(idOf(1), 1n)],
      [
        unitOf({ counters: [{ key: "c", add: one }] }),
        unitOf({ counters: [{ key: "c", add: one }] })
      ],
      [
        unitOf({ liens: [{ wallet: idOf(1), delta: one }] }),
        unitOf({ liens: [{ wallet: idOf(1), delta: one }] })
      ]
    ]
    for (const pair of pairs)
      assert.deepStrictEqual(groupOf(pair), { group: idsOf(pair), rest: [] })
  })
})

describe("a unit that opens or closes a wallet", () => {
  const closing = unitOf({ empty: [idOf(1)] })
  for (const alone of [opening(idOf(1)), closing]) {
    it(`goes by itself: ${Object.keys(alone).join()}`, () => {
      const [one, two] = [unitOf({}), unitOf({})]
      assert.deepStrictEqual(groupOf([alone, one, two]), {
        group: [alone.id],
        rest: idsOf([one, two])
      })
      assert.deepStrictEqual(groupOf([one, alone, two]), {
        group: idsOf([one, two]),
        rest: [alone.id]
      })
    })
  }
})

describe("any line", () => {
  const name = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))
  const kind = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: writing.length - 1 }))
  const touch = Schema.Struct({
    writes: Schema.Array(Schema.Tuple([kind, name])).check(Schema.isMaxLength(2)),
    reads: Schema.Array(name).check(Schema.isMaxLength(2)),
    alone: Schema.Literals([false, false, false, false, true])
  })
  type Touch = typeof touch.Type
  const line = Schema.Array(touch).check(Schema.isMaxLength(24))
  const max = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 8 }))

  // A unit has one idempotency record at most.
  const writesIn = ({ writes }: Touch) =>
    writes.filter(([kind], index) => kind !== 3 || index === writes.length - 1)
  // Inserting and updating a row is to write the same name.
  const nameOf = ([kind, name]: readonly [number, number]) => `${kind === 1 ? 0 : kind} ${name}`
  const writesOf = (touch: Touch) => writesIn(touch).map(nameOf)
  const readsOf = (touch: Touch) => touch.reads.map((name) => `0 ${name}`)
  const meet = (one: Touch, other: Touch): boolean =>
    writesOf(one).some((name) => [...writesOf(other), ...readsOf(other)].includes(name)) ||
    readsOf(one).some((name) => writesOf(other).includes(name))

  const unitFor = (touch: Touch): Unit => {
    const parts = [
      ...writesIn(touch).map(([kind, name]) => writing[kind]?.(name) ?? {}),
      ...touch.reads.map(expecting),
      touch.alone ? { empty: [idOf<never>(1)] } : {}
    ]
    const merged: Record<string, unknown> = {}
    for (const [key, value] of parts.flatMap((part) => Object.entries(part))) {
      const known = merged[key]
      merged[key] = Array.isArray(known) && Array.isArray(value) ? [...known, ...value] : value
    }
    return unitOf(merged)
  }

  it.prop(
    "keeps the order of those that meet, and no two of a group meet",
    { line, max },
    ({ line, max }) => {
      const entries = line.map((touch, place) => ({ touch, place, unit: unitFor(touch) }))
      const { group, rest } = pick(entries, max, (entry) => entry.unit)
      const places = (of: typeof group) => of.map((entry) => entry.place)

      assert.deepStrictEqual(
        places(entries),
        [...places(group), ...places(rest)].toSorted((left, right) => left - right)
      )
      for (const part of [group, rest]) {
        assert.deepStrictEqual(
          places(part),
          places(part).toSorted((left, right) => left - right)
        )
      }
      assert.isAtMost(group.length, max)
      if (line.length > 0) assert.isAbove(group.length, 0)
      for (const [index, one] of group.entries()) {
        if (one.touch.alone) assert.strictEqual(group.length, 1)
        for (const other of group.slice(index + 1)) {
          assert.isFalse(meet(one.touch, other.touch), "two of one group meet")
        }
        for (const waits of rest.filter((entry) => entry.place < one.place)) {
          assert.isFalse(meet(waits.touch, one.touch), "one overtakes another that it meets")
        }
      }
    },
    { arbitrary: { runs: 500 } }
  )
})
