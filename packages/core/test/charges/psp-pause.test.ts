import { assert, describe, it } from "@effect/vitest"
import type { Answer } from "@pagora/testkit"
import { journey, whileTimePasses } from "@pagora/testkit"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { PspOutcome } from "../../src/ports/Psp.ts"
import { codeOf, pspThat, world } from "../world/ServiceWorld.test-data.ts"

/** What an answer says of when to come again, in its three places. */
const assertPause = (answer: Answer<unknown>, seconds: number) => {
  assert.strictEqual(answer.status, 500, answer.text)
  assert.strictEqual(codeOf(answer), "PSP_UNAVAILABLE")
  assert.strictEqual(answer.headers.get("retry-after"), String(seconds))
  assert.strictEqual(answer.json.details?.["retryAfterSeconds"], seconds)
  const wait = seconds === 1 ? "1 second" : `${seconds} seconds`
  const sentence = ` Ask again in ${wait}, with the same Idempotency-Key if there is one.`
  assert.isTrue(answer.json.message?.endsWith(sentence), answer.json.message)
}

/** The sentence of an answer before the one that says when to come again. */
const reasonOf = (answer: Answer<unknown>) => answer.json.message?.split(" Ask again in ")[0]

const notNow = "The payment institution takes no requests right now"
const unanswered = "The payment institution did not answer"

const outcomes: ReadonlyArray<readonly [string, PspOutcome<never>, seconds: number]> = [
  ["that takes no questions now", PspOutcome.notNow("too many", "90400 millis"), 91],
  ["whose answer cannot be checked now", PspOutcome.unknown("not checked", "2 minutes"), 120],
  ["that asks for a year", PspOutcome.notNow("closed", "365 days"), 3_600],
  ["that asks for nothing", PspOutcome.notNow("too many", 0), 1]
]

describe("PSP_UNAVAILABLE at a PSP", () => {
  it.effect.each(outcomes)("%s says when a new charge can be asked for again", ([_, outcome, s]) =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* pspThat({ createCharge: () => Effect.succeed(outcome) })
      const answer = yield* story.shop.call("POST", "/pix", { body: { amount: 10 } })
      assertPause(answer, s)
      // Who was told to wait is not told to try again at once, nor that nobody answered where somebody did.
      const reason = outcome._tag === "NotNow" ? notNow : unanswered
      assert.strictEqual(reasonOf(answer), `${reason}, so there is no charge to show.`)
    }).pipe(Effect.provide(world))
  )

  it.effect.each(outcomes)("%s says when a cancel can be asked for again", ([_, outcome, s]) =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      const { cancelCharge, findCharge } = yield* pspThat({})
      // Whichever of the two it does not take.
      for (const silent of [
        { cancelCharge: () => Effect.succeed(outcome) },
        { findCharge: () => Effect.succeed(outcome) }
      ]) {
        yield* pspThat({ cancelCharge, findCharge, ...silent })
        const answer = yield* story.shop.call("POST", `/pix/${charge.id}/cancel`)
        assertPause(answer, s)
        const reason = outcome._tag === "NotNow" ? notNow : unanswered
        assert.isTrue(answer.json.message?.startsWith(`${reason}. The charge is cancelled`))
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("is over when it said so: the same Idempotency-Key has its answer then", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      const { findCharge } = yield* pspThat({})
      yield* pspThat({
        findCharge: () => Effect.succeed(PspOutcome.notNow("too many", "900 millis"))
      })
      const headers = { "idempotency-key": "cancel-of-order-7" }
      const cancel = story.shop.call("POST", `/pix/${charge.id}/cancel`, { headers })
      assertPause(yield* cancel, 1)
      yield* pspThat({ findCharge })
      yield* story.advance("1 second")
      assert.strictEqual((yield* cancel).status, 200)
    }).pipe(Effect.provide(world))
  )

  it.effect("says nothing of it where another answer takes the place of the refusal", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      const [asking, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const later = PspOutcome.notNow("too many", "2 minutes")
      const { findCharge } = yield* pspThat({})
      let isBusy = false
      yield* pspThat({
        cancelCharge: () =>
          Effect.gen(function* () {
            yield* Deferred.succeed(asking, undefined)
            yield* Deferred.await(gate)
            isBusy = true
            return later
          }),
        findCharge: (reference) => (isBusy ? Effect.succeed(later) : findCharge(reference))
      })
      const headers = { "idempotency-key": "cancel-of-order-7" }
      const cancel = story.shop.call("POST", `/pix/${charge.id}/cancel`, { headers })
      const request = yield* Effect.forkChild(cancel)
      yield* Deferred.await(asking)
      yield* story.pay(charge)
      yield* Deferred.succeed(gate, undefined)
      const answer = yield* whileTimePasses(Fiber.join(request), "1 second")
      assert.strictEqual(codeOf(answer), "CHARGE_NOT_PENDING", answer.text)
      assert.isNull(answer.headers.get("retry-after"))
    }).pipe(Effect.provide(world))
  )

  it.effect("of which nobody knows when it answers says nothing of it", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      for (const outcome of [PspOutcome.unknown("lost"), PspOutcome.notSent("refused")]) {
        yield* pspThat({ createCharge: () => Effect.succeed(outcome) })
        const answer = yield* story.shop.call("POST", "/pix", { body: { amount: 10 } })
        assert.strictEqual(codeOf(answer), "PSP_UNAVAILABLE")
        assert.isNull(answer.headers.get("retry-after"))
        assert.notProperty(answer.json.details, "retryAfterSeconds")
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("that keeps silent and is left alone for it says how long", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* pspThat({ createCharge: () => Effect.never })
      const asked = story.shop.call("POST", "/pix", { body: { amount: 10 } })
      for (let silences = 0; silences < 5; silences++) yield* whileTimePasses(asked, "15 seconds")
      const leftAlone = yield* asked
      assertPause(leftAlone, 5)
      assert.strictEqual(reasonOf(leftAlone), `${notNow}, so there is no charge to show.`)
      yield* TestClock.adjust("2 seconds")
      assertPause(yield* asked, 3)
    }).pipe(Effect.provide(world))
  )
})
