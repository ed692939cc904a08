import { assert, describe, it } from "@effect/vitest"
import type { Journey, WithId } from "@pagora/testkit"
import { journey, RecordingTransport, TestPagora } from "@pagora/testkit"
import { Duration, Effect, Layer } from "effect"
import { DeliveriesKept } from "../../src/workers/DeliveriesKept.ts"
import { world } from "../world/ServiceWorld.test-data.ts"

const days = (count: number) => Duration.days(count)

/** A payment is told of, and its delivery ends as the receiver answers. */
const tell = Effect.fnUntraced(function* (story: Journey, status: number) {
  const { answerBy } = yield* RecordingTransport
  yield* answerBy(() => RecordingTransport.answered(status))
  const charge = yield* story.charge()
  yield* story.pay(charge)
  for (let step = 0; step < 6; step++) yield* story.advance("30 seconds")
  const [delivery] = yield* story.deliveries
  return delivery ?? (yield* Effect.die(new Error("There is no delivery.")))
})

const of = Effect.fnUntraced(function* (delivery: WithId, method: "GET" | "POST") {
  const { operator } = yield* TestPagora
  const path = `/deliveries/${delivery.id}` as const
  return yield* method === "GET"
    ? operator("GET", path)
    : operator("POST", `${path}/resend`, {
        headers: { "idempotency-key": `resend-${delivery.id}` },
        body: {}
      })
})

const statuses = (story: Journey) =>
  Effect.map(story.deliveries, (all) => all.map(({ status }) => status))

describe("a delivery that is over", () => {
  it.effect("can be looked up and sent again for 90 days, and is not there afterwards", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const delivered = yield* tell(story, 200)
      const given = yield* tell(story, 500)
      assert.deepStrictEqual((yield* statuses(story)).toSorted(), ["delivered", "exhausted"])
      yield* story.advance(Duration.subtract(days(90), Duration.minutes(10)))
      assert.strictEqual((yield* of(delivered, "GET")).status, 200)
      assert.strictEqual((yield* of(delivered, "POST")).status, 201)
      yield* story.audit

      yield* story.advance("20 minutes")
      for (const delivery of [delivered, given]) {
        const found = yield* of(delivery, "GET")
        assert.strictEqual(found.status, 404, found.text)
      }
      const refused = yield* of(given, "POST")
      assert.strictEqual(refused.status, 404, refused.text)
      assert.strictEqual(refused.json.details?.resource, "delivery")
      // What was sent again is a delivery of its own, and younger. A request of before has its answer.
      assert.lengthOf(yield* story.deliveries, 1)
      assert.strictEqual((yield* of(delivered, "POST")).status, 201)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("goes as soon as it is set", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const delivered = yield* tell(story, 200)
      yield* story.advance(days(6))
      assert.strictEqual((yield* of(delivered, "GET")).status, 200)
      yield* story.advance(days(1))
      assert.strictEqual((yield* of(delivered, "GET")).status, 404)
      yield* story.audit
    }).pipe(Effect.provide(world.pipe(Layer.provide(Layer.succeed(DeliveriesKept, days(7))))))
  )

  it.effect("that was missed long ago is not there to be recovered; what came later is", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const endpoint = yield* story.endpoint()
      yield* tell(story, 500)
      yield* story.advance(days(60))
      yield* tell(story, 500)
      yield* story.advance(days(31))
      const { answerBy } = yield* RecordingTransport
      yield* answerBy(() => RecordingTransport.answered(200))
      const { operator } = yield* TestPagora
      const before = (yield* story.received()).length
      // It had been switched off.
      const path = `/webhook-endpoints/${endpoint.id}` as const
      const on = yield* operator("PATCH", `/accounts/${story.shop.id}${path}`, {
        body: { enabled: true }
      })
      assert.strictEqual(on.status, 200, on.text)
      const answer = yield* operator("POST", `${path}/recover`, {
        body: { since: "2026-01-01T00:00:00Z" }
      })
      assert.strictEqual(answer.status, 201, answer.text)
      for (let step = 0; step < 3; step++) yield* story.advance("10 seconds")
      assert.strictEqual((yield* story.received()).length, before + 1)
      assert.deepStrictEqual((yield* statuses(story)).toSorted(), ["delivered", "resent"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
