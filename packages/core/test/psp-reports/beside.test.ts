import { assert, describe, it } from "@effect/vitest"
import type { Journey, WithId } from "@pagora/testkit"
import { Effect } from "effect"
import { Charge, ChargeKind } from "../../src/charges/Charge.ts"
import { ChargeId } from "../../src/kernel/Ids.ts"
import { done, PspDirectory, PspOutcome } from "../../src/ports/Psp.ts"
import { Storage } from "../../src/storage/Storage.ts"
import * as Kind from "../../src/units/Kind.ts"
import { askBlock, block, operator } from "../blocks/BalanceBlocks.test-data.ts"
import { waiting } from "../reviews/Reviews.test-data.ts"
import { returnsOf } from "../returns/Returns.test-data.ts"
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

const askRefund = (story: Journey, { id }: WithId, amount?: number) =>
  story.shop.call("POST", `/transactions/${id}/refund`, {
    body: amount === undefined ? {} : { amount }
  })

describe("a refund of what the PSP has given back", () => {
  it.effect(
    "waits until a person has said who bears the return, and brings what that has left",
    () =>
      Effect.gen(function* () {
        for (const outcome of ["charged", "absorbed"] as const) {
          const { charge, endToEndId, sandbox, story } = yield* paidShop
          yield* sandbox.returnPayment(endToEndId, brl(4))
          yield* story.drain
          for (const amount of [undefined, 6]) {
            const early = yield* askRefund(story, charge, amount)
            assert.deepStrictEqual([early.status, codeOf(early)], [409, "REFUND_INFRACTION_OPEN"])
          }
          assert.strictEqual((yield* decideReturn(story, outcome)).status, 200)
          const refund = yield* askRefund(story, charge)
          assert.deepStrictEqual([refund.status, refund.json.amount], [201, 6])
          yield* story.audit
        }
      }).pipe(Effect.provide(world))
  )

  it.effect("is refused after the operator has borne the return", () =>
    Effect.gen(function* () {
      const { before, charge, endToEndId, sandbox, story } = yield* paidShop
      yield* story.withdraw({ amount: before.available / 100 })
      yield* sandbox.reportInfraction(endToEndId)
      yield* sandbox.returnPayment(endToEndId)
      yield* story.drain
      assert.strictEqual((yield* decideReturn(story, "absorbed")).status, 200)
      yield* story.fund(20)
      assert.strictEqual(codeOf(yield* askRefund(story, charge)), "ALREADY_REFUNDED")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("finds nothing where the operator bore a part, and a block has brought the rest", () =>
    Effect.gen(function* () {
      const { charge, endToEndId, sandbox, story } = yield* paidShop
      yield* sandbox.returnPayment(endToEndId, brl(4))
      yield* story.drain
      const { id } = yield* block(story, charge)
      assert.strictEqual((yield* decideReturn(story, "absorbed")).status, 200)
      const approved = yield* operator("POST", `/balance-blocks/${id}/resolve`, {
        outcome: "approved"
      })
      assert.strictEqual(approved.status, 200)
      yield* story.advance("1 hour")
      yield* story.fund(20)
      assert.strictEqual(codeOf(yield* askRefund(story, charge)), "ALREADY_REFUNDED")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

/** The refunds of a shop, the oldest first: how each is, and over how much. */
const refunds = ({ shop }: Journey) =>
  Effect.map(returnsOf(shop.id), (all) => all.map(({ amount, status }) => [status, amount]))

/** A payment of which a part is to be refunded, which the bank was not told of; then it gave 4.00 back by itself. */
const besideRefund = Effect.fnUntraced(function* (asked?: number) {
  const shop = yield* paidShop
  const { charge, endToEndId, sandbox, story } = shop
  yield* story.faults({ kind: "notNow", operation: "refund" })
  const refund = yield* story.refund(charge, asked === undefined ? {} : { amount: asked })
  yield* story.drain
  yield* sandbox.returnPayment(endToEndId, brl(4))
  yield* story.drain
  yield* story.faults()
  yield* story.advance("2 days")
  assert.strictEqual(yield* withPayer(endToEndId), 400)
  yield* story.audit
  return { ...shop, refund }
})

describe("a payment of which a court claims what the PSP has given back", () => {
  it.effect("has so much less left once that claim comes to nothing", () =>
    Effect.gen(function* () {
      for (const approved of [undefined, 3]) {
        const { charge, endToEndId, sandbox, story } = yield* paidShop
        const claim = yield* block(story, charge, { blockType: "judicial", amount: 8 })
        yield* sandbox.returnPayment(endToEndId, brl(4))
        yield* story.drain
        assert.strictEqual((yield* decideReturn(story, "absorbed")).status, 200)
        const more = yield* askBlock(story, charge, { blockType: "judicial" })
        assert.deepStrictEqual([more.status, codeOf(more)], [400, "AMOUNT_NOT_BLOCKABLE"])
        const resolution =
          approved === undefined
            ? { outcome: "rejected" }
            : { outcome: "approved", amount: approved }
        const ended = yield* operator("POST", `/balance-blocks/${claim.id}/resolve`, resolution)
        assert.strictEqual(ended.status, 200, ended.text)
        yield* story.advance("1 hour")
        const refund = yield* askRefund(story, charge)
        assert.deepStrictEqual([refund.status, refund.json.amount], [201, 6 - (approved ?? 0)])
        yield* story.advance("1 hour")
        assert.strictEqual(yield* withPayer(endToEndId), 1_000)
        yield* story.audit
      }
    }).pipe(Effect.provide(world))
  )
})

describe("a refund that was accepted before the PSP gave money back, and not sent yet", () => {
  it.effect("is sent once a person has said who bears the return, where as much is left", () =>
    Effect.gen(function* () {
      for (const outcome of ["charged", "absorbed"] as const) {
        const { before, charge, endToEndId, refund, story } = yield* besideRefund(6)
        assert.deepStrictEqual(yield* refunds(story), [["requested", 600n]])
        yield* story.fund(10)
        assert.strictEqual((yield* decideReturn(story, outcome)).status, 200)
        yield* story.advance("1 hour")
        yield* story.settleRefund(refund, "confirmed")
        assert.deepStrictEqual(yield* refunds(story), [["confirmed", 600n]])
        assert.strictEqual(yield* withPayer(endToEndId), 1_000)
        const borne = outcome === "charged" ? 400 : 0
        assert.strictEqual((yield* story.figures).total, before.total + 1_000 - 600 - borne)
        assert.strictEqual(codeOf(yield* askRefund(story, charge)), "ALREADY_REFUNDED")
        assert.deepStrictEqual(yield* waiting(story), [])
        yield* story.audit
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("fails where less is left, what it held is free again, and the rest can go back", () =>
    Effect.gen(function* () {
      for (const [asked, outcome] of [
        [undefined, "charged"],
        [undefined, "absorbed"],
        [7, "charged"],
        [7, "absorbed"]
      ] as const) {
        const { before, charge, endToEndId, story } = yield* besideRefund(asked)
        assert.strictEqual((yield* decideReturn(story, outcome)).status, 200)
        yield* story.advance("1 hour")
        const amount = BigInt((asked ?? 10) * 100)
        assert.deepStrictEqual(yield* refunds(story), [["failed", amount]])
        const borne = outcome === "charged" ? 400 : 0
        const { available, held } = yield* story.figures
        assert.deepStrictEqual([available, held], [before.available - borne, 0])
        const rest = yield* askRefund(story, charge)
        assert.deepStrictEqual([rest.status, rest.json.amount], [201, 6])
        yield* story.advance("1 hour")
        assert.strictEqual(yield* withPayer(endToEndId), 1_000)
        yield* story.audit
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("stands in no line of its own: what decides it is the return of the PSP", () =>
    Effect.gen(function* () {
      const decision = ["psp_return returned_by_psp"]
      const { charge, endToEndId, sandbox, story } = yield* paidShop
      yield* story.faults({ kind: "notNow", operation: "refund" })
      yield* story.refund(charge, { amount: 6 })
      yield* story.advance("61 minutes")
      yield* story.advance("1 day")
      assert.deepStrictEqual(yield* waiting(story), ["refund unanswered"])
      yield* sandbox.returnPayment(endToEndId, brl(4))
      yield* story.advance("61 minutes")
      assert.deepStrictEqual(yield* waiting(story), decision)
      // Nor where its PSP is not configured for a while.
      const directory = yield* PspDirectory
      const { find } = directory
      Object.assign(directory, { find: () => undefined })
      yield* story.advance("2 days")
      assert.deepStrictEqual(yield* waiting(story), decision)
      Object.assign(directory, { find })
      yield* story.advance("1 day")
      assert.deepStrictEqual(yield* waiting(story), decision)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("has a day again to come to its end, once it goes on", () =>
    Effect.gen(function* () {
      const { story } = yield* besideRefund(6)
      yield* story.advance("2 days")
      yield* story.faults({ kind: "notNow", operation: "refund" })
      assert.strictEqual((yield* decideReturn(story, "absorbed")).status, 200)
      yield* story.advance("61 minutes")
      yield* story.advance("21 hours")
      assert.deepStrictEqual(yield* waiting(story), [])
      yield* story.advance("3 hours")
      assert.deepStrictEqual(yield* waiting(story), ["refund unanswered"])
      yield* story.faults()
      yield* story.advance("1 hour")
      assert.deepStrictEqual(yield* refunds(story), [["processing", 600n]])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("waits until all returns were decided, and those that are covered go out", () =>
    Effect.gen(function* () {
      const { charge, endToEndId, sandbox, story } = yield* paidShop
      yield* story.faults({ kind: "notNow", operation: "refund" })
      for (const part of [5, 3, 2])
        assert.strictEqual((yield* askRefund(story, charge, part)).status, 201)
      yield* story.drain
      for (const part of [6, 1]) {
        yield* sandbox.returnPayment(endToEndId, brl(part))
        yield* story.drain
      }
      yield* story.faults()
      assert.strictEqual((yield* decideReturn(story, "absorbed")).status, 200)
      yield* story.advance("3 hours")
      assert.strictEqual(yield* withPayer(endToEndId), 700)
      assert.strictEqual((yield* decideReturn(story, "absorbed")).status, 200)
      yield* story.advance("3 hours")
      assert.deepStrictEqual(yield* refunds(story), [
        ["failed", 500n],
        ["processing", 300n],
        ["failed", 200n]
      ])
      assert.strictEqual(yield* withPayer(endToEndId), 1_000)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("a refund that may be on its way when the PSP gives money back", () => {
  it.effect("is asked for and not sent again, and has to end before the return is decided", () =>
    Effect.gen(function* () {
      for (const isDone of [true, false]) {
        const { charge, endToEndId, sandbox, story } = yield* paidShop
        const unheard = () => Effect.succeed(PspOutcome.unknown("The connection broke."))
        const real = yield* pspThat({ findRefund: unheard })
        yield* pspThat({
          refund: (asked) => (isDone ? Effect.andThen(real.refund(asked), unheard()) : unheard())
        })
        const refund = yield* story.refund(charge, { amount: 6 })
        yield* story.drain
        yield* sandbox.returnPayment(endToEndId, brl(4))
        yield* story.drain
        const early = yield* decideReturn(story, "absorbed")
        assert.deepStrictEqual([early.status, codeOf(early)], [409, "PSP_RETURN_BESIDE_ANOTHER"])
        if (!isDone) yield* pspThat({ findRefund: () => Effect.succeed(done(undefined)) })
        else yield* pspThat(real)
        yield* story.advance("1 hour")
        yield* pspThat(real)
        yield* story.advance("2 hours")
        assert.strictEqual(yield* withPayer(endToEndId), isDone ? 1_000 : 400)
        if (isDone) yield* story.settleRefund(refund, "confirmed")
        yield* story.audit
        assert.strictEqual((yield* decideReturn(story, "absorbed")).status, 200)
        yield* story.advance("1 hour")
        assert.deepStrictEqual(yield* refunds(story), [[isDone ? "confirmed" : "processing", 600n]])
        assert.strictEqual(yield* withPayer(endToEndId), 1_000)
        yield* story.audit
      }
    }).pipe(Effect.provide(world))
  )
})

describe("a report that ends while a return on its payment waits for a person", () => {
  it.effect("ends its block after that was decided, whether it was accepted or rejected", () =>
    Effect.gen(function* () {
      for (const status of ["accepted", "rejected"] as const) {
        const { before, endToEndId, sandbox, story } = yield* paidShop
        const { id } = yield* sandbox.reportInfraction(endToEndId, "Golpe do Pix.", brl(5))
        yield* story.drain
        for (const part of [3, 6]) {
          yield* sandbox.returnPayment(endToEndId, brl(part))
          yield* story.drain
        }
        yield* sandbox.decideInfraction(id, status)
        yield* story.advance("25 hours")
        assert.deepStrictEqual(yield* statuses(story), ["awaiting_response"])
        assert.strictEqual((yield* story.figures).available, before.available - 500)
        assert.strictEqual((yield* decideReturn(story, "absorbed")).status, 200)
        yield* story.advance("15 minutes")
        assert.deepStrictEqual(yield* statuses(story), ["approved"])
        // The bank gives back what is left of the payment as it accepts the report.
        const borne = status === "accepted" ? 400 : 300
        assert.strictEqual((yield* story.figures).available, before.available - borne)
        yield* story.audit
      }
    }).pipe(Effect.provide(world))
  )
})

describe("a return on a payment whose row does not name its blocks", () => {
  it.effect("is borne by the block that a version before has opened", () =>
    Effect.gen(function* () {
      const { before, charge, endToEndId, sandbox, story } = yield* reportedShop
      const storage = yield* Storage
      const row = yield* storage.find(ChargeKind, ChargeId.make(charge.id))
      if (row === undefined) return yield* Effect.die("no charge")
      const { claims: _, ...without } = row.value
      const updates = [Kind.update(ChargeKind, row, new Charge(without))]
      yield* storage.commit({ at: row.value.updatedAt, updates })
      for (const [part, status] of [
        [4, "awaiting_response"],
        [6, "approved"]
      ] as const) {
        yield* sandbox.returnPayment(endToEndId, brl(part))
        yield* story.drain
        assert.deepStrictEqual(yield* statuses(story), [status])
      }
      assert.deepStrictEqual(yield* openReturns(story), [])
      assert.strictEqual((yield* story.figures).total, before.total - 1_000)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
