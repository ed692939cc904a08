import { assert, describe, it } from "@effect/vitest"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import { ChargeId } from "../../src/kernel/Ids.ts"
import { ChargeKind } from "../../src/charges/Charge.ts"
import { Storage } from "../../src/storage/Storage.ts"
import type { Manner } from "../returns/Returns.test-data.ts"
import { bankThat, returnsOf } from "../returns/Returns.test-data.ts"
import { anHour } from "../returns/ReturnStories.test-data.ts"
import { contradictions, decide, waiting } from "../reviews/Reviews.test-data.ts"
import { existing, world } from "../world/ServiceWorld.test-data.ts"

const last = <A>(all: ReadonlyArray<A>): A => existing(all.at(-1))

/** A payment of 10.00 of which 3.00 were asked for; the bank has done it, and a person called it failed. */
const givenUp = Effect.fnUntraced(function* (...manners: ReadonlyArray<Manner>) {
  const story = yield* journey()
  const bank = yield* bankThat(["loses the answer", ...manners])
  const charge = yield* story.charge()
  yield* story.pay(charge)
  yield* story.refund(charge, { amount: 3 })
  bank.silence(true)
  yield* anHour(story)
  yield* story.advance("1 day")
  const first = last(yield* returnsOf(story.shop.id))
  assert.strictEqual((yield* decide("refunds", first.id, "failed")).status, 200)
  bank.silence(false)
  const stored = Effect.gen(function* () {
    const storage = yield* Storage
    const found = yield* Effect.orDie(storage.find(ChargeKind, ChargeId.make(charge.id)))
    return existing(found).value
  })
  return { bank, charge, first, story, stored }
})

describe("a part that a person gave up", () => {
  it.effect("is asked about before the next part is sent, however much that is", () =>
    Effect.gen(function* () {
      const { bank, charge, first, story, stored } = yield* givenUp()
      assert.deepStrictEqual((yield* stored).doubtedRefunds, [first.id])
      yield* story.refund(charge, { amount: 5 })
      yield* anHour(story)
      assert.strictEqual(bank.sent(), 300n, "nothing was sent after it")
      assert.include(yield* waiting(story), "refund contradicted")
      assert.deepStrictEqual(yield* contradictions(story), ["failed_but_paid"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is booked by the same part asked for anew, and the rest can go back then", () =>
    Effect.gen(function* () {
      const { bank, charge, story, stored } = yield* givenUp("confirms")
      yield* story.refund(charge, { amount: 3 })
      yield* anHour(story)
      const again = last(yield* returnsOf(story.shop.id))
      assert.strictEqual(again.review?.reason, "contradicted")
      assert.strictEqual((yield* decide("refunds", again.id, "completed")).status, 200)
      assert.deepStrictEqual((yield* stored).doubtedRefunds, [])
      yield* story.refund(charge)
      yield* anHour(story)
      assert.strictEqual(bank.sent(), 1_000n)
      assert.strictEqual((yield* story.figures).total, 0)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("keeps nothing back once a person has seen what it did", () =>
    Effect.gen(function* () {
      const { bank, charge, story, stored } = yield* givenUp("confirms")
      yield* story.refund(charge, { amount: 7 })
      yield* anHour(story)
      const second = last(yield* returnsOf(story.shop.id))
      assert.strictEqual((yield* decide("refunds", second.id, "failed")).status, 200)
      // It was never sent, and the one before it was looked at.
      assert.deepStrictEqual((yield* stored).doubtedRefunds, [])
      yield* story.refund(charge, { amount: 7 })
      yield* anHour(story)
      assert.strictEqual(bank.sent(), 1_000n)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is asked about with every other, in whichever order they were given up", () =>
    Effect.gen(function* () {
      const { bank, charge, first, story, stored } = yield* givenUp("loses the answer", "confirms")
      bank.ends(first.reference, { status: "rejected" })
      yield* story.refund(charge, { amount: 2 })
      yield* story.drain
      bank.silence(true)
      yield* anHour(story)
      yield* story.advance("1 day")
      const second = last(yield* returnsOf(story.shop.id))
      assert.strictEqual((yield* decide("refunds", second.id, "failed")).status, 200)
      bank.silence(false)
      assert.deepStrictEqual((yield* stored).doubtedRefunds, [first.id, second.id])
      bank.ends(second.reference, { status: "rejected" })
      bank.ends(first.reference, { status: "confirmed" })
      yield* story.refund(charge, { amount: 1 })
      yield* anHour(story)
      assert.include(yield* waiting(story), "refund contradicted")
      assert.strictEqual(bank.sent(), 300n)

      const third = last(yield* returnsOf(story.shop.id))
      assert.strictEqual((yield* decide("refunds", third.id, "failed")).status, 200)
      assert.deepStrictEqual((yield* stored).doubtedRefunds, [second.id])
      // Whoever a person has looked at holds nothing back any more, though the second one had asked about it.
      yield* story.refund(charge, { amount: 1 })
      yield* anHour(story)
      assert.strictEqual(last(yield* returnsOf(story.shop.id)).status, "confirmed")
      assert.strictEqual(bank.sent(), 400n)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("cannot be booked by one of another amount", () =>
    Effect.gen(function* () {
      const { charge, first, story } = yield* givenUp()
      yield* story.refund(charge, { amount: 5 })
      yield* anHour(story)
      const second = last(yield* returnsOf(story.shop.id))
      const refused = yield* decide("refunds", second.id, "completed")
      assert.strictEqual(refused.status, 409)
      const { details, message } = refused.json
      assert.deepInclude(details, { code: "RETURN_OF_ANOTHER_AMOUNT", value: first.id })
      assert.include(message, "3.00 BRL")
      assert.include(yield* waiting(story), "refund contradicted")
      assert.strictEqual((yield* decide("refunds", second.id, "failed")).status, 200)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("does not hold up the others that are under way", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const bank = yield* bankThat(["loses the request", "confirms", "refuses"], {
        idempotentByReference: false
      })
      const charge = yield* story.charge()
      yield* story.pay(charge)
      for (const amount of [1, 2, 3]) {
        yield* story.refund(charge, { amount })
        yield* story.drain
      }
      const states = (yield* returnsOf(story.shop.id)).map(({ amount, status }) => [
        Number(amount),
        status
      ])
      assert.deepStrictEqual(states, [
        [100, "requested"],
        [200, "confirmed"],
        [300, "failed"]
      ])
      const { refundableAmount, refundedAmount } = yield* story.transaction(charge.id)
      assert.deepStrictEqual([refundedAmount, refundableAmount], [3, 7])
      assert.strictEqual(bank.sent(), 200n)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
