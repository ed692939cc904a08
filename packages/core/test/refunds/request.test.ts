import { assert, describe, it } from "@effect/vitest"
import { journey, TestPagora } from "@pagora/testkit"
import type { Answer, Journey, WithId } from "@pagora/testkit"
import { Effect } from "effect"
import { ChargeId } from "../../src/kernel/Ids.ts"
import { Centavos } from "../../src/kernel/Money.ts"
import { ChargeKind } from "../../src/charges/Charge.ts"
import * as TxId from "../../src/kernel/TxId.ts"
import * as Kind from "../../src/units/Kind.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { Charge } from "../../src/charges/Charge.ts"
import { subAccountOf } from "../returns/Returns.test-data.ts"
import { codeOf, existing, random, world } from "../world/ServiceWorld.test-data.ts"
import { paid } from "./Refunds.test-data.ts"

const ask = (story: Journey, id: unknown, options: Parameters<Journey["shop"]["call"]>[2] = {}) =>
  story.shop.call("POST", `/transactions/${String(id)}/refund`, options)

const refusedAs = (answer: Answer<unknown>, status: number, code: string) => {
  assert.deepStrictEqual({ status: answer.status, code: codeOf(answer) }, { status, code })
}

/** Changes a charge behind the back of the service, as another slice does in its own commits. */
const mark = Effect.fnUntraced(function* (charge: WithId, fields: Partial<Charge>) {
  const storage = yield* Storage
  const found = yield* storage.find(ChargeKind, ChargeId.make(charge.id))
  if (found === undefined) return yield* Effect.die("no charge")
  const next = new Charge({ ...found.value, ...fields })
  yield* storage.commit({
    at: found.value.updatedAt,
    updates: [Kind.update(ChargeKind, found, next)]
  })
}, Effect.orDie)

