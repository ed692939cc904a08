import { assert, describe, it } from "@effect/vitest"
import type { Journey } from "@pagora/testkit"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import { codeOf, world, Written } from "../world/ServiceWorld.test-data.ts"

const limited = (limits: Readonly<Record<string, number>>) =>
  Effect.tap(journey(), ({ change }) => change({ limits: { charge: limits } }))

const ask = ({ shop }: Journey, amount: number) => shop.call("POST", "/pix", { body: { amount } })

describe("what an account may receive by charges", () => {
  it.effect("a day is what is paid: a charge beyond it is refused, and nothing is written", () =>
    Effect.gen(function* () {
      const story = yield* limited({ daily: 100 })
      for (let unpaid = 0; unpaid < 5; unpaid++) yield* story.charge({ amount: 90 })
      yield* story.pay(yield* story.charge({ amount: 60 }))
      const before = (yield* Written).units.length
      const refused = yield* ask(story, 40.01)
      assert.strictEqual(refused.status, 400)
      assert.strictEqual(codeOf(refused), "LIMIT_EXCEEDED")
      assert.deepStrictEqual(refused.json.details, {
        code: "LIMIT_EXCEEDED",
        limit: "daily",
        value: 100,
        requested: 40.01,
        used: 60,
        remaining: 40,
        resetsAt: "2026-11-22T03:00:00.000Z"
      })
      assert.match(
        String(refused.json.message),
        / 60\.00 BRL are used, 40\.00 BRL are left until 2026-11-22T03:00:00\.000Z\.$/
      )
      assert.strictEqual((yield* Written).units.length, before)
      assert.strictEqual((yield* ask(story, 40)).status, 201)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("begins anew with the day of São Paulo; a month goes on", () =>
    Effect.gen(function* () {
      const story = yield* limited({ daily: 100, monthly: 150 })
      yield* story.pay(yield* story.charge({ amount: 100 }))
      assert.strictEqual((yield* ask(story, 1)).status, 400)
      // Noon in UTC is nine in the morning there.
      yield* story.advance("15 hours")
      assert.strictEqual((yield* ask(story, 50)).status, 201)
      const refused = yield* ask(story, 50.01)
      assert.strictEqual(refused.status, 400)
      assert.strictEqual(refused.json.details?.["limit"], "monthly")
    }).pipe(Effect.provide(world))
  )

  it.effect("keeps no money out that has arrived", () =>
    Effect.gen(function* () {
      const story = yield* limited({ daily: 100 })
      const charges = [yield* story.charge({ amount: 80 }), yield* story.charge({ amount: 80 })]
      for (const charge of charges) yield* story.pay(charge)
      assert.strictEqual((yield* story.figures).available, 16_000)
      const { used, remaining } = (yield* ask(story, 0.01)).json.details ?? {}
      assert.deepStrictEqual([used, remaining].map(Number), [160, 0])
      yield* story.change({ limits: { charge: { daily: 200 } } })
      assert.strictEqual((yield* ask(story, 40)).status, 201)
      assert.strictEqual((yield* ask(story, 40.01)).status, 400)
    }).pipe(Effect.provide(world))
  )

  it.effect("is less than one charge that is larger than it", () =>
    Effect.gen(function* () {
      const story = yield* limited({ monthly: 10 })
      const refused = yield* ask(story, 10.01)
      assert.strictEqual(refused.status, 400)
      assert.strictEqual(codeOf(refused), "LIMIT_EXCEEDED")
      assert.strictEqual((yield* ask(story, 10)).status, 201)
    }).pipe(Effect.provide(world))
  )
})
