import { assert, describe, it } from "@effect/vitest"
import type { Journey, WithId } from "@pagora/testkit"
import { TestPagora } from "@pagora/testkit"
import { Effect } from "effect"
import { Centavos } from "../../src/kernel/Money.ts"
import type { PspOutcome, PspPayout } from "../../src/ports/Psp.ts"
import { done } from "../../src/ports/Psp.ts"
import { contradictions, rowsOf, waiting } from "../reviews/Reviews.test-data.ts"
import { codeOf, pspThat, txidOf, world } from "../world/ServiceWorld.test-data.ts"
import { shop, statusOf } from "./WithdrawalStories.test-data.ts"

/** A payout of R$ 9.50 that was paid. */
const paidOut = (reference: string, over: Partial<PspPayout> = {}): PspPayout => ({
  reference,
  pspReference: "payout-1",
  status: "completed",
  amount: Centavos.make(950n),
  endToEndId: "E99999999202611211200payoutone01",
  ...over
})

/** The same payout, refused by the bank of its receiver. */
const rejectedOut = (reference: string): PspPayout => {
  const { endToEndId: _, ...sent } = paidOut(reference, { pspReference: "payout-2" })
  return { ...sent, status: "rejected", rejection: { code: "refused", message: "Refused." } }
}

/** A PSP that answers whatever it is asked with what a test says. */
const answering = (answer: (reference: string) => PspPayout | undefined) =>
  pspThat({
    sendPayout: ({ reference }) =>
      Effect.sync((): PspOutcome<PspPayout> => {
        const value = answer(reference)
        return value === undefined ? { _tag: "Unknown", detail: "lost" } : done(value)
      }),
    findPayout: ({ reference }) => Effect.sync(() => done(answer(reference)))
  })

/** Two withdrawals of the same amount to the same key; the first one is paid. */
const twoOrders = (answer: (first: string) => (reference: string) => PspPayout | undefined) =>
  Effect.gen(function* () {
    const story = yield* shop
    const one = yield* story.withdraw()
    const first = txidOf(one.id)
    yield* answering((reference) => paidOut(reference))
    yield* story.drain
    assert.strictEqual(yield* statusOf(story, one), "completed")
    yield* answering(answer(first))
    const two = yield* story.withdraw()
    yield* story.drain
    return { story, one, two }
  })

const decide = (withdrawal: WithId, outcome: string) =>
  Effect.flatMap(TestPagora, ({ operator }) =>
    operator("POST", `/withdrawals/${withdrawal.id}/resolve`, {
      body: { outcome, reason: "Looked at the bank." }
    })
  )

/** The second one is nobody's payout, and its money is held until a person decides. */
const held = (story: Journey, two: WithId, reason: string) =>
  Effect.gen(function* () {
    assert.strictEqual(yield* statusOf(story, two), "processing")
    const { available, held: kept, total } = yield* story.figures
    assert.deepStrictEqual([available, kept, total], [8_020, 1_000, 9_020])
    assert.sameMembers(yield* waiting(story), [`discrepancy ${reason}`, "withdrawal unanswered"])
    for (let minute = 0; minute < 30; minute++) yield* story.advance("1 minute")
    assert.deepStrictEqual(yield* contradictions(story), [reason])
    assert.strictEqual((yield* story.figures).held, 1_000)
    yield* story.audit
    assert.strictEqual((yield* decide(two, "failed")).status, 200)
    assert.strictEqual((yield* story.figures).total, 9_020)
    yield* story.audit
  })