describe("POST /transactions/{id}/refund", () => {
  it.effect("gives nothing back to who says anything that it does not know", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      const before = yield* story.figures
      const message =
        "A refund has no such field: it takes an amount and a reason, and without an amount gives back all that is left."
      const answer = yield* ask(story, charge.id, {
        body: { valor: 1, reason: "Produto com defeito", externalReference: "x" }
      })
      refusedAs(answer, 400, "VALIDATION_ERROR")
      assert.strictEqual(answer.json.message, `valor: ${message}`)
      assert.deepStrictEqual<unknown>(answer.json.details?.issues, [
        { field: "valor", message },
        { field: "externalReference", message }
      ])
      for (const field of ["Reason", "reason ", "__proto__", "value", "netAmount"])
        refusedAs(
          yield* ask(story, charge.id, { body: `{"${field}":"x"}` }),
          400,
          "VALIDATION_ERROR"
        )
      assert.deepStrictEqual(yield* story.figures, before)
      const whole = yield* ask(story, charge.id, { body: { reason: "Produto com defeito" } })
      assert.strictEqual(whole.status, 201)
    }).pipe(Effect.provide(world))
  )

  it.effect("answers 201 with the response of the specification, and holds amount and fee", () =>
    Effect.gen(function* () {
      const story = yield* journey({ fees: { refund: { fixed: Centavos.make(30n) } } })
      yield* story.adjust({ amount: 1, reason: "Saldo" })
      const charge = yield* paid(story)
      const answer = yield* ask(story, charge.id, { body: { reason: "Produto com defeito" } })
      assert.strictEqual(answer.status, 201)
      const { pspRefundTransactionId, ...rest } = answer.json
      assert.deepStrictEqual<unknown>(rest, {
        originalTransactionId: charge.id,
        pspProvider: "sandbox",
        status: "PENDING"
      })
      assert.match(pspRefundTransactionId, /^[0-9a-f]{32}$/)
      assert.deepStrictEqual(yield* story.figures, {
        available: 70,
        held: 1_030,
        promotional: 0,
        total: 1_100
      })
      // The payment itself stays what it was.
      assert.strictEqual((yield* story.transaction(charge.id)).status, "completed")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("takes no body, an empty one, and an empty reason", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      for (const options of [{}, { body: {} }, { body: { reason: "" } }]) {
        const charge = yield* paid(story)
        assert.strictEqual((yield* ask(story, charge.id, options)).status, 201)
      }
      assert.strictEqual((yield* story.figures).held, 3_000)
    }).pipe(Effect.provide(world))
  )

  it.effect("refuses a reason of more than 255 characters, or one that is no text", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      for (const reason of ["x".repeat(256), "😀".repeat(256), 7, null, {}]) {
        refusedAs(yield* ask(story, charge.id, { body: { reason } }), 400, "VALIDATION_ERROR")
      }
      refusedAs(yield* ask(story, charge.id, { body: null }), 400, "VALIDATION_ERROR")
      const answer = yield* ask(story, charge.id, { body: { reason: "😀".repeat(255) } })
      assert.strictEqual(answer.status, 201)
    }).pipe(Effect.provide(world))
  )

  it.effect("needs the permission REFUND:WRITE", () =>
    Effect.gen(function* () {
      const story = yield* journey({ permissions: ["PIX:WRITE", "TRANSACTION:READ"] })
      const charge = yield* paid(story)
      refusedAs(yield* ask(story, charge.id), 403, "PERMISSION_DENIED")
    }).pipe(Effect.provide(world))
  )

  it.effect("does not know an id that is none, is unknown, or is another tenant's", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const stranger = yield* journey()
      const theirs = yield* paid(stranger)
      const unlike = (answer: Answer<unknown>, id: string) => {
        refusedAs(answer, 404, "TRANSACTION_NOT_FOUND")
        const { timestamp: _, traceId: __, ...body } = JSON.parse(answer.text)
        return JSON.stringify(body).replaceAll(id, "ID")
      }
      const bodies = yield* Effect.forEach(
        [random.uuid, theirs.id, "pedido-1", "%00", theirs.id.slice(1)],
        (id) => Effect.map(ask(story, id), (answer) => unlike(answer, decodeURIComponent(id)))
      )
      assert.strictEqual(new Set(bodies.slice(0, 3)).size, 1)
      assert.strictEqual((yield* stranger.figures).available, 1_000)
      // Only the id names a payment here, in either case of its letters.
      const mine = yield* paid(story, { externalReference: "pedido-1" })
      refusedAs(yield* ask(story, "pedido-1"), 404, "TRANSACTION_NOT_FOUND")
      assert.strictEqual((yield* ask(story, mine.id.toUpperCase())).status, 201)
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "takes a sub-account's payment from the sub-account's wallet, and from there only",
    () =>
      Effect.gen(function* () {
        const story = yield* journey({ subAccountAccess: true })
        const headers = yield* subAccountOf(story.shop.id, "loja-1", {
          refund: { fixed: Centavos.make(10n) }
        })
        const created = yield* story.shop.call("POST", "/pix", { headers, body: { amount: 10 } })
        yield* story.pay(created.json)
        yield* story.adjust({ amount: 5, subAccount: "loja-1", reason: "Saldo" })
        const { id } = created.json
        refusedAs(yield* ask(story, id), 404, "TRANSACTION_NOT_FOUND")
        const answer = yield* ask(story, id, { headers })
        assert.strictEqual(answer.status, 201)
        const { balance } = (yield* story.shop.call("GET", "/account", { headers })).json
        assert.strictEqual(balance?.held?.amount, 1_010)
        assert.strictEqual((yield* story.figures).total, 0)
        yield* story.settleRefund(answer.json, "confirmed")
        const after = (yield* story.shop.call("GET", "/account", { headers })).json
        assert.strictEqual(after.balance?.total?.amount, 490)
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("of a split payment takes all of it from the wallet that owns the charge", () =>
    Effect.gen(function* () {
      const story = yield* journey({ subAccountAccess: true })
      const headers = yield* subAccountOf(story.shop.id, "loja-1")
      const charge = yield* paid(story, { split: [{ subAccount: "loja-1", amount: 4 }] })
      refusedAs(yield* ask(story, charge.id), 400, "INSUFFICIENT_BALANCE")
      yield* story.adjust({ amount: 4, reason: "Saldo" })
      const receipt = yield* story.refund(charge)
      yield* story.settleRefund(receipt, "confirmed")
      assert.strictEqual((yield* story.figures).total, 0)
      const { balance } = (yield* story.shop.call("GET", "/account", { headers })).json
      assert.strictEqual(balance?.total?.amount, 400)
      // Who got a part of the payment cannot send it back.
      const other = yield* paid(story, { split: [{ subAccount: "loja-1", amount: 10 }] })
      refusedAs(yield* ask(story, other.id, { headers }), 404, "TRANSACTION_NOT_FOUND")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("refuses what is not a completed payment", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const open = yield* story.charge()
      const expired = yield* story.charge()
      yield* story.expire(expired)
      const adjustment = yield* story.adjust({ amount: 50, reason: "Saldo" })
      yield* story.change({ policy: { blockCnpjPayers: true } })
      const blocked = yield* story.charge()
      yield* story.pay(blocked, { payerDocument: "11222333000181" })
      const refunded = yield* paid(story)
      const receipt = yield* story.refund(refunded)
      const refund = TxId.toUuid(TxId.TxId.make(receipt.pspRefundTransactionId))
      const ids = [open.id, expired.id, blocked.id, adjustment.json.id]
      for (const id of [...ids, "success" in refund ? refund.success : undefined]) {
        refusedAs(yield* ask(story, id), 400, "NOT_REFUNDABLE")
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("is for 90 days: at their end it still goes, after it does not", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const first = yield* paid(story)
      const second = yield* paid(story)
      yield* story.advance("90 days")
      assert.strictEqual((yield* ask(story, first.id)).status, 201)
      yield* story.advance("1 second")
      refusedAs(yield* ask(story, second.id), 400, "REFUND_WINDOW_EXPIRED")
    }).pipe(Effect.provide(world))
  )

  it.effect("gives a payment back once, and once more only after an error", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      const receipt = yield* story.refund(charge)
      const again = yield* ask(story, charge.id)
      refusedAs(again, 409, "ALREADY_REFUNDED")
      const { field, resource, value } = existing(again.json.details)
      assert.deepStrictEqual<unknown>(
        { field, resource, value },
        { field: "originalTransactionId", resource: "refund", value: charge.id }
      )
      yield* story.settleRefund(receipt, "error")
      const next = yield* story.refund(charge)
      assert.notStrictEqual(next.pspRefundTransactionId, receipt.pspRefundTransactionId)
      yield* story.settleRefund(next, "confirmed")
      refusedAs(yield* ask(story, charge.id), 409, "ALREADY_REFUNDED")
      assert.strictEqual((yield* story.figures).total, 0)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("waits for an open balance block, and refuses what one has sent back", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      yield* mark(charge, { openBlocks: 1 })
      const blocked = yield* ask(story, charge.id)
      refusedAs(blocked, 409, "REFUND_INFRACTION_OPEN")
      assert.strictEqual(blocked.json.details?.["value"], charge.id)
      yield* mark(charge, { openBlocks: 0, chargedBack: Centavos.make(1_000n) })
      refusedAs(yield* ask(story, charge.id), 409, "ALREADY_REFUNDED")
      const free = yield* paid(story)
      yield* mark(free, { openBlocks: 0 })
      assert.strictEqual((yield* ask(story, free.id)).status, 201)
    }).pipe(Effect.provide(world))
  )

  it.effect("refuses to go below zero, by the fee too, and changes nothing then", () =>
    Effect.gen(function* () {
      const story = yield* journey({ fees: { refund: { fixed: Centavos.make(1n) } } })
      const charge = yield* paid(story)
      refusedAs(yield* ask(story, charge.id), 400, "INSUFFICIENT_BALANCE")
      assert.deepStrictEqual(yield* story.figures, {
        available: 1_000,
        held: 0,
        promotional: 0,
        total: 1_000
      })
      yield* story.adjust({ amount: 0.01, reason: "Saldo" })
      assert.strictEqual((yield* ask(story, charge.id)).status, 201)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("refuses an account that is not approved", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      yield* story.change({ status: "suspended" })
      refusedAs(yield* ask(story, charge.id), 403, "ACCOUNT_NOT_ACTIVE")
    }).pipe(Effect.provide(world))
  )

  it.effect("answers one Idempotency-Key with the same bytes, and finds the refund by it", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      const headers = { "idempotency-key": "devolve-1" }
      const body = { reason: "Troca" }
      const answers = yield* Effect.all(
        Array.from({ length: 8 }, () => ask(story, charge.id, { headers, body })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [201])
      assert.strictEqual(new Set(answers.map(({ text }) => text)).size, 1)
      const receipt = existing(answers[0])
      yield* story.settleRefund(receipt.json, "confirmed")
      // What the first request was told stays what it was told.
      const later = yield* ask(story, charge.id, { headers, body })
      assert.strictEqual(later.text, receipt.text)
      assert.strictEqual(later.headers.get("idempotent-replayed"), "true")
      refusedAs(
        yield* ask(story, charge.id, { headers, body: { reason: "Outra" } }),
        422,
        "IDEMPOTENCY_KEY_REUSED"
      )
      const found = yield* story.transaction("devolve-1")
      assert.strictEqual(found.type, "refund")
      assert.strictEqual((yield* story.figures).total, 0)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("of 50 at once for one payment lets one through", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.adjust({ amount: 900, reason: "Saldo" })
      const charge = yield* paid(story)
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => ask(story, charge.id)),
        { concurrency: "unbounded" }
      )
      const accepted = answers.filter(({ status }) => status === 201)
      assert.strictEqual(accepted.length, 1)
      for (const answer of answers) {
        if (answer.status !== 201) refusedAs(answer, 409, "ALREADY_REFUNDED")
      }
      assert.strictEqual((yield* story.figures).held, 1_000)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("of 20 payments at once, paid by a balance for 7, lets 7 through", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charges = yield* Effect.replicateEffect(paid(story), 20)
      yield* story.adjust({ amount: -130, reason: "Saque" })
      const answers = yield* Effect.forEach(charges, ({ id }) => ask(story, id), {
        concurrency: "unbounded"
      })
      assert.strictEqual(answers.filter(({ status }) => status === 201).length, 7)
      for (const answer of answers) {
        if (answer.status !== 201) refusedAs(answer, 400, "INSUFFICIENT_BALANCE")
      }
      assert.deepStrictEqual(yield* story.figures, {
        available: 0,
        held: 7_000,
        promotional: 0,
        total: 7_000
      })
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is not known under other methods or without a token", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      const path = `/transactions/${charge.id}/refund` as const
      assert.strictEqual((yield* story.shop.call("GET", path)).status, 405)
      const { api } = yield* TestPagora
      assert.strictEqual((yield* api("POST", path)).status, 401)
    }).pipe(Effect.provide(world))
  )
})
