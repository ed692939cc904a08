import { assert, describe, it } from "@effect/vitest"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import { codeOf, world } from "./ServiceWorld.test-data.ts"

describe("a withdrawal", () => {
  it.effect("holds the gross, and is paid out", () =>
    Effect.gen(function* () {
      const story = yield* journey({ fees: { withdrawal: { fixed: 50n as never } } })
      yield* story.endpoint()
      yield* story.fund(100)
      const made = yield* story.withdraw({ amount: 10, externalReference: "saque-1" })
      assert.deepStrictEqual(yield* story.figures, {
        available: 9000,
        promotional: 0,
        held: 1000,
        total: 10000
      })
      const done = yield* story.settleWithdrawal(made, "completed")
      assert.strictEqual(String(done["status"]), "completed")
      assert.deepStrictEqual(yield* story.figures, {
        available: 9000,
        promotional: 0,
        held: 0,
        total: 9000
      })
      yield* story.settle
      console.log(made, done, yield* story.told(), yield* story.transaction("saque-1"))
      const back = yield* story.settleWithdrawal(made, "reversed")
      console.log(back)
      yield* story.settle
      console.log((yield* story.told())[1])
      assert.deepStrictEqual(yield* story.figures, {
        available: 10000,
        promotional: 0,
        held: 0,
        total: 10000
      })
      const failing = yield* story.withdraw({ netAmount: 10 })
      const failed = yield* story.settleWithdrawal(failing, "failed", "conta encerrada")
      console.log(failing, failed)
      yield* story.settle
      console.log((yield* story.told())[2])
      const poor = yield* story.shop.call("POST", "/withdrawals", {
        body: { amount: 200, pixKey: "ana@example.com", pixKeyType: "email" }
      })
      assert.strictEqual(codeOf(poor), "INSUFFICIENT_BALANCE")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
