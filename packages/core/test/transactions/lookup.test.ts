import { assert, describe, it } from "@effect/vitest"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import { isUuid } from "../../src/kernel/Ids.ts"
import { codeOf, random, world } from "../world/ServiceWorld.test-data.ts"

const fieldsOf = (transaction: object) => Object.keys(transaction).toSorted()

/** What everybody sees of every transaction. */
const always = [
  "amount",
  "createdAt",
  "currency",
  "id",
  "paymentMethod",
  "status",
  "type",
  "updatedAt"
]
const given = ["customerId", "description", "externalReference", "metadata"]
const paid = ["counterpartDocument", "counterpartName", "e2eId", "paidAt"]

const full = {
  amount: 10,
  description: "Pedido",
  externalReference: "pedido-1",
  customer: { name: "Ana" },
  metadata: { a: 1 }
}

describe("GET /transactions/{id}, fields by state", () => {
  it.effect("pending: the code and its end, and nothing of a payment", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge(full)
      const found = yield* story.transaction(charge.id)
      assert.deepStrictEqual(
        fieldsOf(found),
        [...always, ...given, "expiresAt", "pixCopyPaste"].toSorted()
      )
      assert.strictEqual(found.status, "pending")
      assert.strictEqual(found.type, "payment")
      assert.strictEqual(found.paymentMethod, "pix")
      assert.strictEqual(found.currency, "BRL")
      assert.strictEqual(found.amount, 10)
      assert.strictEqual(found.pixCopyPaste, charge.pixCopyPaste)
      assert.strictEqual(found.expiresAt, charge.expiresAt)
      assert.strictEqual(found.createdAt, charge.createdAt)
    }).pipe(Effect.provide(world))
  )

  it.effect("pending, of an amount only: no optional field, not even as null", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const found = yield* story.transaction((yield* story.charge()).id)
      assert.deepStrictEqual(fieldsOf(found), [...always, "expiresAt", "pixCopyPaste"].toSorted())
      assert.notInclude(JSON.stringify(found), "null")
    }).pipe(Effect.provide(world))
  )

  it.effect("completed: who paid and when, and no code any more", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge(full)
      const payment = { payerName: "João Lima", payerDocument: "111.444.777-35" }
      const answer = yield* story.pay(charge, payment)
      const found = yield* story.transaction(charge.id)
      assert.deepStrictEqual(fieldsOf(found), [...always, ...given, ...paid].toSorted())
      assert.strictEqual(found.status, "completed")
      assert.strictEqual(found.counterpartName, "João Lima")
      assert.strictEqual(found.counterpartDocument, "11144477735")
      const [told] = answer.payments
      assert.strictEqual(found.e2eId, told?.endToEndId)
      assert.strictEqual(found.paidAt, told?.paidAt)
    }).pipe(Effect.provide(world))
  )

  it.effect("expired: reads cancelled, without a code and without a reason of failure", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge(full)
      yield* story.expire(charge)
      const found = yield* story.transaction(charge.id)
      assert.deepStrictEqual(fieldsOf(found), [...always, ...given].toSorted())
      assert.strictEqual(found.status, "cancelled")
    }).pipe(Effect.provide(world))
  )

  it.effect("failed by the payer's document: the blocked deposit and its way back", () =>
    Effect.gen(function* () {
      const story = yield* journey({ policy: { blockCnpjPayers: true } })
      const charge = yield* story.charge(full)
      yield* story.pay(charge, { payerDocument: "11222333000181" })
      const found = yield* story.transaction(charge.id)
      assert.deepStrictEqual(
        fieldsOf(found),
        [...always, ...given, ...paid, "blockedDeposit", "failureReason"].toSorted()
      )
      assert.strictEqual(found.status, "failed")
      assert.strictEqual(found.counterpartDocument, "11222333000181")
      assert.deepStrictEqual(found.blockedDeposit, {
        reason: "payer_cnpj_not_allowed",
        refund: { status: "pending", e2eId: null, settledAt: null }
      })
    }).pipe(Effect.provide(world))
  )

  it.effect("a payment that was not asked for: a failed transaction of its own", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const charge = yield* story.charge(full)
      yield* story.pay(charge, { amount: 9.99 })
      yield* story.drain
      const [event] = yield* story.events()
      const id = String(event?.data?.transactionId)
      assert.notStrictEqual(id, charge.id)
      const found = yield* story.transaction(id)
      assert.deepStrictEqual(
        fieldsOf(found),
        [...always, ...paid, "blockedDeposit", "failureReason"].toSorted()
      )
      assert.strictEqual(found.status, "failed")
      assert.strictEqual(found.type, "payment")
      assert.strictEqual(found.amount, 9.99)
      assert.strictEqual(found.blockedDeposit?.reason, "amount_mismatch")
    }).pipe(Effect.provide(world))
  )

  it.effect("an adjustment: completed, with its reason, below zero where it took money", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      for (const amount of [25.5, -0.5]) {
        const made = (yield* story.adjust({ amount, reason: "correction" })).json
        const found = yield* story.transaction(made.id)
        assert.strictEqual(found.type, "adjustment")
        assert.strictEqual(found.status, "completed")
        assert.strictEqual(found.amount, amount)
        assert.strictEqual(found.description, "correction")
        assert.strictEqual(found.createdAt, "2026-11-21T12:00:00.000Z")
      }
    }).pipe(Effect.provide(world))
  )
})

