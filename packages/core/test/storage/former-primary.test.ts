import { assert, describe, it } from "@effect/vitest"
import type { Journey } from "@pagora/testkit"
import { journey, TestPagora } from "@pagora/testkit"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { operator, operatorBlocks, resolve } from "../blocks/BalanceBlocks.test-data.ts"
import {
  decideReturn,
  openReturns,
  paidShop,
  reportedShop,
  withPayer
} from "../psp-reports/Infractions.test-data.ts"
import { switchedOver } from "./FormerPrimary.test-data.ts"

const paidCharge = (story: Journey) =>
  Effect.gen(function* () {
    const charge = yield* story.charge()
    yield* story.pay(charge)
    return charge
  })

describe("a former primary that goes on, and answers what is read", () => {
  it.effect("drops no job of what it does not know", () => {
    const { former, leave, service, waiting } = switchedOver()
    return Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(100)
      const charge = yield* paidCharge(story)
      yield* leave
      const withdrawal = yield* story.withdraw()
      yield* story.refund(charge)
      yield* story.charge()
      const before = yield* waiting
      // A withdrawal, a return and a charge.
      assert.lengthOf(before, 3)

      former.answers = () => true
      yield* story.drain
      yield* TestClock.adjust("2 hours")
      yield* story.drain
      former.answers = () => false
      assert.includeMembers(yield* waiting, before)

      yield* story.advance("1 day")
      yield* story.settleWithdrawal(withdrawal, "completed")
      yield* story.audit
    }).pipe(Effect.provide(service))
  })

  it.effect("refunds and blocks nothing twice, because it does not know of the first", () => {
    const { former, leave, service } = switchedOver()
    return Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paidCharge(story)
      yield* story.fund(100)
      yield* leave
      yield* story.refund(charge)
      const { operator } = yield* TestPagora
      const again = story.shop.call("POST", `/transactions/${charge.id}/refund`)
      const block = operator("POST", `/accounts/${story.shop.id}/balance-blocks`, {
        body: { transactionId: charge.id, blockType: "med" }
      })
      former.answers = (kind) => kind === "return"
      assert.strictEqual((yield* again).status, 503)
      assert.strictEqual((yield* block).status, 503)
      former.answers = () => false
      assert.strictEqual((yield* again).json.details?.code, "ALREADY_REFUNDED")
      assert.isAtLeast((yield* block).status, 400)
      yield* story.audit
    }).pipe(Effect.provide(service))
  })

  it.effect("takes off the part of a payment that failed", () => {
    const { former, leave, service } = switchedOver()
    return Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paidCharge(story)
      yield* story.fund(100)
      yield* leave
      const part = yield* story.refund(charge, { amount: 5 })
      former.answers = (kind) => kind === "charge"
      yield* story.settleRefund(part, "error")
      former.answers = () => false
      yield* TestClock.adjust("2 hours")
      yield* story.drain
      const shown = yield* story.transaction(charge.id)
      assert.strictEqual(shown.refundedAmount, 0)
      yield* story.audit
    }).pipe(Effect.provide(service))
  })

  it.effect("ends no recovery and no defence of what it does not know", () => {
    const { former, leave, service, waiting } = switchedOver()
    return Effect.gen(function* () {
      yield* leave
      const { infraction, sandbox, story } = yield* reportedShop
      const [block] = yield* operatorBlocks(story)
      const { id: endpoint } = yield* story.endpoint({ url: "https://other.example.com/hook" })
      const since = "1970-01-01"
      const asked = yield* operator("POST", `/webhook-endpoints/${endpoint}/recover`, { since })
      assert.strictEqual(asked.status, 201, asked.text)
      const answered = yield* operator("POST", `/balance-blocks/${block?.id}/answer`, {
        answer: "disagree",
        text: "Delivered, with a receipt."
      })
      assert.strictEqual(answered.status, 200, answered.text)
      const jobs = [endpoint, block?.id]
      assert.includeMembers(yield* waiting, jobs)

      former.answers = (kind) => kind === "endpoint" || kind === "balance_block"
      yield* story.drain
      former.answers = () => false
      assert.includeMembers(yield* waiting, jobs)

      yield* story.advance("1 minute")
      for (const job of jobs) assert.notInclude(yield* waiting, job)
      const found = yield* sandbox.psp.findInfraction?.(infraction.id) ?? Effect.die("left out")
      assert.isTrue(found._tag === "Done" && found.value?.isAnswered === true)
    }).pipe(Effect.provide(service))
  })

  it.effect("leaves no block uncollected that was approved since", () => {
    const { former, leave, service, waiting } = switchedOver()
    return Effect.gen(function* () {
      const { before, endToEndId, sandbox, story } = yield* paidShop
      yield* story.withdraw({ amount: before.available / 100 })
      yield* sandbox.reportInfraction(endToEndId)
      yield* story.drain
      const [block] = yield* operatorBlocks(story)
      yield* leave
      yield* resolve({ id: String(block?.id) }, "approved")
      former.answers = (kind) => kind === "balance_block"
      yield* story.advance("1 hour")
      former.answers = () => false
      assert.include(yield* waiting, block?.id)
      yield* story.fund(20)
      // Its lease ends by the storage's clock.
      yield* TestClock.adjust("2 minutes")
      yield* story.advance("1 day")
      assert.deepInclude((yield* operatorBlocks(story))[0], { status: "approved", owedAmount: 0 })
      yield* story.audit
    }).pipe(Effect.provide(service))
  })

  it.effect("lets no return of the PSP be borne past the block that it does not know", () => {
    const { former, leave, service } = switchedOver()
    return Effect.gen(function* () {
      yield* leave
      const { before, endToEndId, sandbox, story } = yield* reportedShop
      yield* story.faults({ kind: "notNow", operation: "refund" })
      const [block] = yield* operatorBlocks(story)
      yield* operator("POST", `/balance-blocks/${block?.id}/resolve`, { outcome: "approved" })
      yield* story.drain
      yield* sandbox.returnPayment(endToEndId)

      former.answers = (kind) => kind === "balance_block"
      yield* story.drain
      former.answers = () => false
      yield* story.faults()
      yield* story.advance("3 hours")
      assert.strictEqual(yield* withPayer(endToEndId), 1_000)
      assert.strictEqual((yield* story.figures).total, before.total - 1_000)
      assert.deepInclude((yield* operatorBlocks(story))[0], {
        status: "approved",
        returnedAmount: 10,
        owedAmount: 0
      })
      assert.deepStrictEqual(yield* openReturns(story), [])
      yield* story.audit
    }).pipe(Effect.provide(service))
  })

  it.effect.each(["charged", "absorbed"] as const)(
    "lets no person decide that a return of the PSP is %s while it does not know the block",
    (outcome) => {
      const { former, leave, service } = switchedOver()
      return Effect.gen(function* () {
        yield* leave
        const { before, endToEndId, sandbox, story } = yield* paidShop
        // What the wallet cannot bear is a person's.
        yield* story.withdraw({ amount: before.available / 100 })
        yield* sandbox.reportInfraction(endToEndId)
        yield* sandbox.returnPayment(endToEndId)
        yield* story.drain
        assert.lengthOf(yield* openReturns(story), 1)
        yield* story.fund(20)
        const funded = yield* story.figures

        former.answers = (kind) => kind === "balance_block"
        const refused = yield* decideReturn(story, outcome)
        assert.strictEqual(refused.status, 503, refused.text)
        former.answers = () => false
        assert.lengthOf(yield* openReturns(story), 1)
        const [open] = yield* operatorBlocks(story)
        assert.deepInclude(open, { status: "awaiting_response", owedAmount: 10 })

        const decided = yield* decideReturn(story, outcome)
        assert.strictEqual(decided.status, 200, decided.text)
        const [block] = yield* operatorBlocks(story)
        assert.deepInclude(block, { owedAmount: 0 })
        const borne = outcome === "charged" ? 1_000 : 0
        assert.strictEqual((yield* story.figures).total, funded.total - borne)
        yield* story.audit
      }).pipe(Effect.provide(service))
    }
  )
})
