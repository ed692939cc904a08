import { assert, describe, it } from "@effect/vitest"
import type { Journey, WithId } from "@pagora/testkit"
import { Effect } from "effect"
import { Charge, ChargeKind } from "../../src/charges/Charge.ts"
import { ChargeId } from "../../src/kernel/Ids.ts"
import { Storage } from "../../src/storage/Storage.ts"
import * as Kind from "../../src/units/Kind.ts"
import { block, operator } from "../blocks/BalanceBlocks.test-data.ts"
import { codeOf, world } from "../world/ServiceWorld.test-data.ts"
import {
  brl,
  decideReturn,
  openReturns,
  paidShop,
  reportedShop,
  statuses
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