describe("a PSP that answers one payout for two orders", () => {
  it.effect("with the first one's reference pays one withdrawal by it", () =>
    Effect.gen(function* () {
      const { story, two } = yield* twoOrders((first) => () => paidOut(first))
      yield* held(story, two, "reference_mismatch")
    }).pipe(Effect.provide(world))
  )

  it.effect.each([
    ["end-to-end id", { pspReference: "payout-2" }],
    ["own id", { endToEndId: "E99999999202611211200payouttwo02" }],
    ["names while it is under way", { status: "processing" }]
  ] as const)("with the first one's %s pays one withdrawal by it", ([, over]) =>
    Effect.gen(function* () {
      const { story, two } = yield* twoOrders(() => (reference) => paidOut(reference, over))
      yield* held(story, two, "payment_claimed_twice")
    }).pipe(Effect.provide(world))
  )

  it.effect("refusing it, does not refuse the second by it either", () =>
    Effect.gen(function* () {
      const { story, two } = yield* twoOrders(
        (first) => () => paidOut(first, { status: "rejected" })
      )
      yield* held(story, two, "reference_mismatch")
    }).pipe(Effect.provide(world))
  )

  it.effect("at once pays one of the two", () =>
    Effect.gen(function* () {
      const story = yield* shop
      yield* answering((reference) => paidOut(reference))
      const made = [yield* story.withdraw(), yield* story.withdraw()]
      yield* story.drain
      const statuses = yield* Effect.forEach(made, (one) => statusOf(story, one))
      assert.sameMembers(statuses, ["completed", "processing"])
      assert.deepStrictEqual(yield* contradictions(story), ["payment_claimed_twice"])
      assert.strictEqual((yield* story.figures).held, 1_000)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("and then thinks better of it, is believed", () =>
    Effect.gen(function* () {
      const { story, two } = yield* twoOrders((first) => () => paidOut(first))
      assert.deepStrictEqual(yield* contradictions(story), ["reference_mismatch"])
      const endToEndId = "E99999999202611211200payouttwo02"
      yield* answering((reference) => paidOut(reference, { pspReference: "payout-2", endToEndId }))
      yield* story.advance("5 minutes")
      assert.strictEqual(yield* statusOf(story, two), "completed")
      assert.deepStrictEqual(yield* waiting(story), ["discrepancy reference_mismatch"])
      assert.strictEqual((yield* story.figures).held, 0)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("an order that its PSP may still come to hear", () => {
  it.effect("can be called failed by nobody until that is over", () =>
    Effect.gen(function* () {
      const { story, two } = yield* twoOrders(() => () => undefined)
      yield* answering(() => paidOut("another"))
      yield* story.advance("5 seconds")
      assert.sameMembers(yield* waiting(story), [
        "discrepancy reference_mismatch",
        "withdrawal unanswered"
      ])
      const early = yield* decide(two, "failed")
      assert.strictEqual(early.status, 409)
      assert.strictEqual(codeOf(early), "WITHDRAWAL_UNDER_WAY")
      assert.include(early.text, `failed after ${String(early.json.details?.["value"])}`)
      assert.strictEqual((yield* story.figures).held, 1_000)

      // It arrives after all.
      const endToEndId = "E99999999202611211200payouttwo02"
      yield* answering((reference) => paidOut(reference, { pspReference: "payout-2", endToEndId }))
      yield* story.advance("5 minutes")
      assert.strictEqual(yield* statusOf(story, two), "completed")
      assert.deepStrictEqual(yield* contradictions(story), ["reference_mismatch"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect.each(["completed", "failed"] as const)("is %s as a person says once it is", (outcome) =>
    Effect.gen(function* () {
      const { story, two } = yield* twoOrders(() => () => undefined)
      yield* answering(() => paidOut("another"))
      yield* story.advance("5 seconds")
      yield* story.advance("1 minute")
      assert.strictEqual((yield* decide(two, outcome)).status, 200)
      assert.strictEqual(yield* statusOf(story, two), outcome)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("a withdrawal that a person calls failed, and that its PSP says it pays", () => {
  const endToEndId = "E99999999202611211200payouttwo02"
  /** In review, and too old for its order to arrive any more; the PSP says of it what a test does. */
  const reviewed = (said: (reference: string) => PspPayout | undefined) =>
    Effect.gen(function* () {
      const { story, two } = yield* twoOrders(() => () => undefined)
      yield* answering(() => paidOut("another"))
      yield* story.advance("5 seconds")
      yield* story.advance("1 minute")
      yield* answering(said)
      return { story, two }
    })
  const inLine = (story: Journey) =>
    Effect.map(waiting(story), (words) => words.filter((one) => one.startsWith("withdrawal")))
  const pays = (status: "processing" | "completed") => (reference: string) => {
    const { endToEndId: _, ...begun } = paidOut(reference, { pspReference: "payout-2" })
    return status === "processing"
      ? { ...begun, status }
      : paidOut(reference, { pspReference: "payout-2", endToEndId })
  }

  it.effect.each(["processing", "completed"] as const)(
    "is not given back while the PSP says that it is %s",
    (status) =>
      Effect.gen(function* () {
        const { story, two } = yield* reviewed(pays(status))
        const refused = yield* decide(two, "failed")
        assert.strictEqual(refused.status, 409)
        assert.strictEqual(codeOf(refused), "WITHDRAWAL_UNDER_WAY")
        assert.include(refused.text, `The PSP says that this withdrawal is ${status}`)
        assert.include(refused.text, `failed after ${String(refused.json.details?.["value"])}`)
        assert.strictEqual((yield* story.figures).held, 1_000)

        yield* answering(pays("completed"))
        yield* story.advance("5 minutes")
        assert.strictEqual(yield* statusOf(story, two), "completed")
        assert.deepStrictEqual(yield* contradictions(story), ["reference_mismatch"])
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect(
    "is the PSP's again for a day, and then as the person says, though the PSP goes on so",
    () =>
      Effect.gen(function* () {
        const { story, two } = yield* reviewed(() => undefined)
        yield* story.advance("3 days")
        yield* answering(pays("processing"))
        assert.strictEqual(codeOf(yield* decide(two, "failed")), "WITHDRAWAL_UNDER_WAY")
        yield* story.advance("5 minutes")
        assert.strictEqual(codeOf(yield* decide(two, "failed")), "WITHDRAWAL_NOT_IN_REVIEW")
        assert.deepStrictEqual(yield* inLine(story), [])
        yield* story.advance("23 hours")
        assert.strictEqual(codeOf(yield* decide(two, "failed")), "WITHDRAWAL_NOT_IN_REVIEW")
        yield* story.advance("1 hour")
        assert.deepStrictEqual(yield* inLine(story), ["withdrawal unanswered"])
        assert.strictEqual((yield* decide(two, "failed")).status, 200)
        assert.strictEqual(yield* statusOf(story, two), "failed")
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect(
    "is not given back once the PSP says that it has paid it, however long it was away",
    () =>
      Effect.gen(function* () {
        const { story, two } = yield* reviewed(() => undefined)
        yield* story.advance("3 days")
        yield* answering(pays("completed"))
        assert.strictEqual(codeOf(yield* decide(two, "failed")), "WITHDRAWAL_UNDER_WAY")
        yield* story.advance("5 minutes")
        assert.strictEqual(yield* statusOf(story, two), "completed")
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect.each([
    ["has nothing of it", () => undefined],
    ["says that it came to nothing", (reference) => rejectedOut(reference)],
    ["pays another amount", (reference) => paidOut(reference, { amount: Centavos.make(949n) })]
  ] as ReadonlyArray<readonly [string, (reference: string) => PspPayout | undefined]>)(
    "is as the person says where the PSP %s",
    ([, said]) =>
      Effect.gen(function* () {
        const { story, two } = yield* reviewed(said)
        assert.strictEqual((yield* decide(two, "failed")).status, 200)
        assert.strictEqual(yield* statusOf(story, two), "failed")
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("is as the person says where the PSP does not answer", () =>
    Effect.gen(function* () {
      const { story, two } = yield* reviewed(pays("processing"))
      yield* pspThat({
        findPayout: () => Effect.succeed({ _tag: "Unknown", detail: "no answer" })
      })
      assert.strictEqual((yield* decide(two, "failed")).status, 200)
      assert.strictEqual(yield* statusOf(story, two), "failed")
    }).pipe(Effect.provide(world))
  )

  it.effect("is completed by a person whatever the PSP says", () =>
    Effect.gen(function* () {
      const { story, two } = yield* reviewed(pays("processing"))
      assert.strictEqual((yield* decide(two, "completed")).status, 200)
      assert.strictEqual(yield* statusOf(story, two), "completed")
    }).pipe(Effect.provide(world))
  )
})

describe("the names of a payout", () => {
  it.effect("are its own however often it is told, and when it comes back", () =>
    Effect.gen(function* () {
      const story = yield* shop
      let status: PspPayout["status"] = "processing"
      yield* answering((reference) => paidOut(reference, { status }))
      const made = yield* story.withdraw()
      for (let round = 0; round < 5; round++) yield* story.advance("1 minute")
      status = "completed"
      yield* story.advance("5 minutes")
      assert.strictEqual(yield* statusOf(story, made), "completed")
      yield* story.advance("1 hour")
      status = "reversed"
      yield* story.advance("1 day")
      assert.strictEqual(yield* statusOf(story, made), "reversed")
      assert.deepStrictEqual(yield* rowsOf(`/discrepancies?account=${story.shop.id}`), [])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("may be those of a payment that came in: who pays himself has both", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const charge = yield* story.charge()
      const [endToEndId = ""] = yield* story.payAtBank(charge)
      yield* story.drain
      yield* answering((reference) => paidOut(reference, { endToEndId }))
      const made = yield* story.withdraw()
      yield* story.drain
      assert.strictEqual(yield* statusOf(story, made), "completed")
      assert.deepStrictEqual(yield* contradictions(story), [])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
