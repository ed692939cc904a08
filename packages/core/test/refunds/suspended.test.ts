import { assert, describe, it } from "@effect/vitest"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import { Accounts } from "../../src/accounts/Accounts.ts"
import type { Uuid } from "../../src/kernel/Ids.ts"
import { Refunds } from "../../src/refunds/Refunds.ts"
import { existing, world } from "../world/ServiceWorld.test-data.ts"
import { as, changeSubAccount, openSubAccount } from "../sub-accounts/SubAccountWorld.test-data.ts"

describe("a refund of a sub-account that was suspended after the request was let in", () => {
  it.effect("is refused, and holds nothing", () =>
    Effect.gen(function* () {
      const story = yield* journey({ subAccountAccess: true })
      yield* openSubAccount(story, "loja")
      const charge = yield* as(story, "loja").charge()
      yield* story.pay(charge)
      const accounts = yield* Accounts
      const acting = yield* accounts.acting(yield* accounts.find(story.shop.id as Uuid), "loja")
      yield* changeSubAccount(story, "loja", { status: "suspended" })
      const refunds = yield* Refunds
      const refused = yield* Effect.flip(refunds.request(acting, { transaction: charge.id }))
      assert.deepInclude(refused, { _tag: "NotActive", name: "loja", status: "suspended" })
      const wallet = yield* accounts.balance(existing(acting.subAccount).value.id)
      assert.deepStrictEqual([wallet.available, wallet.held], [1_000n, 0n])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
