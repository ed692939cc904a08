import { assert, describe, it } from "@effect/vitest"
import type { WithId } from "@pagora/testkit"
import { journey, RecordingTransport, resumed, startMortal } from "@pagora/testkit"
import { Context, DateTime, Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ChargeId } from "../../src/kernel/Ids.ts"
import { Centavos } from "../../src/kernel/Money.ts"
import type { PspCharge, PspOutcome, PspPayout } from "../../src/ports/Psp.ts"
import { done, PspDirectory } from "../../src/ports/Psp.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { StorageDriver } from "../../src/ports/StorageDriver.ts"
import { layerMemory } from "../../src/storage-memory/StorageMemory.ts"
import { anHour, begin, keptFor, verifyGone } from "../returns/ReturnStories.test-data.ts"
import { bankThat, sumOf } from "../returns/Returns.test-data.ts"
import { contradictions, waiting } from "../reviews/Reviews.test-data.ts"
import { existing, pspThat, txidOf, world } from "../world/ServiceWorld.test-data.ts"
import {
  before,
  paid,
  shop,
  statusOf,
  toldKinds
} from "../withdrawals/WithdrawalStories.test-data.ts"

/** Nothing of what has ended is looked at any more. */
const noLooksLeft = Effect.gen(function* () {
  assert.isUndefined(yield* (yield* Storage).nextDue(["reconciliation"]))
})

/** From now on the PSP shows a payout like this, and gives no notice; without one it does not answer. */
const shows = (payout: Partial<PspPayout> | undefined) =>
  Effect.gen(function* () {
    let questions = 0
    const { findPayout } = yield* pspThat({})
    yield* pspThat({
      findPayout: (reference) =>
        Effect.map(findPayout(reference), (outcome): PspOutcome<PspPayout | undefined> => {
          questions++
          if (payout === undefined) return { _tag: "Unknown", detail: "silent" }
          const isThere = outcome._tag === "Done" && outcome.value !== undefined
          return isThere ? done<PspPayout>({ ...outcome.value, ...payout }) : outcome
        })
    })
    return { questions: () => questions, heal: pspThat({ findPayout }) }
  })

const reversal = (at: string) =>
  ({
    status: "reversed",
    reversal: { returnId: "D1", at: DateTime.makeUnsafe(at), code: "BE08" }
  }) as const

