import { assert, describe, it } from "@effect/vitest"
import type { WithId } from "@pagora/testkit"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import { Centavos } from "../../src/kernel/Money.ts"
import { block, paid, resolve } from "../blocks/BalanceBlocks.test-data.ts"
import { world } from "../world/ServiceWorld.test-data.ts"
import { as, openSubAccount } from "../sub-accounts/SubAccountWorld.test-data.ts"

describe("the list of transactions and the look-up of one", () => {
  it.effect("say the same of every kind, in each wallet that has it", () =>
    Effect.gen(function* () {
      const story = yield* journey({
        subAccountAccess: true,
        fees: { payment: { fixed: Centavos.make(10n) }, refund: { fixed: Centavos.make(5n) } }
      })
      yield* openSubAccount(story, "loja")
      yield* story.fund(100)
      const split = yield* paid(story, 10, { split: [{ subAccount: "loja", amount: 3 }] })
      yield* resolve(yield* block(story, split, { amount: 2 }), "approved")
      const refunded = yield* paid(story, 10)
      yield* story.settleRefund(yield* story.refund(refunded), "confirmed")
      const failed = yield* paid(story, 10)
      yield* story.settleRefund(yield* story.refund(failed), "error")
      yield* story.pay(yield* story.charge(), { amount: 9 })
      yield* story.expire(yield* story.charge())
      yield* story.settleWithdrawal(yield* story.withdraw(), "failed")
      const reversed = yield* story.withdraw({ externalReference: "volta" })
      yield* story.settleWithdrawal(reversed, "completed")
      yield* story.settleWithdrawal(reversed, "reversed")
      yield* story.withdraw()
      const move = { to: "loja", amount: 1, externalReference: "troca" }
      yield* story.shop.call("POST", "/internal-transfers", { body: move })
      yield* story.drain

      const types = new Set<string>()
      for (const wallet of ["principal", "loja"]) {
        const { call } = as(story, wallet)
        const listed = (yield* call("GET", "/transactions?limit=100")).json.data
        for (const transaction of listed) {
          types.add(transaction.type)
          const found = yield* call("GET", `/transactions/${transaction.id}`)
          assert.deepStrictEqual(found.json, transaction)
        }
        // Page by page it is the same list, in each status too.
        const paged: Array<WithId> = []
        for (let cursor = ""; cursor !== "null";) {
          const after = cursor === "" ? "" : `&cursor=${cursor}`
          const { json } = yield* call("GET", `/transactions?limit=3${after}`)
          paged.push(...json.data)
          cursor = String(json.nextCursor)
        }
        assert.deepStrictEqual(paged, [...listed])
        for (const status of ["pending", "completed", "failed", "cancelled"]) {
          const { json } = yield* call("GET", `/transactions?limit=100&status=${status}`)
          assert.deepStrictEqual(
            json.data,
            listed.filter((transaction) => transaction.status === status)
          )
        }
      }
      assert.sameMembers(
        [...types],
        ["payment", "fee", "refund", "chargeback", "withdrawal", "adjustment", "internal_transfer"]
      )
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
