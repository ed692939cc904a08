import { assert, describe, it } from "@effect/vitest"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import { world } from "../world/ServiceWorld.test-data.ts"

describe("GET /account", () => {
  it.effect("of a new account shows its data and four figures of nothing", () =>
    Effect.gen(function* () {
      const story = yield* journey({ document: "11222333000181" })
      const answer = yield* story.shop.call("GET", "/account")
      assert.strictEqual(answer.status, 200)
      const nothing = { amount: 0, amountFormatted: 0 }
      assert.deepStrictEqual(answer.json, {
        account: {
          id: story.shop.id,
          status: "approved",
          companyName: "Loja de teste",
          document: "11222333000181",
          createdAt: "2026-11-21T12:00:00.000Z"
        },
        balance: {
          available: nothing,
          promotional: nothing,
          held: nothing,
          total: nothing,
          currency: "BRL",
          updatedAt: "2026-11-21T12:00:00.000Z"
        }
      })
    }).pipe(Effect.provide(world))
  )

  it.effect("leaves the document out where there is none", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const { json } = yield* shop.call("GET", "/account")
      assert.notProperty(json.account, "document")
    }).pipe(Effect.provide(world))
  )

  it.effect("shows amount − fee of what was paid, in centavos and in BRL", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.change({ fees: { payment: { fixed: 0.4, percent: 0.99 } } })
      yield* story.advance("1 minute")
      yield* story.pay(yield* story.charge({ amount: 100.5 }))
      // 0.40 + 0.99 % of 100.50, which is 0.99495, half up: 1.39.
      const { balance } = (yield* story.shop.call("GET", "/account")).json
      assert.deepStrictEqual(balance as unknown, {
        available: { amount: 9_911, amountFormatted: 99.11 },
        promotional: { amount: 0, amountFormatted: 0 },
        held: { amount: 0, amountFormatted: 0 },
        total: { amount: 9_911, amountFormatted: 99.11 },
        currency: "BRL",
        updatedAt: "2026-11-21T12:01:00.000Z"
      })
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is the same that the operator sees", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.adjust({ amount: 12.34, reason: "opening", bucket: "promotional" })
      yield* story.pay(yield* story.charge({ amount: 7 }))
      const { balance } = (yield* story.shop.call("GET", "/account")).json
      const { data: _, nextCursor: __, ...principal } = yield* story.operatorBalances
      assert.deepStrictEqual(principal, balance)
      assert.deepStrictEqual(yield* story.figures, {
        available: 700,
        promotional: 1_234,
        held: 0,
        total: 1_934
      })
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "changes with nothing but money that was paid: not with a charge, its end or a stray payment",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        const before = (yield* story.shop.call("GET", "/account")).text
        const charge = yield* story.charge()
        yield* story.pay(charge, { amount: 3 })
        yield* story.expire(charge)
        yield* story.pay(charge)
        assert.strictEqual((yield* story.shop.call("GET", "/account")).text, before)
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("still shows the balance of an account that is suspended", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.pay(yield* story.charge())
      yield* story.change({ status: "suspended" })
      const { json, status } = yield* story.shop.call("GET", "/account")
      assert.strictEqual(status, 200)
      assert.strictEqual(json.account?.status, "suspended")
      assert.strictEqual((yield* story.figures).available, 1_000)
    }).pipe(Effect.provide(world))
  )
})
