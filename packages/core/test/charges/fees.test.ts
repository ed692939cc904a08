import { assert, describe, it } from "@effect/vitest"
import type { Figures } from "@pagora/testkit"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import { codeOf, pspThat, world, Written } from "../world/ServiceWorld.test-data.ts"

const figures = (available: number, promotional = 0): Figures => ({
  available,
  promotional,
  held: 0,
  total: available + promotional
})

/** A schedule, an amount, and what comes of them in centavos. */
const schedules: ReadonlyArray<
  readonly [name: string, payment: object, amount: number, fee: number]
> = [
  ["no schedule", {}, 10, 0],
  ["a fixed part", { fixed: 0.5 }, 10, 50],
  ["a percentage", { percent: 1 }, 10, 10],
  ["both", { fixed: 0.4, percent: 0.99 }, 100.5, 139],
  ["half a centavo, up", { percent: 0.5 }, 1, 1],
  ["less than half a centavo, down", { percent: 0.49 }, 1, 0],
  ["a minimum", { percent: 1, min: 0.5 }, 1, 50],
  ["a maximum", { percent: 10, max: 0.5 }, 100, 50],
  ["more than the amount: all of it and not more", { fixed: 5 }, 1.5, 150],
  ["all of it", { percent: 100 }, 7.77, 777],
  ["the smallest amount", { percent: 50 }, 0.01, 1],
  ["the largest amount", { percent: 0.0001 }, 9_999_999_999.99, 1_000_000]
]

