import { assert, describe, it } from "@effect/vitest"
import { journey } from "@pagora/testkit"
import type { Answer, Journey, RefundReceipt, WithId } from "@pagora/testkit"
import { Effect } from "effect"
import * as TxId from "../../src/kernel/TxId.ts"
import { returnsOf, subAccountOf, sumOf } from "../returns/Returns.test-data.ts"
import { codeOf, world } from "../world/ServiceWorld.test-data.ts"
import { paid } from "./Refunds.test-data.ts"

type Asking = Parameters<Journey["shop"]["call"]>[2]

const ask = (story: Journey, { id }: WithId, options: Asking = {}) =>
  story.shop.call("POST", `/transactions/${id}/refund`, options)

const part = (story: Journey, charge: WithId, amount: number) =>
  ask(story, charge, { body: { amount } })

const refusedAs = (answer: Answer<unknown>, status: number, code: string, available?: number) =>
  assert.deepStrictEqual<unknown>(
    [answer.status, codeOf(answer), answer.json.details?.["available"]],
    [status, code, available]
  )

const idOf = (receipt: RefundReceipt): string => {
  const id = TxId.toUuid(TxId.TxId.make(receipt.pspRefundTransactionId))
  return "success" in id ? id.success : "?"
}

/** What the payment shows: what goes back of it, and what is left. */
const shown = (story: Journey, { id }: WithId) =>
  Effect.map(story.transaction(id), ({ refundableAmount, refundedAmount, status, type }) => {
    assert.deepStrictEqual([type, status], ["payment", "completed"])
    return [refundedAmount, refundableAmount]
  })

