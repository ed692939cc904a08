import { assert, describe, it } from "@effect/vitest"
import type { Journey } from "@pagora/testkit"
import { Effect } from "effect"
import { done, PspOutcome } from "../../src/ports/Psp.ts"
import {
  askBlock,
  block,
  listed,
  operator,
  operatorBlocks,
  paid,
  returns
} from "../blocks/BalanceBlocks.test-data.ts"
import { retry, waiting } from "../reviews/Reviews.test-data.ts"
import { codeOf, pspThat, world } from "../world/ServiceWorld.test-data.ts"
import {
  brl,
  decideReturn,
  openReturns,
  paidShop,
  reportedShop,
  statuses,
  withPayer
} from "./Infractions.test-data.ts"

const approve = (id: string, amount?: number) =>
  operator("POST", `/balance-blocks/${id}/resolve`, {
    outcome: "approved",
    ...(amount === undefined ? {} : { amount })
  })

const blockOf = Effect.fnUntraced(function* (story: Journey) {
  const [one] = yield* listed(story)
  return one?.id ?? (yield* Effect.die(new Error("There is no block.")))
})

/** A payment of which everything was paid out, and reported, and given back: the return waits for a person. */
const emptyShop = Effect.gen(function* () {
  const shop = yield* paidShop
  const { endToEndId, sandbox, story } = shop
  yield* story.withdraw({ amount: shop.before.available / 100 })
  yield* sandbox.reportInfraction(endToEndId)
  yield* sandbox.returnPayment(endToEndId)
  yield* story.drain
  return shop
})

