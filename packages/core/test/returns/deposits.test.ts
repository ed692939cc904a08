import { assert, describe, it } from "@effect/vitest"
import { journey } from "@pagora/testkit"
import type { Journey, Payment } from "@pagora/testkit"
import { Effect } from "effect"
import { Centavos } from "../../src/kernel/Money.ts"
import { refundOf, returnsOf, sumOf } from "./Returns.test-data.ts"
import { existing, random, world, Written } from "../world/ServiceWorld.test-data.ts"

const pending = { status: "pending", e2eId: null, settledAt: null }

/** The failed transactions that were reported, oldest first. */
const failed = (story: Journey) =>
  Effect.map(story.events(), (events) =>
    events.flatMap(({ data, event }) => (event === "payment_failed" ? [data] : []))
  )

interface Case {
  readonly name: string
  readonly happens: (story: Journey) => Effect.Effect<unknown>
  /** What is credited all the same, in centavos. */
  readonly credited: number
  readonly returned: number
}

const paying = (payment: Payment, body: Readonly<Record<string, unknown>> = {}) =>
  Effect.fnUntraced(function* (story: Journey) {
    yield* story.pay(yield* story.charge(body), payment)
  })

const cases: ReadonlyArray<Case> = [
  { name: "of too little", happens: paying({ amount: 3 }), credited: 0, returned: 300 },
  { name: "of too much", happens: paying({ amount: 30 }), credited: 0, returned: 3_000 },
  { name: "made three times", happens: paying({ times: 3 }), credited: 1_000, returned: 2_000 },
  {
    name: "after the end",
    happens: (story) =>
      Effect.gen(function* () {
        const charge = yield* story.charge({ expiresIn: 60 })
        yield* story.advance("60 seconds")
        yield* story.payAtBank(charge)
        yield* story.drain
      }),
    credited: 0,
    returned: 1_000
  },
  {
    name: "by a company, where the account takes none",
    happens: (story) =>
      Effect.gen(function* () {
        yield* story.change({ policy: { blockCnpjPayers: true } })
        yield* paying({ payerDocument: "11222333000181" })(story)
      }),
    credited: 0,
    returned: 1_000
  }
]

describe.each(cases)("a payment $name", ({ credited, happens, returned }) => {
  it.effect("goes back to its payer: pending at first, then confirmed with its id and time", () =>
    Effect.gen(function* () {
      const story = yield* journey({ fees: { refund: { fixed: Centavos.make(50n) } } })
      yield* story.endpoint()
      yield* happens(story)
      yield* story.drain
      const reported = yield* failed(story)
      assert.isAbove(reported.length, 0)
      for (const data of reported) {
        // What the event says is what held when it was sent.
        assert.deepStrictEqual<unknown>(refundOf(data), pending)
        const shown = yield* story.transaction(existing(data.transactionId))
        assert.deepStrictEqual<unknown>(refundOf(shown), pending)
      }
      assert.strictEqual(yield* sumOf(story.shop.id, "suspense"), BigInt(returned))

      yield* story.advance("1 second")
      const money = yield* returnsOf(story.shop.id)
      assert.strictEqual(money.length, reported.length)
      for (const data of reported) {
        const shown = yield* story.transaction(existing(data.transactionId))
        assert.strictEqual(shown.status, "failed")
        const { e2eId, settledAt, status } = existing(refundOf(shown))
        assert.strictEqual(status, "confirmed")
        assert.match(String(e2eId), /^D/)
        assert.match(String(settledAt), /^2026-11-2\dT[\d:.]+Z$/)
      }
      assert.strictEqual(yield* sumOf(story.shop.id, "suspense"), 0n)
      assert.strictEqual(yield* sumOf(story.shop.id, "psp_clearing"), BigInt(-credited))
      assert.strictEqual((yield* story.figures).total, credited)
      // No fee, and no further event (spec, payment_failed).
      yield* story.advance("1 day")
      assert.strictEqual((yield* failed(story)).length, reported.length)
      assert.strictEqual((yield* story.figures).total, credited)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("the return of a deposit", () => {
  it.effect("begins in the commit that books the deposit", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const written = yield* Written
      yield* story.pay(yield* story.charge(), { amount: 3 })
      const booked = written.units.filter((unit) =>
        JSON.stringify(unit, (_, value: unknown) =>
          typeof value === "bigint" ? String(value) : value
        ).includes('"kind":"deposit"')
      )
      assert.strictEqual(booked.length, 1)
      const text = JSON.stringify(booked[0], (_, value: unknown) =>
        typeof value === "bigint" ? String(value) : value
      )
      assert.include(text, '"kind":"return"')
      assert.include(text, '"queue":"return"')
    }).pipe(Effect.provide(world))
  )

  it.effect("is no transaction of its own, for anybody", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.pay(yield* story.charge(), { amount: 3 })
      const [money] = yield* returnsOf(story.shop.id)
      for (const id of [money?.id, random.uuid]) {
        const answer = yield* story.shop.call("GET", `/transactions/${String(id)}`)
        assert.strictEqual(answer.status, 404)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("happens however the PSP's calls go wrong", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.faults(
        { operation: "refund", kind: "dropAnswer", times: 1 },
        { operation: "refund", kind: "dropRequest", times: 2 },
        { operation: "findRefund", kind: "dropAnswer", times: 2 },
        { operation: "notify", kind: "dropRequest", times: 3 }
      )
      const charge = yield* story.charge()
      yield* story.payAtBank(charge, { times: 3 })
      yield* story.advance("1 day")
      for (let hour = 0; hour < 6; hour++) yield* story.advance("1 hour")
      const money = yield* returnsOf(story.shop.id)
      assert.deepStrictEqual(
        money.map(({ status }) => status),
        ["confirmed", "confirmed"]
      )
      assert.strictEqual((yield* story.figures).total, 1_000)
      assert.strictEqual(yield* sumOf(story.shop.id, "psp_clearing"), -1_000n)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
