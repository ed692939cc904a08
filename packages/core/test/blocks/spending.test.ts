import { assert, describe, it } from "@effect/vitest"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import { openSubAccount } from "../sub-accounts/SubAccountWorld.test-data.ts"
import { codeOf, world } from "../world/ServiceWorld.test-data.ts"
import { block, paid, spendable } from "./BalanceBlocks.test-data.ts"

describe("what a balance block claims", () => {
  it.effect.each(["withdrawal", "refund", "transfer"] as const)("is not spent by a %s", (name) =>
    Effect.gen(function* () {
      const story = yield* journey({ subAccountAccess: true })
      yield* openSubAccount(story, "loja")
      const charge = yield* paid(story)
      const other = yield* paid(story)
      yield* story.adjust({ amount: -5, reason: "spent" })
      yield* block(story, charge)
      const amount = 5.01
      const pix = { pixKey: "ana@example.com", pixKeyType: "email" }
      const { call } = story.shop
      const answer = yield* {
        withdrawal: call("POST", "/withdrawals", { body: { amount, ...pix } }),
        refund: call("POST", `/transactions/${other.id}/refund`, { body: { amount } }),
        transfer: call("POST", "/internal-transfers", {
          body: { from: "principal", to: "loja", amount }
        })
      }[name]
      assert.strictEqual(answer.status, 400, answer.text)
      assert.strictEqual(codeOf(answer), "INSUFFICIENT_BALANCE")
      assert.deepStrictEqual(yield* spendable(story), [500, 1_000])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