describe("a payment that goes back in parts", () => {
  it.effect("gives what it is asked for, then all that is left, then nothing more", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint({ events: ["refund_completed"] })
      const charge = yield* paid(story, { externalReference: "pedido-7" })
      const first = yield* story.refund(charge, { amount: 3, reason: "Um item" })
      const { pspRefundTransactionId, ...receipt } = first
      assert.match(pspRefundTransactionId, /^[0-9a-f]{32}$/)
      assert.deepStrictEqual<unknown>(receipt, {
        originalTransactionId: charge.id,
        pspProvider: "sandbox",
        amount: 3,
        status: "PENDING"
      })
      assert.deepStrictEqual(yield* shown(story, charge), [3, 7])
      assert.strictEqual((yield* story.figures).held, 300)
      yield* story.settleRefund(first, "confirmed")
      const second = yield* story.refund(charge, { amount: 2.5 })
      const last = yield* story.refund(charge)
      assert.strictEqual(last.amount, 4.5)
      assert.deepStrictEqual(yield* shown(story, charge), [10, 0])
      refusedAs(yield* ask(story, charge), 409, "ALREADY_REFUNDED")
      refusedAs(yield* part(story, charge, 0.01), 409, "ALREADY_REFUNDED")
      yield* story.settleRefund(last, "confirmed")
      yield* story.settleRefund(second, "confirmed")
      yield* story.drain
      const told = (yield* story.events()).map(({ data, eventId }) => [
        eventId,
        data["amount"],
        data["netAmount"],
        data["originalTransactionId"],
        data["externalReference"]
      ])
      assert.sameDeepMembers(told, [
        [idOf(first), 3, 3, charge.id, "pedido-7"],
        [idOf(second), 2.5, 2.5, charge.id, "pedido-7"],
        [idOf(last), 4.5, 4.5, charge.id, "pedido-7"]
      ])
      const { data } = (yield* story.shop.call("GET", "/transactions?type=refund")).json
      assert.sameMembers(
        data.map(({ amount }) => amount),
        [4.5, 2.5, 3]
      )
      assert.strictEqual((yield* story.figures).total, 0)
      assert.strictEqual(yield* sumOf(story.shop.id, "psp_clearing"), 0n)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is refused more than is left, and told how much that is", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      yield* story.adjust({ amount: 100, reason: "Saldo" })
      refusedAs(yield* part(story, charge, 10.01), 400, "AMOUNT_NOT_REFUNDABLE", 10)
      yield* story.refund(charge, { amount: 6.5 })
      const before = yield* story.figures
      const more = yield* part(story, charge, 3.51)
      refusedAs(more, 400, "AMOUNT_NOT_REFUNDABLE", 3.5)
      assert.strictEqual(
        more.json.message,
        "amount: 3.50 BRL of this payment can still be refunded."
      )
      assert.deepStrictEqual(yield* story.figures, before)
      yield* story.refund(charge, { amount: 3.5 })
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("takes an amount of at least a centavo, in whole centavos", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      for (const amount of ["0", "-1", "0.001", "1.005", '"1"', "null", "{}", "[1]", "true"])
        refusedAs(
          yield* ask(story, charge, { body: `{"amount":${amount}}` }),
          400,
          "VALIDATION_ERROR"
        )
      assert.strictEqual((yield* story.figures).held, 0)
      yield* story.refund(charge, { amount: 0.01 })
      assert.strictEqual((yield* story.figures).held, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("is a refund like any other where the amount is the whole payment", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const [told, untold] = [yield* paid(story), yield* paid(story)]
      const said = yield* part(story, told, 10)
      const unsaid = yield* ask(story, untold)
      const words = ["originalTransactionId", "pspProvider", "pspRefundTransactionId", "status"]
      assert.sameMembers(Object.keys(unsaid.json), words)
      assert.sameMembers(Object.keys(said.json), [...words, "amount"])
      for (const charge of [told, untold]) {
        assert.deepStrictEqual(yield* shown(story, charge), [undefined, undefined])
        refusedAs(yield* part(story, charge, 1), 409, "ALREADY_REFUNDED")
      }
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("has what failed of it again, and what is not known counts as gone", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      const open = yield* story.refund(charge, { amount: 2 })
      const failing = yield* story.refund(charge, { amount: 5 })
      const good = yield* story.refund(charge, { amount: 1 })
      yield* story.settleRefund(failing, "error")
      assert.deepStrictEqual(yield* shown(story, charge), [3, 7])
      // The others go on, whatever becomes of one.
      yield* story.settleRefund(good, "confirmed")
      refusedAs(yield* part(story, charge, 7.01), 400, "AMOUNT_NOT_REFUNDABLE", 7)
      const rest = yield* story.refund(charge)
      assert.strictEqual(rest.amount, 7)
      yield* story.settleRefund(rest, "confirmed")
      assert.strictEqual((yield* story.figures).held, 200)
      refusedAs(yield* ask(story, charge), 409, "ALREADY_REFUNDED")
      yield* story.settleRefund(open, "error")
      assert.deepStrictEqual(yield* shown(story, charge), [8, 2])
      const again = yield* story.refund(charge)
      yield* story.settleRefund(again, "confirmed")
      assert.strictEqual((yield* story.figures).total, 0)
      assert.strictEqual(yield* sumOf(story.shop.id, "psp_clearing"), 0n)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "can go back in parts after its whole refund has failed, and whole after all parts",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        const charge = yield* paid(story)
        yield* story.settleRefund(yield* story.refund(charge), "error")
        yield* story.settleRefund(yield* story.refund(charge, { amount: 4 }), "error")
        assert.deepStrictEqual(yield* shown(story, charge), [0, 10])
        const whole = yield* story.refund(charge)
        assert.isUndefined(whole.amount)
        assert.deepStrictEqual(yield* shown(story, charge), [10, 0])
        refusedAs(yield* part(story, charge, 1), 409, "ALREADY_REFUNDED")
        yield* story.settleRefund(whole, "confirmed")
        assert.strictEqual((yield* story.figures).total, 0)
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("pays the fee of a refund for each part, by its amount", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.change({ fees: { refund: { fixed: 0.1, percent: 1 } } })
      const charge = yield* paid(story)
      yield* story.adjust({ amount: 1, reason: "Saldo" })
      yield* story.endpoint({ events: ["refund_completed"] })
      for (const amount of [2, 8]) {
        const receipt = yield* story.refund(charge, { amount })
        yield* story.settleRefund(receipt, "confirmed")
      }
      yield* story.drain
      const fees = (yield* story.events()).map(({ data }) => data["feeAmount"])
      assert.sameMembers(fees, [0.12, 0.18])
      assert.strictEqual((yield* story.figures).total, 70)
      assert.strictEqual(yield* sumOf(story.shop.id, "fee_revenue"), 30n)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("takes each part from the wallet that owns the charge, and nothing of its legs", () =>
    Effect.gen(function* () {
      const story = yield* journey({ subAccountAccess: true })
      const headers = yield* subAccountOf(story.shop.id, "loja-1")
      const charge = yield* paid(story, { split: [{ subAccount: "loja-1", amount: 4 }] })
      refusedAs(yield* part(story, charge, 6.01), 400, "INSUFFICIENT_BALANCE")
      yield* story.settleRefund(yield* story.refund(charge, { amount: 6 }), "confirmed")
      refusedAs(yield* ask(story, charge), 400, "INSUFFICIENT_BALANCE")
      yield* story.adjust({ amount: 4, reason: "Saldo" })
      yield* story.settleRefund(yield* story.refund(charge), "confirmed")
      assert.strictEqual((yield* story.figures).total, 0)
      const { balance } = (yield* story.shop.call("GET", "/account", { headers })).json
      assert.strictEqual(balance?.total?.amount, 400)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("has 90 days for the last part, too", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      yield* story.settleRefund(yield* story.refund(charge, { amount: 1 }), "confirmed")
      yield* story.advance("90 days")
      assert.strictEqual((yield* part(story, charge, 1)).status, 201)
      yield* story.advance("1 second")
      refusedAs(yield* part(story, charge, 1), 400, "REFUND_WINDOW_EXPIRED")
    }).pipe(Effect.provide(world))
  )
})

describe("parts at once", () => {
  it.effect("of 50 of 0.30 each on a payment of 10.00 are 33, whatever the wallet has", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.adjust({ amount: 900, reason: "Saldo" })
      const charge = yield* paid(story)
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => part(story, charge, 0.3)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ status }) => status === 201).length, 33)
      for (const answer of answers)
        if (answer.status !== 201) refusedAs(answer, 400, "AMOUNT_NOT_REFUNDABLE", 0.1)
      assert.strictEqual((yield* story.figures).held, 990)
      assert.deepStrictEqual(yield* shown(story, charge), [9.9, 0.1])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("with one Idempotency-Key are one part, and its amount is part of the request", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      const headers = { "idempotency-key": "devolve-parte" }
      const answers = yield* Effect.all(
        Array.from({ length: 8 }, () => ask(story, charge, { headers, body: '{"amount":4.00}' })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [201])
      assert.strictEqual(new Set(answers.map(({ text }) => text)).size, 1)
      assert.strictEqual(answers[0]?.json.amount, 4)
      const inCapitals = { ...charge, id: charge.id.toUpperCase() }
      const again = yield* ask(story, inCapitals, { headers, body: '{"amount":4.00}' })
      assert.strictEqual(again.text, answers[0]?.text)
      refusedAs(
        yield* ask(story, charge, { headers, body: { amount: 5 } }),
        422,
        "IDEMPOTENCY_KEY_REUSED"
      )
      refusedAs(yield* ask(story, charge, { headers }), 422, "IDEMPOTENCY_KEY_REUSED")
      assert.strictEqual((yield* story.figures).held, 400)
      // Without a key it is another part.
      yield* story.refund(charge, { amount: 4 })
      assert.strictEqual((yield* returnsOf(story.shop.id)).length, 2)
      assert.strictEqual((yield* story.figures).held, 800)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("that end at once, some of them badly, are counted one by one", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      const receipts = yield* Effect.replicateEffect(story.refund(charge, { amount: 1 }), 10)
      yield* Effect.forEach(
        receipts,
        (receipt, index) => story.settleRefund(receipt, index % 2 === 0 ? "error" : "confirmed"),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(yield* shown(story, charge), [5, 5])
      assert.strictEqual((yield* story.figures).total, 500)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
