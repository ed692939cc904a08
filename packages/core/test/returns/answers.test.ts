import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Centavos } from "../../src/kernel/Money.ts"
import type { PspRefund } from "../../src/ports/Psp.ts"
import { done } from "../../src/ports/Psp.ts"
import { bankThat } from "./Returns.test-data.ts"
import { anHour, begin, keptFor, notice, verifyGone } from "./ReturnStories.test-data.ts"
import { contradictions, waiting } from "../reviews/Reviews.test-data.ts"
import { pspThat, world } from "../world/ServiceWorld.test-data.ts"

/** From now on the bank answers this to every question about a return. */
const answers = (of: (reference: string) => PspRefund | undefined) =>
  pspThat({ findRefund: ({ reference }) => Effect.sync(() => done(of(reference))) })

/** Another return that the bank has. */
const another: PspRefund = {
  reference: "0".repeat(32),
  endToEndId: "E0",
  amount: Centavos.make(1_000n),
  status: "rejected"
}

describe("an answer about a return that is older than its end", () => {
  it.effect.each(["processing", "not found"] as const)(
    "(%s) contradicts what was confirmed after an hour, and not before",
    (said) =>
      Effect.gen(function* () {
        const { current, story } = yield* begin("deposit", ["confirms"])
        yield* story.drain
        const money = yield* current
        assert.strictEqual(money.status, "confirmed")
        const { amount, endToEndId } = money
        yield* answers((reference) =>
          said === "processing" ? { reference, endToEndId, amount, status: said } : undefined
        )
        yield* story.advance("59 minutes")
        yield* notice(money)
        assert.deepStrictEqual(yield* contradictions(story), [])
        yield* story.advance("1 minute")
        assert.deepStrictEqual(yield* contradictions(story), ["completed_but_rejected"])
        yield* verifyGone(story, "deposit")
      }).pipe(Effect.provide(world))
  )

  it.effect("(rejected) contradicts what was confirmed at once: it is an end itself", () =>
    Effect.gen(function* () {
      const { bank, current, story } = yield* begin("deposit", ["confirms"])
      yield* story.drain
      const money = yield* current
      bank.ends(money.reference, { status: "rejected" })
      yield* notice(money)
      assert.deepStrictEqual(yield* contradictions(story), ["completed_but_rejected"])
    }).pipe(Effect.provide(world))
  )

  it.effect("(processing) contradicts what was refused after an hour, and not before", () =>
    Effect.gen(function* () {
      const { bank, current, story } = yield* begin("refund", ["takes and rejects"])
      yield* story.drain
      const money = yield* current
      assert.strictEqual(money.status, "failed")
      bank.ends(money.reference, { status: "processing" })
      yield* story.advance("59 minutes")
      yield* notice(money)
      assert.deepStrictEqual(yield* contradictions(story), [])
      yield* story.advance("1 minute")
      assert.deepStrictEqual(yield* contradictions(story), ["failed_but_paid"])
      assert.strictEqual((yield* story.figures).available, keptFor.refund)
    }).pipe(Effect.provide(world))
  )

  it.effect("(processing) holds the next try up, and is no reason for a person", () =>
    Effect.gen(function* () {
      const { bank, story } = yield* begin("deposit", ["takes and rejects", "confirms"])
      yield* story.drain
      const first = String(bank.orders[0]?.reference)
      bank.ends(first, { status: "processing" })
      yield* story.advance("10 minutes")
      assert.strictEqual(bank.orders.length, 1)
      assert.deepStrictEqual(yield* contradictions(story), [])
      bank.ends(first, { status: "rejected" })
      yield* story.advance("6 minutes")
      assert.strictEqual(bank.sent(), 1_000n)
      assert.deepStrictEqual(yield* waiting(story), [])
      yield* verifyGone(story, "deposit")
    }).pipe(Effect.provide(world))
  )
})

describe("an answer about another return", () => {
  it.effect("is no proof that the one before was refused still: nothing is sent", () =>
    Effect.gen(function* () {
      const { bank, story } = yield* begin("deposit", ["takes and rejects", "confirms"])
      yield* story.drain
      const first = String(bank.orders[0]?.reference)
      // It did what it had refused, and answers with another one when it is asked about that.
      bank.ends(first, { status: "confirmed" })
      const { findRefund } = yield* pspThat({})
      yield* pspThat({
        findRefund: (asked) =>
          asked.reference === first ? Effect.succeed(done(another)) : findRefund(asked)
      })
      yield* anHour(story)
      assert.strictEqual(bank.orders.length, 1, "the payer has it once")
      assert.deepStrictEqual(yield* contradictions(story), ["reference_mismatch"])
      yield* pspThat({ findRefund })
      yield* story.advance("10 minutes")
      assert.strictEqual(bank.sent(), 1_000n)
      assert.include(yield* waiting(story), "deposit_return contradicted")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect.each([
    ["confirms", "rejected"],
    ["confirms", "confirmed"],
    ["takes and rejects", "confirmed"],
    ["takes and rejects", "rejected"]
  ] as const)("after a bank %s it, %s, is recorded as what it is", ([manner, status]) =>
    Effect.gen(function* () {
      const { current, story } = yield* begin("refund", [manner])
      yield* story.drain
      const money = yield* current
      const before = yield* story.figures
      yield* answers(() => ({ ...another, status }))
      yield* notice(money)
      yield* story.advance("1 hour")
      assert.deepStrictEqual(yield* contradictions(story), ["reference_mismatch"])
      assert.deepStrictEqual(yield* story.figures, before)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("does not end one that is under way", () =>
    Effect.gen(function* () {
      const { current, story } = yield* begin("refund", ["takes"])
      yield* story.drain
      const { findRefund } = yield* answers(() => another)
      yield* anHour(story)
      assert.strictEqual((yield* current).status, "processing")
      assert.deepStrictEqual(yield* contradictions(story), ["reference_mismatch"])
      yield* pspThat({ findRefund })
      const bank = yield* bankThat([])
      const { amount, endToEndId, reference } = yield* current
      bank.ends(reference, { reference, endToEndId, amount, status: "confirmed" })
      yield* story.advance("6 minutes")
      assert.strictEqual((yield* current).status, "confirmed")
    }).pipe(Effect.provide(world))
  )
})