describe("the fee of a payment", () => {
  it.effect.each(schedules)("%s", ([_, payment, amount, fee]) =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      yield* story.change({ fees: { payment } })
      yield* story.pay(yield* story.charge({ amount }))
      yield* story.drain
      const [event] = yield* story.events()
      const data = event?.data
      assert.strictEqual(Math.round(Number(data?.feeAmount) * 100), fee)
      const gross = Math.round(amount * 100)
      assert.strictEqual(Math.round(Number(data?.netAmount) * 100), gross - fee)
      assert.deepStrictEqual(yield* story.figures, figures(gross - fee))
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is the one of the moment of payment, not of the charge", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.change({ fees: { payment: { fixed: 1 } } })
      const charges = [yield* story.charge(), yield* story.charge(), yield* story.charge()] as const
      yield* story.pay(charges[0])
      yield* story.change({ fees: { payment: { fixed: 2.5 } } })
      yield* story.pay(charges[1])
      yield* story.change({ fees: { payment: {} } })
      yield* story.pay(charges[2])
      assert.deepStrictEqual(yield* story.figures, figures(900 + 750 + 1_000))
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "is not touched by a change of another schedule, and one that is named is replaced whole",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        yield* story.change({ fees: { payment: { fixed: 1, percent: 10 } } })
        yield* story.change({ fees: { withdrawal: { fixed: 9 }, refund: { fixed: 9 } } })
        yield* story.pay(yield* story.charge())
        assert.deepStrictEqual(yield* story.figures, figures(800))
        yield* story.change({ fees: { payment: { percent: 10 } } })
        yield* story.pay(yield* story.charge())
        assert.deepStrictEqual(yield* story.figures, figures(800 + 900))
      }).pipe(Effect.provide(world))
  )

  it.effect(
    "counts as it is when the payment is booked, though it changed while the PSP was asked",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        const charge = yield* story.charge()
        yield* story.change({ fees: { payment: { fixed: 1 } } })
        const { findCharge } = yield* pspThat({})
        let isChanged = false
        yield* pspThat({
          findCharge: (reference) =>
            Effect.gen(function* () {
              if (!isChanged) {
                isChanged = true
                yield* story.change({ fees: { payment: { fixed: 3 } } })
                yield* story.endpoint()
              }
              return yield* findCharge(reference)
            })
        })
        yield* story.pay(charge)
        yield* story.drain
        assert.deepStrictEqual(yield* story.figures, figures(700))
        // So does everything else of the account: the event goes where it is wanted now.
        const [event] = yield* story.events()
        assert.strictEqual(event?.data?.feeAmount, 3)
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("is not taken of a payment that is not credited", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.change({ fees: { payment: { fixed: 1 } } })
      yield* story.adjust({ amount: 5, reason: "opening" })
      const charge = yield* story.charge()
      yield* story.pay(charge, { amount: 3 })
      yield* story.expire(charge)
      assert.deepStrictEqual(yield* story.figures, figures(500))
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("the promotional balance", () => {
  it.effect.each([
    ["all of the fee", 3, { available: 1_000, promotional: 200 }],
    ["exactly the fee", 1, { available: 1_000, promotional: 0 }],
    ["what it has of the fee", 0.3, { available: 930, promotional: 0 }]
  ] as const)("pays fees first: %s", ([_, promotional, left]) =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      yield* story.change({ fees: { payment: { fixed: 1 } } })
      yield* story.adjust({ amount: promotional, bucket: "promotional", reason: "welcome" })
      yield* story.pay(yield* story.charge())
      yield* story.drain
      assert.deepStrictEqual(yield* story.figures, figures(left.available, left.promotional))
      // The event tells the whole fee, whoever paid it.
      const [event] = yield* story.events()
      assert.strictEqual(event?.data?.feeAmount, 1)
      assert.strictEqual(event?.data?.netAmount, 9)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("runs out between two payments at once without going below zero", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.change({ fees: { payment: { fixed: 1 } } })
      yield* story.adjust({ amount: 2.5, bucket: "promotional", reason: "welcome" })
      const charges = yield* Effect.replicateEffect(story.charge(), 8)
      yield* Effect.forEach(charges, (charge) => story.payAtBank(charge), {
        concurrency: "unbounded"
      })
      yield* story.drain
      // 8 × 10.00 less 8.00 of fees, 2.50 of which the promotional balance paid.
      assert.deepStrictEqual(yield* story.figures, figures(7_450))
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("an adjustment", () => {
  it.effect("gives and takes, to the centavo, down to zero", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const made = yield* story.adjust({ amount: 10.01, reason: "opening" })
      assert.strictEqual(made.status, 201)
      assert.deepStrictEqual(Object.keys(made.json).toSorted(), [
        "amount",
        "bucket",
        "createdAt",
        "id",
        "reason"
      ])
      assert.strictEqual((yield* story.adjust({ amount: -10.01, reason: "closing" })).status, 201)
      assert.deepStrictEqual(yield* story.figures, figures(0))
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect.each(["available", "promotional"])(
    "of more than the %s balance is refused whole",
    (bucket) =>
      Effect.gen(function* () {
        const story = yield* journey()
        yield* story.adjust({ amount: 1, reason: "opening", bucket: "available" })
        yield* story.adjust({ amount: 2, reason: "opening", bucket: "promotional" })
        const before = (yield* Written).units.length
        const held = bucket === "available" ? 1 : 2
        for (const amount of [-held - 0.01, -1_000_000]) {
          const answer = yield* story.adjust({ amount, reason: "too much", bucket })
          assert.strictEqual(answer.status, 400)
          assert.strictEqual(codeOf(answer), "INSUFFICIENT_BALANCE")
        }
        assert.strictEqual((yield* Written).units.length, before)
        assert.deepStrictEqual(yield* story.figures, figures(100, 200))
        assert.strictEqual(
          (yield* story.adjust({ amount: -held, reason: "all", bucket })).status,
          201
        )
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("of twenty at once, only as many as the balance covers get through", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.adjust({ amount: 5, reason: "opening" })
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => story.adjust({ amount: -1, reason: "race" })),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ status }) => status === 201).length, 5)
      assert.strictEqual(answers.filter(({ status }) => status === 400).length, 15)
      assert.deepStrictEqual(yield* story.figures, figures(0))
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("needs an amount other than zero and a reason", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const bad = [
        {},
        { amount: 1 },
        { reason: "x" },
        { amount: 0, reason: "x" },
        { amount: 1, reason: "" },
        { amount: 1, reason: "r".repeat(256) },
        { amount: "1", reason: "x" },
        { amount: 0.001, reason: "x" },
        { amount: 1, reason: "x", bucket: "held" },
        { amount: 1, reason: "x", bucket: "fee_revenue" }
      ]
      for (const body of bad) {
        const answer = yield* story.adjust(body)
        assert.strictEqual(answer.status, 400, JSON.stringify(body))
        assert.strictEqual(codeOf(answer), "VALIDATION_ERROR")
      }
      const nowhere = yield* story.adjust({ amount: 1, reason: "x", subAccount: "loja-1" })
      assert.strictEqual(nowhere.status, 404)
      assert.deepStrictEqual(yield* story.figures, figures(0))
    }).pipe(Effect.provide(world))
  )
})
