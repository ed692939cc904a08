import { assert, describe, it } from "@effect/vitest"
import type { Answer, WithId } from "@pagora/testkit"
import { expecting, journey } from "@pagora/testkit"
import { Effect } from "effect"
import { ChargeId } from "../../src/kernel/Ids.ts"
import { ChargeKind } from "../../src/charges/Charge.ts"
import { ChargeWorker } from "../../src/charges/ChargeWorker.ts"
import { Storage } from "../../src/storage/Storage.ts"
import type { Unit } from "../../src/units/Unit.ts"
import { operate } from "../reviews/Reviews.test-data.ts"
import { atPsp, codeOf, world } from "../world/ServiceWorld.test-data.ts"
import { changeSubAccount, openSubAccount } from "../sub-accounts/SubAccountWorld.test-data.ts"

const closing = (id: string) => operate("PATCH", `/accounts/${id}`, { status: "closed" })

const statusOf = (charge: WithId) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    return (yield* storage.find(ChargeKind, ChargeId.make(charge.id)))?.value.status
  })

const detailsOf = (answer: Answer<unknown>) =>
  answer.json.details as unknown as Record<string, unknown>

describe("closing an account", () => {
  it.effect("cancels its pending charges here and at the PSP, and nobody else's", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const other = yield* journey()
      const charges = yield* Effect.replicateEffect(story.charge(), 3)
      const kept = yield* other.charge()
      assert.strictEqual((yield* closing(story.shop.id)).status, 200)
      yield* story.drain
      for (const charge of charges) {
        assert.strictEqual(yield* statusOf(charge), "cancelled")
        assert.strictEqual((yield* atPsp(charge.id))?.status, "removed")
      }
      assert.strictEqual(yield* statusOf(kept), "pending")
      assert.strictEqual(
        (yield* story.shop.call("POST", "/pix", { body: { amount: 1 } })).status,
        403
      )
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("returns what is paid to it afterwards", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      assert.strictEqual((yield* closing(story.shop.id)).status, 200)
      yield* story.payAtBank(charge)
      yield* story.drain
      yield* story.advance("1 minute")
      assert.strictEqual(yield* statusOf(charge), "cancelled")
      assert.strictEqual((yield* story.operatorBalances).total?.amount, 0)
      const suspense = yield* operate("GET", `/suspense?account=${story.shop.id}`)
      assert.deepStrictEqual(suspense.json.data, [])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("sees a sub-account that opens between its looking and its closing", () =>
    Effect.gen(function* () {
      const story = yield* journey({ subAccountAccess: true })
      yield* openSubAccount(story, "velha")
      yield* changeSubAccount(story, "velha", { status: "closed" })
      const storage = yield* Storage
      const { commit } = storage
      let isOpened = false
      Object.assign(storage, {
        commit: (unit: Unit) =>
          Effect.suspend(() => {
            if (isOpened || unit.empty === undefined) return commit(unit)
            isOpened = true
            return Effect.andThen(openSubAccount(story, "nova"), commit(unit))
          })
      })
      const answer = yield* closing(story.shop.id)
      assert.isTrue(isOpened)
      assert.strictEqual(answer.status, 409, answer.text)
      assert.strictEqual(codeOf(answer), "ACCOUNT_NOT_EMPTY")
      assert.deepStrictEqual<unknown>(detailsOf(answer)["subAccounts"], ["nova"])
      yield* changeSubAccount(story, "nova", { status: "closed" })
      assert.strictEqual((yield* closing(story.shop.id)).status, 200)
    }).pipe(Effect.provide(world))
  )

  it.effect("is refused while its wallet holds something, and says what that is", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(15)
      yield* story.adjust({ amount: 2.5, bucket: "promotional", reason: "gift" })
      yield* story.withdraw()
      const answer = yield* closing(story.shop.id)
      assert.strictEqual(answer.status, 409)
      assert.deepStrictEqual(detailsOf(answer), {
        code: "ACCOUNT_NOT_EMPTY",
        resource: "account",
        field: "balance",
        value: story.shop.id,
        available: 5,
        held: 10,
        promotional: 2.5,
        claimed: 0,
        subAccounts: []
      })
      assert.include(String(answer.json.message), "5.00 available, 10.00 held, 2.50 promotional")
      const shown = yield* operate("GET", `/accounts/${story.shop.id}`)
      assert.strictEqual(shown.json.status, "approved")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("waits for its sub-accounts to be closed, and names them", () =>
    Effect.gen(function* () {
      const story = yield* journey({ subAccountAccess: true })
      yield* openSubAccount(story, "loja")
      yield* openSubAccount(story, "outra")
      yield* changeSubAccount(story, "outra", { status: "suspended" })
      const answer = yield* closing(story.shop.id)
      assert.strictEqual(answer.status, 409)
      assert.deepStrictEqual(detailsOf(answer)["subAccounts"], ["loja", "outra"])
      assert.strictEqual(detailsOf(answer)["field"], "subAccounts")
      for (const reference of ["loja", "outra"])
        yield* changeSubAccount(story, reference, { status: "closed" })
      assert.strictEqual((yield* closing(story.shop.id)).status, 200)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is for ever, and nothing comes to it any more but what comes back", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(10)
      const paid = yield* story.withdraw()
      yield* story.settleWithdrawal(paid, "completed")
      yield* Effect.flatMap(closing(story.shop.id), expecting(200))
      yield* Effect.flatMap(closing(story.shop.id), expecting(200))
      const path = `/accounts/${story.shop.id}` as const
      for (const body of [{ status: "approved" }, { fees: {} }, { limits: {} }, { policy: {} }]) {
        const answer = yield* operate("PATCH", path, body)
        assert.strictEqual(answer.status, 409)
        assert.strictEqual(codeOf(answer), "ACCOUNT_CLOSED")
      }
      for (const [to, body] of [
        ["adjustments", { amount: 1, reason: "x" }],
        ["referral-commissions", { amount: 1 }]
      ] as const) {
        const answer = yield* operate("POST", `${path}/${to}`, body)
        assert.strictEqual(answer.status, 409, to)
        assert.strictEqual(codeOf(answer), "ACCOUNT_CLOSED")
      }
      // A payout that the receiver's bank sends back has to be somewhere, and can be taken out.
      yield* story.settleWithdrawal(paid, "reversed")
      assert.strictEqual((yield* story.operatorBalances).total?.amount, 1_000)
      assert.strictEqual((yield* story.adjust({ amount: -10, reason: "Paid by TED" })).status, 201)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("and a payment, or a sub-account that is opened: one comes first, and both agree", () =>
    Effect.gen(function* () {
      const outcomes = new Set<string>()
      for (let round = 0; round < 12; round++) {
        const story = yield* journey({ subAccountAccess: true })
        const charge = yield* story.charge()
        yield* story.payAtBank(charge)
        const { drain } = yield* ChargeWorker
        const late = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
          Effect.andThen(Effect.repeat(Effect.yieldNow, { times: round * 3 }), effect)
        const open = story.shop.call("POST", "/sub-accounts", {
          body: { reference: "loja", name: "Loja" }
        })
        const isLate = round % 2 === 0
        const [, closed, opened] = yield* Effect.all(
          [
            isLate ? drain : late(drain),
            isLate ? late(closing(story.shop.id)) : closing(story.shop.id),
            open
          ],
          { concurrency: "unbounded" }
        )
        yield* story.drain
        const total = (yield* story.operatorBalances).total?.amount
        if (closed.status === 200) {
          assert.strictEqual(total, 0)
          assert.notStrictEqual(opened.status, 201)
        } else {
          assert.isTrue(total > 0 || opened.status === 201)
        }
        outcomes.add(String(closed.status))
        yield* story.audit
      }
      assert.deepStrictEqual([...outcomes].toSorted(), ["200", "409"])
    }).pipe(Effect.provide(world))
  )
})
