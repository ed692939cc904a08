import { assert, describe, it } from "@effect/vitest"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import { pglite } from "../src/pglite/index.ts"
import { processOver, quietly } from "./Processes.test-data.ts"
import { templates } from "./Templates.test-data.ts"

describe("parts of one charge on an embedded database", () => {
  it.live(
    "are never more than it has, asked for and ended at once",
    () =>
      Effect.gen(function* () {
        const service = yield* processOver(pglite({ templates }))
        yield* Effect.provideContext(
          Effect.gen(function* () {
            const story = yield* journey()
            const charge = yield* story.charge()
            yield* story.pay(charge)
            yield* story.adjust({ amount: 100, reason: "a start" })
            const answers = yield* Effect.all(
              Array.from({ length: 12 }, () =>
                story.shop.call("POST", `/transactions/${charge.id}/refund`, {
                  body: { amount: 1.5 }
                })
              ),
              { concurrency: "unbounded" }
            )
            const made = answers.filter(({ status }) => status === 201)
            assert.strictEqual(made.length, 6)
            yield* Effect.forEach(
              made,
              ({ json }, index) => story.settleRefund(json, index < 2 ? "error" : "confirmed"),
              { concurrency: "unbounded" }
            )
            const { refundableAmount, refundedAmount } = yield* story.transaction(charge.id)
            assert.deepStrictEqual([refundedAmount, refundableAmount], [6, 4])
            assert.strictEqual((yield* story.figures).total, 10_400)
            yield* story.audit
          }),
          service
        )
      }).pipe(Effect.scoped, quietly),
    120_000
  )
})