describe("a PSP of the sandbox", () => {
  it.effect("that forgets to tell of a reversal is found out", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const made = yield* story.withdraw()
      yield* story.settleWithdrawal(made, "completed")
      yield* story.faults({ operation: "notify", kind: "forget", times: 1 })
      const told = yield* story.settleWithdrawal(made, "reversed")
      assert.strictEqual(told.status, "completed")
      yield* story.advance("59 minutes")
      assert.strictEqual(yield* statusOf(story, made), "completed")
      yield* story.advance("1 minute")
      assert.strictEqual(yield* statusOf(story, made), "reversed")
      assert.deepStrictEqual(yield* story.figures, before)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("that pays later what it refused, without a word, is found out", () =>
    Effect.gen(function* () {
      const story = yield* shop
      yield* story.faults({ operation: "sendPayout", kind: "refuseAfterDoing", times: 1 })
      const made = yield* story.withdraw()
      yield* story.drain
      assert.strictEqual(yield* statusOf(story, made), "failed")
      yield* story.faults({ operation: "notify", kind: "forget", times: 1 })
      const told = yield* story.settleWithdrawal(made, "completed")
      assert.strictEqual(told.status, "failed")
      assert.deepStrictEqual(yield* contradictions(story), [])
      yield* story.advance("1 hour")
      assert.deepStrictEqual(yield* contradictions(story), ["failed_but_paid"])
      assert.deepStrictEqual(yield* story.figures, before)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("that answers with another payout is not believed", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const first = yield* story.withdraw()
      yield* story.settleWithdrawal(first, "completed")
      yield* story.faults({ operation: "sendPayout", kind: "answerAnother", times: 1 })
      const second = yield* story.withdraw()
      yield* story.drain
      assert.deepStrictEqual(yield* contradictions(story), ["reference_mismatch"])
      assert.strictEqual(yield* statusOf(story, second), "processing")
      yield* story.settleWithdrawal(second, "completed")
      assert.strictEqual((yield* story.figures).held, 0)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("that forgets to tell of a payment after the end is found out", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      yield* story.shop.call("POST", `/pix/${charge.id}/cancel`)
      yield* story.faults({ operation: "notify", kind: "forget", times: 1 })
      yield* story.pay(charge)
      yield* story.drain
      assert.strictEqual(yield* sumOf(story.shop.id, "suspense"), 0n)
      yield* story.advance("1 hour")
      assert.strictEqual(Number(yield* sumOf(story.shop.id, "suspense")), 1_000)
      yield* story.advance("1 minute")
      yield* story.advance("1 minute")
      assert.strictEqual(yield* chargeStatus(charge), "cancelled")
      assert.strictEqual(yield* sumOf(story.shop.id, "suspense"), 0n)
      assert.strictEqual((yield* story.figures).total, 0)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("a late look in another process than the one that paid out", () => {
  it.effect("goes by what is stored, and not by what it remembers of the request", () =>
    Effect.gen(function* () {
      const driver = Context.get(yield* Layer.build(Layer.fresh(layerMemory)), StorageDriver)
      const transport = yield* Layer.build(Layer.fresh(RecordingTransport.layer))
      const accepting = yield* startMortal(driver, transport)
      const paying = yield* startMortal(driver, transport)
      const { made, story } = yield* Effect.provideContext(
        Effect.gen(function* () {
          const story = yield* shop
          return { story, made: yield* story.withdraw() }
        }),
        accepting.services
      )
      yield* Effect.provideContext(
        Effect.gen(function* () {
          const there = yield* resumed(story.shop)
          yield* there.settleWithdrawal(made, "completed")
          yield* there.faults({ operation: "notify", kind: "forget", times: 1 })
          yield* there.settleWithdrawal(made, "reversed")
        }),
        paying.services
      )
      yield* Effect.provideContext(
        Effect.gen(function* () {
          const here = yield* resumed(story.shop)
          yield* here.advance("1 hour")
          assert.strictEqual(yield* statusOf(here, made), "reversed")
          assert.deepStrictEqual(yield* here.figures, before)
          yield* here.audit
        }),
        accepting.services
      )
    })
  )
})

describe("a payout that has ended", () => {
  it.effect("and comes back without a notice is booked as reversed, and told", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const made = yield* story.withdraw()
      yield* story.settleWithdrawal(made, "completed")
      assert.deepStrictEqual(yield* story.figures, paid)
      yield* shows(reversal("2026-11-21T12:30:00Z"))
      yield* story.advance("59 minutes")
      assert.strictEqual(yield* statusOf(story, made), "completed")
      yield* story.advance("1 minute")
      assert.strictEqual(yield* statusOf(story, made), "reversed")
      assert.deepStrictEqual(yield* story.figures, before)
      yield* story.advance("30 days")
      assert.deepStrictEqual(yield* toldKinds(story), [
        "withdrawal_completed",
        "withdrawal_reversed"
      ])
      assert.deepStrictEqual(yield* contradictions(story), [])
      yield* noLooksLeft
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("and comes back in part is a discrepancy, and nothing moves", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const made = yield* story.withdraw()
      yield* story.settleWithdrawal(made, "completed")
      yield* shows({ ...reversal("2026-11-21T12:30:00Z"), amount: Centavos.make(500n) })
      yield* story.advance("1 hour")
      assert.strictEqual(yield* statusOf(story, made), "completed")
      assert.deepStrictEqual(yield* story.figures, paid)
      assert.deepStrictEqual(yield* contradictions(story), ["amount_mismatch"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect.each([
    ["1 hour", "23 hours"],
    ["1 day", "6 days"]
  ] as const)("and comes back after %s is found by the next look", ([first, then]) =>
    Effect.gen(function* () {
      const story = yield* shop
      const made = yield* story.withdraw()
      yield* story.settleWithdrawal(made, "completed")
      yield* story.advance("1 hour")
      if (first === "1 day") yield* story.advance("23 hours")
      yield* shows(reversal("2026-11-22T12:30:00Z"))
      yield* story.advance(then)
      assert.strictEqual(yield* statusOf(story, made), "reversed")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("as never found, and is paid later without a notice, is a discrepancy", () =>
    Effect.gen(function* () {
      const story = yield* shop
      let isThere = false
      const { capabilities, sendPayout, findPayout } = yield* pspThat({})
      yield* pspThat({
        capabilities: { ...capabilities, idempotentByReference: false },
        sendPayout: (payout) =>
          Effect.as(sendPayout(payout), { _tag: "Unknown", detail: "lost" } as const),
        findPayout: (reference) =>
          Effect.map(findPayout(reference), (outcome) =>
            outcome._tag === "Done" && outcome.value !== undefined && isThere
              ? done<PspPayout>({ ...outcome.value, status: "completed", endToEndId: "E1" })
              : done(undefined)
          )
      })
      const made = yield* story.withdraw()
      yield* story.drain
      for (let round = 0; round < 10; round++) yield* story.advance("20 seconds")
      assert.strictEqual(yield* statusOf(story, made), "failed")
      assert.deepStrictEqual(yield* story.figures, before)
      yield* story.advance("2 days")
      assert.deepStrictEqual(yield* contradictions(story), [])
      isThere = true
      yield* story.advance("5 days")
      assert.deepStrictEqual(yield* contradictions(story), ["failed_but_paid"])
      assert.deepStrictEqual(yield* waiting(story), ["discrepancy failed_but_paid"])
      assert.strictEqual(yield* statusOf(story, made), "failed")
      assert.deepStrictEqual(yield* story.figures, before)
      yield* noLooksLeft
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect.each([
    ["rejected", { status: "rejected" }, "completed_but_rejected"],
    ["of another amount", { amount: Centavos.make(949n) }, "amount_mismatch"],
    ["another one", { endToEndId: "E0" }, "reference_mismatch"]
  ] as const)("and turns out to be %s is a discrepancy, and nothing moves", ([, said, reason]) =>
    Effect.gen(function* () {
      const story = yield* shop
      const made = yield* story.withdraw()
      yield* story.settleWithdrawal(made, "completed")
      yield* shows(said)
      yield* story.advance("1 hour")
      assert.deepStrictEqual(yield* contradictions(story), [reason])
      yield* story.advance("8 days")
      assert.deepStrictEqual(yield* contradictions(story), [reason])
      assert.deepStrictEqual(yield* story.figures, paid)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("and that the PSP does not know any more is a discrepancy", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const made = yield* story.withdraw()
      yield* story.settleWithdrawal(made, "completed")
      yield* pspThat({ findPayout: () => Effect.succeed(done(undefined)) })
      yield* story.advance("1 hour")
      assert.deepStrictEqual(yield* contradictions(story), ["payment_gone"])
      assert.deepStrictEqual(yield* story.figures, paid)
    }).pipe(Effect.provide(world))
  )

  it.effect("is asked about three times, and then no more", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const made = yield* story.withdraw()
      yield* story.settleWithdrawal(made, "completed")
      const { questions } = yield* shows({})
      const asked: Array<number> = []
      for (const by of [
        "59 minutes",
        "1 minute",
        "22 hours",
        "1 hour",
        "5 days",
        "1 day"
      ] as const) {
        yield* story.advance(by)
        asked.push(questions())
      }
      assert.deepStrictEqual(asked, [0, 1, 1, 2, 2, 3])
      yield* noLooksLeft
      yield* story.advance("30 days")
      assert.strictEqual(questions(), 3)
    }).pipe(Effect.provide(world))
  )

  it.effect("is asked about until its PSP answers, and less and less often", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const made = yield* story.withdraw()
      yield* story.settleWithdrawal(made, "completed")
      const { heal, questions } = yield* shows(undefined)
      for (let hour = 0; hour < 24 * 14; hour++) yield* story.advance("1 hour")
      assert.isBelow(questions(), 20)
      yield* heal
      yield* shows(reversal("2026-11-21T12:30:00Z"))
      yield* story.advance("7 days")
      assert.strictEqual(yield* statusOf(story, made), "reversed")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is not forgotten while its PSP is not configured", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const made = yield* story.withdraw()
      yield* story.settleWithdrawal(made, "completed")
      yield* shows(reversal("2026-11-21T12:30:00Z"))
      const directory = yield* PspDirectory
      const { find } = directory
      Object.assign(directory, { find: () => undefined })
      yield* story.advance("3 hours")
      assert.strictEqual(yield* statusOf(story, made), "completed")
      Object.assign(directory, { find })
      yield* story.advance("3 hours")
      assert.strictEqual(yield* statusOf(story, made), "reversed")
    }).pipe(Effect.provide(world))
  )
})

describe("a return that has ended", () => {
  it.effect("confirmed, and is refused later without a notice, is a discrepancy", () =>
    Effect.gen(function* () {
      const { bank, current, story } = yield* begin("deposit", ["confirms"])
      yield* story.drain
      bank.ends((yield* current).reference, { status: "rejected" })
      yield* story.advance("1 hour")
      assert.deepStrictEqual(yield* contradictions(story), ["completed_but_rejected"])
      assert.strictEqual(yield* sumOf(story.shop.id, "suspense"), 0n)
      // The charge that it was paid for ends meanwhile, and is looked at as well.
      yield* story.advance("2 days")
      yield* story.advance("8 days")
      yield* noLooksLeft
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("refused, and is done later without a notice, is a discrepancy", () =>
    Effect.gen(function* () {
      const { bank, current, story } = yield* begin("refund", ["takes and rejects"])
      yield* story.drain
      const refused = yield* current
      assert.strictEqual(refused.status, "failed")
      yield* story.advance("3 days")
      bank.ends(refused.reference, { status: "confirmed" })
      yield* story.advance("4 days")
      assert.deepStrictEqual(yield* contradictions(story), ["failed_but_paid"])
      assert.strictEqual((yield* story.figures).available, keptFor.refund)
      yield* noLooksLeft
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("refused three times, and is done while it waits for a person, is booked", () =>
    Effect.gen(function* () {
      const { bank, current, story } = yield* begin("deposit", ["refuses", "refuses", "refuses"])
      yield* anHour(story)
      const refused = yield* current
      assert.deepStrictEqual(yield* waiting(story), ["deposit_return refused"])
      bank.script("confirms")
      const { amount, endToEndId, reference } = refused
      bank.ends(reference, { reference, endToEndId, amount, status: "confirmed" })
      yield* story.advance("1 day")
      assert.strictEqual((yield* current).status, "confirmed")
      assert.deepStrictEqual(yield* waiting(story), [])
      yield* verifyGone(story, "deposit")
    }).pipe(Effect.provide(world))
  )
})

/** From now on the PSP shows this payment of a charge, and gives no notice. */
const showsPaid = (reference: string, paidAt: string, amount = 1_000n) =>
  Effect.gen(function* () {
    const { findCharge } = yield* pspThat({})
    const payment = {
      endToEndId: "E99999999202611211200paidsolate1",
      amount: Centavos.make(amount)
    }
    yield* pspThat({
      findCharge: (asked) =>
        Effect.map(findCharge(asked), (outcome) =>
          outcome._tag === "Done" && outcome.value !== undefined && asked === reference
            ? done<PspCharge>({
                ...outcome.value,
                status: "paid",
                payments: [{ ...payment, paidAt: DateTime.makeUnsafe(paidAt) }]
              })
            : outcome
        )
    })
  })

const chargeStatus = (charge: WithId) =>
  Effect.flatMap(Storage, (storage) =>
    Effect.map(
      storage.findMany(
        {
          name: "charge",
          table: "operation",
          read: ({ status, version }) => ({ value: status, version })
        },
        [ChargeId.make(charge.id)]
      ),
      ([found]) => found?.value
    )
  )

describe("a charge that has ended unpaid", () => {
  it.effect("expired, and was paid in time without a notice, is completed", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge({ expiresIn: 3_600 })
      yield* story.advance("1 hour")
      assert.strictEqual(yield* chargeStatus(charge), "expired")
      yield* showsPaid(txidOf(charge.id), "2026-11-21T12:59:00Z")
      yield* story.advance("1 hour")
      assert.strictEqual(yield* chargeStatus(charge), "completed")
      assert.strictEqual((yield* story.figures).available, 1_000)
      yield* story.advance("7 days")
      yield* noLooksLeft
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("refused by the PSP, and is paid there all the same, is a stray", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const { createCharge } = yield* pspThat({})
      yield* pspThat({
        createCharge: (charge) =>
          Effect.as(createCharge(charge), {
            _tag: "Rejected",
            code: "NO",
            message: "No."
          } as const)
      })
      const answer = yield* story.shop.call("POST", "/pix", { body: { amount: 10 } })
      assert.isAtLeast(answer.status, 400)
      const storage = yield* Storage
      const [failed] = yield* storage.list(
        { name: "charge", table: "operation", read: ({ id, version }) => ({ value: id, version }) },
        { account: story.shop.id, status: "failed", order: "asc", limit: 2 }
      )
      yield* showsPaid(txidOf(existing(failed).value), "2026-11-21T12:10:00Z")
      yield* bankThat(["confirms"])
      yield* story.advance("1 hour")
      yield* story.advance("1 minute")
      const deposits = yield* storage.list(
        {
          name: "deposit",
          table: "operation",
          read: ({ amount, version }) => ({ value: amount, version })
        },
        { account: story.shop.id, order: "asc", limit: 2 }
      )
      assert.deepStrictEqual(
        deposits.map(({ value }) => Number(value)),
        [1_000]
      )
      assert.strictEqual(yield* sumOf(story.shop.id, "suspense"), 0n)
      assert.strictEqual((yield* story.figures).total, 0)
    }).pipe(Effect.provide(world))
  )

  it.effect("is not looked at when it was paid: the money is there", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.pay(yield* story.charge())
      yield* noLooksLeft
      yield* TestClock.adjust(Duration.seconds(1))
      yield* story.advance("1 hour")
      yield* noLooksLeft
    }).pipe(Effect.provide(world))
  )
})
