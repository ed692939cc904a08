import { assert, describe, it } from "@effect/vitest"
import type { Journey } from "@pagora/testkit"
import { Effect, Logger } from "effect"
import { Centavos } from "../../src/kernel/Money.ts"
import { done, PspOutcome } from "../../src/ports/Psp.ts"
import { operate, rowsOf, waiting } from "../reviews/Reviews.test-data.ts"
import { codeOf, pspThat, world } from "../world/ServiceWorld.test-data.ts"
import { before, holding, paid, shop, statusOf, toldKinds } from "./WithdrawalStories.test-data.ts"

const away = {
  "refuses connections": PspOutcome.notSent("connection refused"),
  "takes nothing now": PspOutcome.notNow("closed", "1 minute")
} as const

/** The PSP does so with payouts until it is let go; answers how often it was asked to pay, and the way to let go. */
const pspAway = Effect.fnUntraced(function* (outcome: PspOutcome<never>) {
  const sent: Array<string> = []
  let isAway = true
  const { sendPayout } = yield* pspThat({})
  yield* pspThat({
    sendPayout: (payout) => {
      sent.push(payout.reference)
      return isAway ? Effect.succeed(outcome) : sendPayout(payout)
    }
  })
  const letGo = Effect.sync(() => {
    isAway = false
  })
  return { sent, letGo }
})

/** The PSP says of each payout that it has it under way. */
const pspKeeps = pspThat({
  findPayout: ({ reference }) => {
    const pspReference = "kept-1"
    const amount = Centavos.make(950n)
    return Effect.succeed(done({ reference, pspReference, status: "processing", amount }))
  }
})

const hours = (story: Journey, count: number) =>
  Effect.replicateEffect(story.advance("10 minutes"), 6 * count, { discard: true })

const give = (id: string) =>
  operate("POST", `/withdrawals/${id}/resolve`, { outcome: "failed", reason: "The bank is away." })

for (const [does, outcome] of Object.entries(away))
  describe(`a withdrawal whose PSP ${does} for days`, () => {
    it.effect("comes to the operator's line after one, and goes when the PSP is back", () => {
      const told: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => {
        if (logLevel === "Error") told.push(String(message))
      })
      return Effect.gen(function* () {
        const story = yield* shop
        const { letGo, sent } = yield* pspAway(outcome)
        const made = yield* story.withdraw()
        yield* hours(story, 23)
        assert.deepStrictEqual(yield* waiting(story), [])
        assert.deepStrictEqual(told, [])
        yield* hours(story, 2)
        const [review, ...others] = yield* rowsOf(`/reviews?account=${story.shop.id}`)
        assert.deepStrictEqual(others, [])
        assert.strictEqual(review?.id, made.id)
        assert.strictEqual(review?.reason, "unsent")
        assert.deepStrictEqual(review?.calls, [`POST /withdrawals/${made.id}/resolve`])
        assert.strictEqual(yield* statusOf(story, made), "processing")

        const first = sent.length
        yield* hours(story, 24)
        assert.isAtLeast(sent.length, first + 6 * 24)
        const [still] = yield* rowsOf(`/reviews?account=${story.shop.id}`)
        assert.strictEqual(still?.since, review?.since)
        assert.strictEqual(told.length, 1)
        assert.match(told[0] ?? "", /could not be sent/)
        assert.deepStrictEqual(yield* story.figures, holding)

        yield* letGo
        yield* story.advance("10 minutes")
        assert.strictEqual(new Set(sent).size, 1)
        assert.deepStrictEqual(yield* waiting(story), [])
        yield* story.settleWithdrawal(made, "completed")
        assert.deepStrictEqual(yield* story.figures, paid)
        yield* story.drain
        assert.deepStrictEqual(yield* toldKinds(story), ["withdrawal_completed"])
        yield* story.audit
      }).pipe(Effect.provide([world, Logger.layer([logger])]))
    })

    it.effect("can be given up by the operator, and is never sent then", () =>
      Effect.gen(function* () {
        const story = yield* shop
        const { letGo, sent } = yield* pspAway(outcome)
        const made = yield* story.withdraw()
        yield* hours(story, 25)
        const given = yield* give(made.id)
        assert.strictEqual(given.status, 200, given.text)
        const tried = sent.length
        yield* letGo
        yield* hours(story, 2)
        assert.strictEqual(sent.length, tried)
        assert.deepStrictEqual(yield* story.figures, before)
        assert.deepStrictEqual(yield* waiting(story), [])
        assert.deepStrictEqual(yield* toldKinds(story), ["withdrawal_failed"])
        yield* story.audit
      }).pipe(Effect.provide(world))
    )
  })

describe("a withdrawal that could not be sent for a day, and that the PSP has all the same", () => {
  it.effect("cannot be given up, however long it has been in the operator's line", () =>
    Effect.gen(function* () {
      const story = yield* shop
      yield* pspAway(away["takes nothing now"])
      const made = yield* story.withdraw()
      yield* hours(story, 25)
      yield* pspKeeps
      for (let days = 0; days < 2; days++) {
        const refused = yield* give(made.id)
        assert.strictEqual(refused.status, 409, refused.text)
        assert.strictEqual(codeOf(refused), "WITHDRAWAL_UNDER_WAY")
        assert.deepStrictEqual(yield* waiting(story), ["withdrawal unsent"])
        yield* hours(story, 25)
      }
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("a withdrawal that could not be sent, and that the PSP says it has had under way for days", () => {
  it.effect("can be given up a day after it came to the operator's line", () =>
    Effect.gen(function* () {
      const story = yield* shop
      yield* pspAway(away["takes nothing now"])
      const made = yield* story.withdraw()
      yield* story.drain
      yield* story.change({ status: "suspended" })
      yield* pspKeeps
      yield* hours(story, 25)
      assert.deepStrictEqual(yield* waiting(story), ["withdrawal unanswered"])
      assert.strictEqual(codeOf(yield* give(made.id)), "WITHDRAWAL_UNDER_WAY")
      yield* hours(story, 25)
      assert.strictEqual((yield* give(made.id)).status, 200)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("a withdrawal that could not be sent for a day, and that the PSP may have heard then", () => {
  it.effect("is nobody's to give up, and has another day for its answer", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const { letGo } = yield* pspAway(away["refuses connections"])
      const made = yield* story.withdraw()
      yield* hours(story, 25)
      assert.deepStrictEqual(yield* waiting(story), ["withdrawal unsent"])
      yield* letGo
      yield* pspThat({
        sendPayout: () => Effect.succeed(PspOutcome.unknown("lost")),
        findPayout: () => Effect.succeed(PspOutcome.unknown("lost"))
      })
      yield* hours(story, 20)
      assert.deepStrictEqual(yield* waiting(story), [])
      assert.strictEqual(codeOf(yield* give(made.id)), "WITHDRAWAL_NOT_IN_REVIEW")
      yield* hours(story, 5)
      assert.deepStrictEqual(yield* waiting(story), ["withdrawal unanswered"])
      assert.deepStrictEqual(yield* story.figures, holding)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