describe("an approval beside a return of the PSP", { timeout: 60_000 }, () => {
  it.effect("is refused while nobody has said who bears the return, and pays nothing after", () =>
    Effect.gen(function* () {
      const { endToEndId, story } = yield* emptyShop
      const id = yield* blockOf(story)
      yield* story.fund(20)
      const refused = yield* approve(id)
      assert.deepStrictEqual([refused.status, codeOf(refused)], [409, "PSP_RETURN_OPEN"])
      const [open] = yield* openReturns(story)
      assert.deepInclude(refused.json.details, { resource: "pspReturn", id: open?.id })
      const before = yield* story.figures
      assert.strictEqual((yield* decideReturn(story, "charged")).status, 200)
      assert.deepStrictEqual(yield* statuses(story), ["approved"])
      yield* story.advance("2 days")
      assert.strictEqual((yield* story.figures).total, before.total - 1_000)
      assert.deepStrictEqual(yield* returns(story), [])
      assert.strictEqual(yield* withPayer(endToEndId), 1_000)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is refused of a block that a person has opened, too, which then claims the rest", () =>
    Effect.gen(function* () {
      const { charge, endToEndId, sandbox, story } = yield* paidShop
      yield* sandbox.returnPayment(endToEndId, brl(4))
      yield* story.drain
      const { id } = yield* block(story, charge)
      assert.strictEqual((yield* approve(id)).status, 409)
      const before = yield* story.figures
      assert.strictEqual((yield* decideReturn(story, "charged")).status, 200)
      const [claiming] = yield* operatorBlocks(story)
      assert.deepInclude(claiming, { returnedAmount: 4, owedAmount: 6 })
      const tooLittle = yield* approve(id, 3)
      assert.deepStrictEqual([tooLittle.status, codeOf(tooLittle)], [400, "AMOUNT_NOT_BLOCKED"])
      assert.strictEqual((yield* approve(id)).status, 200)
      yield* story.advance("1 hour")
      assert.strictEqual(yield* withPayer(endToEndId), 1_000)
      assert.strictEqual((yield* story.figures).total, before.total - 1_000)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("that was not sent yet sends what is left, however much went back meanwhile", () =>
    Effect.gen(function* () {
      for (const part of [4, 10]) {
        const { before, endToEndId, sandbox, story } = yield* reportedShop
        yield* story.faults({ kind: "notNow", operation: "refund" })
        assert.strictEqual((yield* approve(yield* blockOf(story))).status, 200)
        yield* story.drain
        yield* sandbox.returnPayment(endToEndId, brl(part))
        yield* story.drain
        yield* story.faults()
        yield* story.advance("3 hours")
        assert.strictEqual(yield* withPayer(endToEndId), 1_000)
        assert.strictEqual((yield* story.figures).total, before.total - 1_000)
        const [only] = yield* operatorBlocks(story)
        assert.deepInclude(only, { status: "approved", returnedAmount: 10, owedAmount: 0 })
        const sent = (yield* returns(story)).map(({ amount, status }) => [status, amount])
        const rest = part === 10 ? [] : [["processing", 600n]]
        assert.deepStrictEqual(sent, [["failed", 1_000n], ...rest])
        assert.deepStrictEqual(yield* waiting(story), ["discrepancy infraction_reported"])
        yield* story.audit
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("that is under way is not sent again, and the return waits until it has ended", () =>
    Effect.gen(function* () {
      for (const outcome of ["charged", "absorbed"] as const) {
        const { before, endToEndId, sandbox, story } = yield* reportedShop
        const unheard = () => Effect.succeed(PspOutcome.unknown("The connection broke."))
        const real = yield* pspThat({ refund: unheard, findRefund: unheard })
        assert.strictEqual((yield* approve(yield* blockOf(story), 4)).status, 200)
        yield* story.drain
        yield* sandbox.returnPayment(endToEndId, brl(4))
        yield* story.drain
        const early = yield* decideReturn(story, outcome)
        assert.deepStrictEqual([early.status, codeOf(early)], [409, "PSP_RETURN_BESIDE_ANOTHER"])
        yield* pspThat({ findRefund: () => Effect.succeed(done(undefined)) })
        yield* story.advance("1 hour")
        yield* pspThat(real)
        yield* story.advance("2 hours")
        const [refused] = yield* returns(story)
        assert.include(yield* waiting(story), "chargeback_return refused")
        const again = yield* retry(refused?.id ?? "")
        assert.deepStrictEqual([again.status, codeOf(again)], [409, "RETURN_GIVEN_BACK"])
        assert.strictEqual((yield* decideReturn(story, outcome)).status, 200)
        yield* story.advance("2 days")
        assert.strictEqual(yield* withPayer(endToEndId), 400)
        const borne = outcome === "charged" ? 400 : 0
        assert.strictEqual((yield* story.figures).total, before.total - borne)
        assert.deepStrictEqual(yield* waiting(story), ["discrepancy infraction_reported"])
        yield* story.audit
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("that was done all the same leaves the return to a person", () =>
    Effect.gen(function* () {
      const { before, endToEndId, sandbox, story } = yield* reportedShop
      const unheard = () => Effect.succeed(PspOutcome.unknown("The connection broke."))
      const real = yield* pspThat({ findRefund: unheard })
      yield* pspThat({
        refund: (asked) => Effect.andThen(real.refund(asked), unheard())
      })
      assert.strictEqual((yield* approve(yield* blockOf(story), 4)).status, 200)
      yield* story.drain
      yield* sandbox.returnPayment(endToEndId, brl(4))
      yield* story.drain
      yield* pspThat(real)
      yield* story.advance("1 hour")
      assert.strictEqual((yield* returns(story))[0]?.status, "confirmed")
      assert.strictEqual((yield* decideReturn(story, "absorbed")).status, 200)
      assert.strictEqual(yield* withPayer(endToEndId), 800)
      assert.strictEqual((yield* story.figures).total, before.total - 400)
      assert.deepStrictEqual(yield* waiting(story), ["discrepancy infraction_reported"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("never pays twice, whichever of the two is first", () =>
    Effect.gen(function* () {
      for (let run = 0; run < 6; run++) {
        const { before, endToEndId, sandbox, story } = yield* reportedShop
        const id = yield* blockOf(story)
        yield* sandbox.returnPayment(endToEndId, brl(run % 2 === 0 ? 4 : 10))
        yield* Effect.all(run % 3 === 0 ? [story.drain, approve(id)] : [approve(id), story.drain], {
          concurrency: "unbounded"
        })
        yield* story.advance("3 hours")
        yield* approve(id)
        yield* story.advance("3 hours")
        assert.strictEqual(yield* withPayer(endToEndId), 1_000)
        const [open] = yield* openReturns(story)
        if (open !== undefined) yield* decideReturn(story, "charged")
        assert.strictEqual((yield* story.figures).total, before.total - 1_000)
        yield* story.audit
      }
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "collects nothing while a return waits for a person, and less once that is decided",
    () =>
      Effect.gen(function* () {
        for (const outcome of ["charged", "absorbed"] as const) {
          const { before, endToEndId, sandbox, story } = yield* paidShop
          yield* story.withdraw({ amount: before.available / 100 })
          yield* sandbox.reportInfraction(endToEndId)
          yield* story.drain
          assert.strictEqual((yield* approve(yield* blockOf(story))).status, 200)
          yield* sandbox.returnPayment(endToEndId, brl(4))
          yield* story.drain
          yield* story.fund(20)
          const { total } = yield* story.figures
          yield* story.advance("3 hours")
          assert.strictEqual((yield* story.figures).total, total)
          assert.strictEqual((yield* decideReturn(story, outcome)).status, 200)
          yield* story.advance("3 hours")
          assert.strictEqual(yield* withPayer(endToEndId), 1_000)
          const borne = outcome === "charged" ? 1_000 : 600
          assert.strictEqual((yield* story.figures).total, total - borne)
          yield* story.audit
        }
      }).pipe(Effect.provide(world))
  )
})

describe("two reports about one payment", () => {
  /** Two of them, over 4.00 and 6.00. */
  const twice = Effect.gen(function* () {
    const shop = yield* paidShop
    const { endToEndId, sandbox, story } = shop
    const first = yield* sandbox.reportInfraction(endToEndId, "One.", brl(4))
    yield* story.drain
    const second = yield* sandbox.reportInfraction(endToEndId, "Two.", brl(6))
    yield* story.drain
    return { ...shop, first, second }
  })

  /** What each block has borne, and still claims, the older one first. */
  const claims = (story: Journey) =>
    Effect.map(operatorBlocks(story), (blocks) =>
      blocks.toReversed().map(({ owedAmount, returnedAmount }) => [returnedAmount, owedAmount])
    )

  it.effect("bear what the PSP gives back one after the other, the older one first", () =>
    Effect.gen(function* () {
      const { before, endToEndId, sandbox, story } = yield* twice
      const expected = [
        [
          3,
          [
            [3, 1],
            [0, 6]
          ]
        ],
        [
          2,
          [
            [4, 0],
            [1, 5]
          ]
        ],
        [
          5,
          [
            [4, 0],
            [6, 0]
          ]
        ]
      ] as const
      for (const [part, after] of expected) {
        yield* sandbox.returnPayment(endToEndId, brl(part))
        yield* story.drain
        assert.deepStrictEqual<unknown>(yield* claims(story), after)
      }
      assert.deepStrictEqual(yield* statuses(story), ["approved", "approved"])
      assert.strictEqual((yield* story.figures).total, before.total - 1_000)
      assert.deepStrictEqual(yield* openReturns(story), [])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("bear first what was accepted", () =>
    Effect.gen(function* () {
      const { before, first, sandbox, second, story } = yield* twice
      yield* sandbox.decideInfraction(second.id, "accepted")
      yield* story.drain
      assert.deepStrictEqual(yield* claims(story), [
        [0, 4],
        [6, 0]
      ])
      yield* sandbox.decideInfraction(first.id, "rejected")
      yield* story.drain
      assert.deepStrictEqual(yield* statuses(story), ["approved", "rejected"])
      assert.strictEqual((yield* story.figures).available, before.available - 600)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("bear nothing yet while the PSP does not say which of them it has accepted", () =>
    Effect.gen(function* () {
      const { sandbox, second, story } = yield* twice
      const unheard = () => Effect.succeed(PspOutcome.unknown("The connection broke."))
      const real = yield* pspThat({ findInfraction: unheard })
      yield* sandbox.decideInfraction(second.id, "accepted")
      yield* story.advance("15 minutes")
      assert.deepStrictEqual(yield* claims(story), [
        [0, 4],
        [0, 6]
      ])
      yield* pspThat(real)
      yield* story.advance("30 minutes")
      assert.deepStrictEqual(yield* claims(story), [
        [0, 4],
        [6, 0]
      ])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("bear it in their order where the PSP does not say so for a day", () =>
    Effect.gen(function* () {
      const { sandbox, second, story } = yield* twice
      const unheard = () => Effect.succeed(PspOutcome.unknown("The connection broke."))
      yield* pspThat({ findInfraction: unheard })
      yield* sandbox.decideInfraction(second.id, "accepted")
      yield* story.advance("26 hours")
      assert.deepStrictEqual(yield* claims(story), [
        [4, 0],
        [2, 4]
      ])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("have that day from when the return shows, however long the payment is known", () =>
    Effect.gen(function* () {
      const { endToEndId, sandbox, second, story } = yield* twice
      yield* sandbox.returnPayment(endToEndId, brl(1))
      yield* story.advance("2 days")
      const unheard = () => Effect.succeed(PspOutcome.unknown("The connection broke."))
      yield* pspThat({ findInfraction: unheard })
      yield* sandbox.decideInfraction(second.id, "accepted")
      const undecided = [
        [1, 3],
        [0, 6]
      ]
      for (const time of ["15 minutes", "23 hours"] as const) {
        yield* story.advance(time)
        assert.deepStrictEqual<unknown>(yield* claims(story), undecided, time)
      }
      yield* story.advance("2 hours")
      assert.deepStrictEqual(yield* claims(story), [
        [4, 0],
        [3, 3]
      ])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("over all of it claim it as long as one of them is open", () =>
    Effect.gen(function* () {
      const { before, endToEndId, infraction, sandbox, story } = yield* reportedShop
      const second = yield* sandbox.reportInfraction(endToEndId, "Two.")
      yield* story.drain
      assert.strictEqual((yield* listed(story)).length, 1)
      yield* sandbox.decideInfraction(infraction.id, "rejected")
      yield* story.advance("15 minutes")
      assert.deepStrictEqual(yield* statuses(story), ["awaiting_response", "rejected"])
      assert.strictEqual((yield* story.figures).available, before.available - 1_000)
      yield* sandbox.decideInfraction(second.id, "cancelled")
      yield* story.advance("15 minutes")
      assert.deepStrictEqual(yield* story.figures, before)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("a return of the PSP that the operator bears", () => {
  it.effect("lowers what is claimed by as much, and the rest stays claimed", () =>
    Effect.gen(function* () {
      const { before, charge, endToEndId, infraction, sandbox, story } = yield* reportedShop
      yield* sandbox.decideInfraction(infraction.id, "cancelled")
      yield* story.drain
      yield* sandbox.returnPayment(endToEndId, brl(4))
      yield* story.drain
      assert.strictEqual((yield* askBlock(story, charge)).status, 201)
      assert.strictEqual((yield* decideReturn(story, "absorbed")).status, 200)
      assert.deepInclude((yield* operatorBlocks(story))[0], { owedAmount: 6, returnedAmount: 0 })
      assert.strictEqual((yield* story.figures).available, before.available - 600)
      const [open] = yield* listed(story)
      const tooMuch = yield* approve(open?.id ?? "", 7)
      assert.deepStrictEqual([tooMuch.status, codeOf(tooMuch)], [400, "AMOUNT_NOT_BLOCKED"])
      assert.strictEqual((yield* approve(open?.id ?? "")).status, 200)
      yield* story.advance("1 hour")
      assert.strictEqual(yield* withPayer(endToEndId), 1_000)
      assert.strictEqual((yield* story.figures).total, before.total - 600)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("a return of the PSP that nobody has reported", () => {
  it.effect("is not borne by what a balance block claims", () =>
    Effect.gen(function* () {
      const { endToEndId, sandbox, story } = yield* paidShop
      yield* sandbox.returnPayment(endToEndId, brl(4))
      yield* block(story, yield* paid(story))
      yield* story.drain
      const { available } = yield* story.figures
      yield* story.withdraw({ amount: (available - 399) / 100 })
      yield* story.drain
      const before = yield* story.figures
      const refused = yield* decideReturn(story, "charged")
      assert.strictEqual(refused.status, 409, refused.text)
      assert.strictEqual(codeOf(refused), "INSUFFICIENT_BALANCE")
      assert.deepStrictEqual(yield* story.figures, before)
      yield* story.fund(0.01)
      assert.strictEqual((yield* decideReturn(story, "charged")).status, 200)
      assert.strictEqual((yield* story.figures).available, 0)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
