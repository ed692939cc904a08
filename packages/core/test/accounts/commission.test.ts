import { assert, describe, it } from "@effect/vitest"
import type { Journey } from "@pagora/testkit"
import { journey, TestPagora } from "@pagora/testkit"
import type { AccountId } from "../../src/kernel/Ids.ts"
import { Effect } from "effect"
import { codeOf, random, world, Written } from "../world/ServiceWorld.test-data.ts"
import { as, opened, subAccountBecomes } from "../sub-accounts/SubAccounts.test-data.ts"

const pay = ({ shop }: Pick<Journey, "shop">, body: unknown) =>
  Effect.flatMap(TestPagora, ({ operator }) =>
    operator("POST", `/accounts/${shop.id}/referral-commissions`, { body })
  )

describe("a referral commission", () => {
  it.effect("is credited at once and is a transaction of its own", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const { json, status } = yield* pay(story, {
        amount: 1.23,
        sourceTransactionId: random.uuid
      })
      assert.strictEqual(status, 201)
      const { createdAt, id, ...rest } = json
      assert.deepStrictEqual(rest as unknown, {
        amount: 1.23,
        sourceTransactionId: random.uuid
      })
      assert.deepStrictEqual((yield* story.transaction(id)) as unknown, {
        id: id,
        status: "completed",
        type: "referral_commission",
        paymentMethod: "pix",
        amount: 1.23,
        currency: "BRL",
        createdAt: createdAt,
        metadata: { sourceTransactionId: random.uuid }
      })
      assert.strictEqual((yield* story.figures).available, 123)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("goes to a sub-account where one is named, and not to a closed one", () =>
    Effect.gen(function* () {
      const story = yield* journey({ subAccountAccess: true })
      yield* opened(story, "loja-1")
      assert.strictEqual((yield* pay(story, { amount: 1, subAccount: "loja-1" })).status, 201)
      assert.strictEqual(yield* as(story, "loja-1").available, 100)
      assert.strictEqual((yield* story.figures).total, 0)
      yield* subAccountBecomes(story, "loja-1", "suspended")
      assert.strictEqual((yield* pay(story, { amount: 1, subAccount: "loja-1" })).status, 201)
      yield* story.adjust({ amount: -2, subAccount: "loja-1", reason: "emptied" })
      yield* subAccountBecomes(story, "loja-1", "closed")
      const answer = yield* pay(story, { amount: 1, subAccount: "loja-1" })
      assert.strictEqual(answer.status, 409)
      assert.strictEqual(codeOf(answer), "SUB_ACCOUNT_CLOSED")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("needs an account, an amount and a key of the operator", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const before = (yield* Written).units.length
      for (const body of [
        {},
        { amount: 0 },
        { amount: -1 },
        { amount: 1, sourceTransactionId: "x" },
        { amount: 1, subAccount: "l" }
      ]) {
        const answer = yield* pay(story, body)
        assert.strictEqual(answer.status, 400, JSON.stringify(body))
        assert.strictEqual(codeOf(answer), "VALIDATION_ERROR")
      }
      for (const id of [random.uuid, "x"]) {
        const nobody = { shop: { ...story.shop, id: id as AccountId } }
        assert.strictEqual((yield* pay(nobody, { amount: 1 })).status, 404)
      }
      assert.strictEqual((yield* pay(story, { amount: 1, subAccount: "loja-1" })).status, 404)
      const tenant = yield* story.shop.call(
        "POST",
        `/accounts/${story.shop.id}/referral-commissions`
      )
      assert.strictEqual(tenant.status, 404)
      assert.strictEqual((yield* Written).units.length, before)
    }).pipe(Effect.provide(world))
  )
})
