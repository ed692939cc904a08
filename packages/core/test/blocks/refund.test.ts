import { assert, describe, it } from "@effect/vitest"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import {
  askBlock,
  block,
  operatorBlock,
  paid,
  resolve,
  returns,
  spendable
} from "./BalanceBlocks.test-data.ts"
import { sumOf } from "../returns/Returns.test-data.ts"
import { codeOf, world } from "../world/ServiceWorld.test-data.ts"

describe("an approved block", () => {
  it.effect("brings the payer the money back, and nothing stays in suspense", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      yield* resolve(yield* block(story, charge), "approved", "fraud")
      assert.strictEqual(yield* sumOf(story.shop.id, "suspense"), 1_000n)
      yield* story.drain
      yield* story.advance("1 minute")
      const [money] = yield* returns(story)
      assert.strictEqual(money?.status, "confirmed")
      assert.match(String(money?.returnId), /^D/)
      assert.strictEqual(yield* sumOf(story.shop.id, "suspense"), 0n)
      assert.strictEqual(yield* sumOf(story.shop.id, "psp_clearing"), 0n)
      assert.deepStrictEqual(yield* spendable(story), [0, 0])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("does so with every piece that is collected", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      yield* story.adjust({ amount: -7, reason: "spent before" })
      const made = yield* block(story, charge)
      yield* resolve(made, "approved")
      for (const credit of [2, 5]) {
        yield* story.adjust({ amount: credit, reason: "credit" })
        yield* story.advance("1 hour")
      }
      yield* story.advance("1 minute")
      assert.strictEqual((yield* operatorBlock(story, made)).returnedAmount, 10)
      const pieces = (yield* returns(story)).map(({ amount, status }) => [Number(amount), status])
      assert.deepStrictEqual(pieces, [
        [300, "confirmed"],
        [200, "confirmed"],
        [500, "confirmed"]
      ])
      assert.strictEqual(yield* sumOf(story.shop.id, "suspense"), 0n)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("of a refund and a block", () => {
  it.effect("on one payment at once one wins", () =>
    Effect.gen(function* () {
      for (const isBlockFirst of [true, false]) {
        const story = yield* journey()
        const charge = yield* paid(story)
        // The wallet could pay both.
        yield* paid(story)
        const asked = askBlock(story, charge)
        const refunded = story.shop.call("POST", `/transactions/${charge.id}/refund`)
        const answers = yield* Effect.all(isBlockFirst ? [asked, refunded] : [refunded, asked], {
          concurrency: "unbounded"
        })
        const statuses = answers.map(({ status }) => status)
        // Who comes second is told that the money is blocked (409), or that it goes back already (400, 409).
        assert.strictEqual(statuses.filter((status) => status === 201).length, 1, statuses.join())
        assert.isTrue(statuses.every((status) => [201, 400, 409].includes(status)))
        assert.deepStrictEqual(yield* spendable(story), [1_000, 1_000])
        yield* story.audit
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("the refund waits for the block, and brings what that has left", () =>
    Effect.gen(function* () {
      for (const outcome of ["approved", "rejected"] as const) {
        const story = yield* journey()
        const charge = yield* paid(story)
        const spare = yield* paid(story)
        const path = `/transactions/${charge.id}/refund` as const
        // Part of the payment is enough.
        const made = yield* block(story, charge, { amount: 4 })
        assert.strictEqual((yield* story.shop.call("POST", path)).status, 409)
        yield* resolve(made, outcome)
        const answer = yield* story.shop.call("POST", path)
        assert.strictEqual(answer.status, 201, answer.text)
        assert.strictEqual(answer.json.amount, outcome === "approved" ? 6 : undefined)
        const other = yield* story.shop.call("POST", `/transactions/${spare.id}/refund`)
        assert.strictEqual(other.status, 201)
        yield* story.audit
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("a block finds nothing of what was refunded", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      const path = `/transactions/${charge.id}/refund` as const
      assert.strictEqual((yield* story.shop.call("POST", path)).status, 201)
      assert.strictEqual(codeOf(yield* askBlock(story, charge)), "AMOUNT_NOT_BLOCKABLE")
      yield* story.advance("1 minute")
      assert.strictEqual(codeOf(yield* askBlock(story, charge)), "AMOUNT_NOT_BLOCKABLE")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