describe("GET /transactions/{id}, by which name", () => {
  it.effect("the id in capital letters finds it too", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      const found = yield* story.transaction(charge.id.toUpperCase())
      assert.strictEqual(found.id, charge.id)
    }).pipe(Effect.provide(world))
  )

  it.effect("of two with one externalReference the newest", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const first = yield* story.charge({ externalReference: "pedido" })
      const second = yield* story.charge({ externalReference: "pedido" })
      assert.strictEqual((yield* story.transaction("pedido")).id, second.id)
      yield* story.pay(first)
      assert.strictEqual((yield* story.transaction("pedido")).id, second.id)
    }).pipe(Effect.provide(world))
  )

  it.effect("the id comes before an externalReference that looks like it", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const first = yield* story.charge()
      const second = yield* story.charge({ externalReference: first.id })
      const found = yield* story.transaction(first.id)
      assert.strictEqual(found.id, first.id)
      assert.notStrictEqual(found.id, second.id)
    }).pipe(Effect.provide(world))
  )

  it.effect("an externalReference counts to the character", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.charge({ externalReference: "Pedido-1" })
      for (const name of [
        "pedido-1",
        "Pedido-1 ",
        "Pedido-",
        "Pedido-11",
        "Pedido%1",
        "Pedido_1"
      ]) {
        const answer = yield* story.shop.call("GET", `/transactions/${encodeURIComponent(name)}`)
        assert.strictEqual(answer.status, 404, name)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect.each([
    "a/b",
    "../x",
    "%",
    "%2F",
    "a b",
    "?a=b",
    "#x",
    "ção",
    "🧾",
    "a.b",
    "'; drop table",
    "r".repeat(255),
    "ß".repeat(255)
  ])("the externalReference %s is found again", (externalReference) =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge({ externalReference })
      const found = yield* story.transaction(externalReference)
      assert.strictEqual(found.id, charge.id)
    }).pipe(Effect.provide(world))
  )

  it.effect("what is unknown is 404 with its kind and name, and never 500", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const names = [
        random.uuid,
        "x",
        "nobody@example.com",
        "%00",
        "%ED%A0%80",
        "%FF",
        "a".repeat(256),
        "a".repeat(3_000),
        "%25",
        "'",
        "null",
        "undefined"
      ]
      for (const name of names) {
        const answer = yield* story.shop.call("GET", `/transactions/${name}`)
        assert.include([400, 404], answer.status, `${name.slice(0, 20)} ${answer.text}`)
        if (name === random.uuid || name === "x") {
          assert.strictEqual(answer.status, 404)
          assert.strictEqual(codeOf(answer), "TRANSACTION_NOT_FOUND")
          assert.strictEqual(answer.json.error, "NotFound")
          assert.strictEqual(answer.json.details?.resource, "transaction")
          assert.strictEqual(answer.json.details?.["id"], name)
        }
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("ids of things that are no transactions are 404", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      const { id: endpoint } = yield* story.endpoint()
      for (const id of [
        story.shop.id,
        story.shop.clientId,
        endpoint,
        charge.pspPaymentId,
        charge.pspCredentialId
      ]) {
        assert.isTrue(isUuid(id))
        assert.strictEqual((yield* story.shop.call("GET", `/transactions/${id}`)).status, 404)
      }
    }).pipe(Effect.provide(world))
  )
})

describe("GET /transactions/{id} of another tenant", () => {
  it.effect("answers the bytes of a random id, whatever name of it is used", () =>
    Effect.gen(function* () {
      const owner = yield* journey()
      const stranger = yield* journey()
      yield* owner.endpoint()
      const charge = yield* owner.charge({ externalReference: "segredo" })
      yield* owner.pay(charge, { amount: 1 })
      yield* owner.drain
      const [event] = yield* owner.events()
      const adjustment = (yield* owner.adjust({ amount: 5, reason: "x" })).json
      const names = [charge.id, "segredo", event?.data?.transactionId, adjustment.id]
      const unknown = yield* stranger.shop.call("GET", `/transactions/${random.uuid}`)
      const masked = (text: string, name: string) =>
        text.replaceAll(name, "NAME").replace(/"traceId":"\w+"/, "")
      for (const name of names.map(String)) {
        const own = yield* owner.shop.call("GET", `/transactions/${name}`)
        assert.strictEqual(own.status, 200)
        const others = yield* stranger.shop.call("GET", `/transactions/${name}`)
        assert.strictEqual(others.status, 404)
        assert.strictEqual(masked(others.text, name), masked(unknown.text, random.uuid))
        assert.deepStrictEqual([...others.headers.keys()], [...unknown.headers.keys()])
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("cannot be hidden or shown by using its id as an externalReference", () =>
    Effect.gen(function* () {
      const owner = yield* journey()
      const stranger = yield* journey()
      const charge = yield* owner.charge()
      const trap = yield* stranger.charge({ externalReference: charge.id, amount: 1 })
      const seenByStranger = yield* stranger.transaction(charge.id)
      assert.strictEqual(seenByStranger.id, trap.id)
      const seenByOwner = yield* owner.transaction(charge.id)
      assert.strictEqual(seenByOwner.id, charge.id)
    }).pipe(Effect.provide(world))
  )
})
