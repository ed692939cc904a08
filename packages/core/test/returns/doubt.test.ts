import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Centavos } from "../../src/kernel/Money.ts"
import type { Manner } from "./Returns.test-data.ts"
import { returnsOf, sumOf } from "./Returns.test-data.ts"
import { anHour, begin, keptFor, notice, verifyGone } from "./ReturnStories.test-data.ts"
import { contradictions, decide, retry, waiting } from "../reviews/Reviews.test-data.ts"
import { world } from "../world/ServiceWorld.test-data.ts"

const last = <A>(all: ReadonlyArray<A>): A => all.at(-1) as A

describe("a return that was tried anew, and anew", () => {
  const rejects: Manner = "takes and rejects"

  /** Refused three times under its first name, and three times under its second. */
  const refusedTwice = Effect.gen(function* () {
    const { bank, current, story } = yield* begin("deposit", [rejects, rejects, rejects])
    yield* anHour(story)
    const first = yield* current
    bank.script(rejects, rejects, rejects)
    assert.strictEqual((yield* retry(first.id)).status, 201)
    yield* anHour(story)
    const second = last(yield* returnsOf(story.shop.id))
    assert.deepStrictEqual(yield* waiting(story), ["deposit_return refused"])
    return { bank, first, second, story }
  })

  it.effect.each(["noticed", "not noticed"] as const)(
    "is not sent a third time when the bank did the first one after all, %s",
    (how) =>
      Effect.gen(function* () {
        const { bank, first, second, story } = yield* refusedTwice
        bank.ends(first.reference, { status: "confirmed" })
        if (how === "noticed") {
          yield* notice(first)
          assert.deepStrictEqual(yield* contradictions(story), ["failed_but_paid"])
        }
        assert.strictEqual((yield* retry(second.id)).status, 201)
        yield* anHour(story)
        assert.strictEqual(bank.sent(), 1_000n, "the payer has it once")
        assert.include(yield* waiting(story), "deposit_return contradicted")
        assert.deepStrictEqual(yield* contradictions(story), ["failed_but_paid"])
        const third = last(yield* returnsOf(story.shop.id))
        assert.strictEqual((yield* decide("returns", third.id, "completed")).status, 200)
        yield* verifyGone(story, "deposit")
      }).pipe(Effect.provide(world))
  )

  it.effect("goes to its payer where none of the former ones did", () =>
    Effect.gen(function* () {
      const { bank, second, story } = yield* refusedTwice
      bank.script("confirms")
      assert.strictEqual((yield* retry(second.id)).status, 201)
      yield* anHour(story)
      assert.strictEqual(bank.sent(), 1_000n)
      assert.deepStrictEqual(yield* waiting(story), [])
      yield* verifyGone(story, "deposit")
    }).pipe(Effect.provide(world))
  )
})

describe.each(["deposit", "refund"] as const)("the last word on a %s return", (purpose) => {
  const kind = purpose === "refund" ? "refunds" : "returns"

  it.effect("is heard by the service though the bank is silent when it gives notice", () =>
    Effect.gen(function* () {
      const { bank, current, story } = yield* begin(purpose, ["loses the answer"])
      bank.silence(true)
      yield* anHour(story)
      yield* story.advance("1 day")
      const money = yield* current
      assert.strictEqual((yield* decide(kind, money.id, "failed")).status, 200)
      yield* notice(money)
      yield* story.advance("6 hours")
      assert.deepStrictEqual(yield* contradictions(story), [])
      bank.silence(false)
      yield* story.advance("10 minutes")
      assert.deepStrictEqual(yield* contradictions(story), ["failed_but_paid"])
      assert.strictEqual((yield* story.figures).available, keptFor[purpose])
      // It is asked no more, but for the late looks.
      const questions = bank.questions()
      for (const by of ["1 day", "6 days", "30 days"] as const) yield* story.advance(by)
      assert.strictEqual(bank.questions(), questions + 2)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is a person's when the bank shows another return under its name for a day", () =>
    Effect.gen(function* () {
      const { bank, current, story } = yield* begin(purpose, ["takes"])
      yield* story.drain
      const money = yield* current
      bank.ends(money.reference, { amount: Centavos.make(999n), status: "confirmed" })
      yield* anHour(story)
      assert.deepStrictEqual(yield* waiting(story), ["discrepancy amount_mismatch"])
      yield* story.advance("1 day")
      assert.sameMembers(yield* waiting(story), [
        "discrepancy amount_mismatch",
        `${purpose === "refund" ? "refund" : "deposit_return"} unanswered`
      ])
      assert.strictEqual((yield* decide(kind, money.id, "failed")).status, 200)
      yield* anHour(story)
      assert.strictEqual((yield* story.figures).available, keptFor[purpose])
      assert.strictEqual(yield* sumOf(story.shop.id, "suspense"), 0n)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("a refund that a person gave up", () => {
  const givenUp = Effect.gen(function* () {
    const { bank, charge, current, story } = yield* begin("refund", ["loses the answer"])
    bank.silence(true)
    yield* anHour(story)
    yield* story.advance("1 day")
    const first = yield* current
    assert.strictEqual((yield* decide("refunds", first.id, "failed")).status, 200)
    return { bank, charge, first, story }
  })

  it.effect("and that the bank has done is not made twice when it is asked for anew", () =>
    Effect.gen(function* () {
      const { bank, charge, story } = yield* givenUp
      yield* story.refund(charge)
      yield* anHour(story)
      bank.silence(false)
      yield* anHour(story)
      assert.strictEqual(bank.sent(), 1_000n, "the payer has it once")
      assert.include(yield* waiting(story), "refund contradicted")
      const second = last(yield* returnsOf(story.shop.id))
      assert.strictEqual((yield* decide("refunds", second.id, "completed")).status, 200)
      yield* verifyGone(story, "refund")
    }).pipe(Effect.provide(world))
  )

  it.effect("is asked about though another one was refused in between", () =>
    Effect.gen(function* () {
      const { bank, charge, first, story } = yield* givenUp
      bank.silence(false)
      bank.ends(first.reference, { status: "rejected" })
      bank.script("refuses")
      yield* story.refund(charge)
      yield* anHour(story)
      bank.ends(first.reference, { status: "confirmed" })
      yield* story.refund(charge)
      yield* anHour(story)
      assert.strictEqual(bank.sent(), 1_000n, "the payer has it once")
      assert.include(yield* waiting(story), "refund contradicted")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("goes to its payer when it is asked for anew and the bank has nothing of it", () =>
    Effect.gen(function* () {
      const { bank, charge, first, story } = yield* givenUp
      bank.silence(false)
      bank.ends(first.reference, { status: "rejected" })
      bank.script("confirms")
      yield* story.refund(charge)
      yield* anHour(story)
      assert.strictEqual(bank.sent(), 1_000n)
      yield* verifyGone(story, "refund")
    }).pipe(Effect.provide(world))
  )
})
