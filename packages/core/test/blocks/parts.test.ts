import { assert, describe, it } from "@effect/vitest"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import {
  askBlock,
  block,
  listed,
  operator,
  operatorBlock,
  paid,
  returns,
  spendable
} from "./BalanceBlocks.test-data.ts"
import { sumOf } from "../returns/Returns.test-data.ts"
import { codeOf, world } from "../world/ServiceWorld.test-data.ts"

const askPart = (made: { readonly id: string }, amount: number, outcome = "approved") =>
  operator("POST", `/balance-blocks/${made.id}/resolve`, { outcome, amount })

describe("a block that is approved in part", () => {
  it.effect("gives that part back, and the rest is the merchant's again", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint({ events: ["balance_block_approved"] })
      const charge = yield* paid(story)
      const made = yield* block(story, charge, { amount: 8 })
      assert.deepStrictEqual(yield* spendable(story), [200, 800])
      const answer = yield* askPart(made, 3)
      assert.strictEqual(answer.status, 200, answer.text)
      const { amount, approvedAmount, owedAmount, returnedAmount, status } = yield* operatorBlock(
        story,
        made
      )
      assert.deepStrictEqual<unknown>(
        { amount, approvedAmount, owedAmount, returnedAmount, status },
        { amount: 8, approvedAmount: 3, owedAmount: 0, returnedAmount: 3, status: "approved" }
      )
      assert.deepStrictEqual(yield* spendable(story), [700, 0])
      yield* story.drain
      yield* story.advance("1 minute")
      assert.deepStrictEqual(
        (yield* returns(story)).map(({ amount, status }) => [Number(amount), status]),
        [[300, "confirmed"]]
      )
      assert.strictEqual(yield* sumOf(story.shop.id, "suspense"), 0n)
      const [event] = yield* story.events()
      assert.deepStrictEqual([event?.data["amount"], event?.data["approvedAmount"]], [8, 3])
      assert.strictEqual((yield* listed(story))[0]?.approvedAmount, 3)
      // What is left of the payment can be blocked, and refunded.
      assert.strictEqual(
        codeOf(yield* askBlock(story, charge, { amount: 7.01 })),
        "AMOUNT_NOT_BLOCKABLE"
      )
      const rest = yield* story.refund(charge)
      assert.strictEqual(rest.amount, 7)
      yield* story.settleRefund(rest, "confirmed")
      assert.strictEqual((yield* story.figures).total, 0)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("waits for what the wallet does not have of that part, and of no more", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      yield* story.adjust({ amount: -8, reason: "spent before" })
      const made = yield* block(story, charge)
      assert.strictEqual((yield* askPart(made, 5)).status, 200)
      assert.strictEqual((yield* operatorBlock(story, made)).owedAmount, 3)
      yield* story.audit
      yield* story.adjust({ amount: 4, reason: "credit" })
      yield* story.advance("1 hour")
      const { owedAmount, returnedAmount } = yield* operatorBlock(story, made)
      assert.deepStrictEqual([owedAmount, returnedAmount], [0, 5])
      assert.deepStrictEqual(yield* spendable(story), [100, 0])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is approved over what it blocks at most, and rejected whole", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const made = yield* block(story, yield* paid(story), { amount: 8 })
      const more = yield* askPart(made, 8.01)
      assert.deepStrictEqual([more.status, codeOf(more)], [400, "AMOUNT_NOT_BLOCKED"])
      assert.strictEqual(more.json.details?.["available"], 8)
      const rejected = yield* askPart(made, 1, "rejected")
      assert.deepStrictEqual([rejected.status, codeOf(rejected)], [400, "VALIDATION_ERROR"])
      assert.deepStrictEqual(yield* spendable(story), [200, 800])
      const whole = yield* askPart(made, 8)
      assert.strictEqual(whole.status, 200)
      assert.notInclude(whole.text, "approvedAmount")
      assert.strictEqual(codeOf(yield* askPart(made, 3)), "BALANCE_BLOCK_NOT_OPEN")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("a block beside parts of a refund", () => {
  it.effect("finds what the parts have left, and holds up the next one", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      const first = yield* story.refund(charge, { amount: 4 })
      assert.strictEqual(
        codeOf(yield* askBlock(story, charge, { amount: 6.01 })),
        "AMOUNT_NOT_BLOCKABLE"
      )
      const made = yield* block(story, charge)
      assert.strictEqual(made.amount, 6)
      const path = `/transactions/${charge.id}/refund` as const
      const held = yield* story.shop.call("POST", path, { body: { amount: 1 } })
      assert.strictEqual(codeOf(held), "REFUND_INFRACTION_OPEN")
      // A part that fails while the block is open leaves the block what it is.
      yield* story.settleRefund(first, "error")
      assert.strictEqual((yield* operatorBlock(story, made)).amount, 6)
      assert.strictEqual((yield* block(story, charge)).amount, 4)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
