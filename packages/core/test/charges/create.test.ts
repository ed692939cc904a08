import { assert, describe, it } from "@effect/vitest"
import type { Answer } from "@pagora/testkit"
import { journey, testPspCredential } from "@pagora/testkit"
import { Effect, Result } from "effect"
import * as BrCode from "../../src/kernel/BrCode.ts"
import { isUuid } from "../../src/kernel/Ids.ts"
import { codeOf, noon, random, world, Written } from "../world/ServiceWorld.test-data.ts"

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

const issuesOf = (answer: Answer<unknown>): ReadonlyArray<string> =>
  (answer.json.details?.issues ?? []).map(({ field }) => field)

/** What the shop asks for, and the answer. */
const ask = (body: unknown) =>
  Effect.gen(function* () {
    const { shop } = yield* journey()
    const before = (yield* Written).units.length
    const answer = yield* shop.call("POST", "/pix", { body })
    const written = (yield* Written).units.length - before
    return { answer, written, shop }
  })

describe("POST /pix", () => {
  it.effect("needs an amount only, and answers 201 with every field of the specification", () =>
    Effect.gen(function* () {
      const { answer } = yield* ask({ amount: 37.5 })
      assert.strictEqual(answer.status, 201)
      assert.strictEqual(answer.headers.get("content-type"), "application/json")
      const charge = answer.json
      assert.deepStrictEqual(Object.keys(charge).toSorted(), [
        "amount",
        "createdAt",
        "currency",
        "expiresAt",
        "id",
        "pixCopyPaste",
        "pspCredentialId",
        "pspPaymentId",
        "qrCodeBase64",
        "status"
      ])
      assert.isTrue(isUuid(charge.id))
      assert.strictEqual(charge.status, "pending")
      assert.strictEqual(charge.amount, 37.5)
      assert.strictEqual(charge.currency, "BRL")
      assert.strictEqual(charge.createdAt, "2026-11-21T12:00:00.000Z")
      assert.strictEqual(charge.expiresAt, "2026-11-22T12:00:00.000Z")
      assert.strictEqual(charge.pspCredentialId, testPspCredential)
      assert.isAbove(charge.pspPaymentId.length, 0)
      const code = Result.getOrThrow(BrCode.parse(charge.pixCopyPaste))
      assert.strictEqual("amount" in code ? code.amount : undefined, 3750n)
      const picture = Buffer.from(charge.qrCodeBase64, "base64")
      assert.deepStrictEqual(picture.subarray(0, 8), png)
    }).pipe(Effect.provide(world))
  )

  it.effect("takes every field, echoes the reference and ends when it was told to", () =>
    Effect.gen(function* () {
      const { answer, shop } = yield* ask({
        amount: 1.99,
        description: "Pedido 1001 — café & pão",
        customer: {
          name: "Ana Beatriz Souza",
          document: "123.456.789-09",
          email: "ana@example.com",
          phone: "+55 11 91234-5678"
        },
        pspCredentialId: testPspCredential,
        expiresIn: 3_600,
        externalReference: "pedido/1001?ç=€",
        metadata: { pedido: 1001 }
      })
      assert.strictEqual(answer.status, 201)
      assert.strictEqual(answer.json.externalReference, "pedido/1001?ç=€")
      const ends = Date.parse(answer.json.expiresAt)
      assert.strictEqual(ends - noon, 3_600_000)
      const path = `/transactions/${encodeURIComponent("pedido/1001?ç=€")}` as const
      const found = (yield* shop.call("GET", path)).json
      assert.strictEqual(found.id, answer.json.id)
      assert.strictEqual(found.description, "Pedido 1001 — café & pão")
      assert.isTrue(isUuid(String(found.customerId)))
      assert.deepStrictEqual(found.metadata, { pedido: 1001 })
    }).pipe(Effect.provide(world))
  )

  it.effect("ignores fields it does not know, and those that are not the caller's to set", () =>
    Effect.gen(function* () {
      const { answer, shop } = yield* ask({
        amount: 5,
        id: random.uuid,
        status: "completed",
        account: random.uuid,
        accountId: random.uuid,
        wallet: random.uuid,
        feeAmount: 0,
        netAmount: 5,
        paidAt: "2026-01-01T00:00:00.000Z",
        e2eId: "E1",
        createdAt: "2020-01-01T00:00:00.000Z",
        expiresAt: "2030-01-01T00:00:00.000Z",
        customer: { name: "Ana", vip: true },
        nested: { deep: [{ a: [1, 2] }] }
      })
      assert.strictEqual(answer.status, 201)
      assert.notStrictEqual(answer.json.id, random.uuid)
      const found = (yield* shop.call("GET", `/transactions/${answer.json.id}`)).json
      assert.strictEqual(found.status, "pending")
      assert.isUndefined(found.paidAt)
      assert.isUndefined(found.e2eId)
      assert.strictEqual(found.createdAt, "2026-11-21T12:00:00.000Z")
      assert.strictEqual((yield* shop.call("GET", `/transactions/${random.uuid}`)).status, 404)
    }).pipe(Effect.provide(world))
  )

  it.effect("gives every charge an id, a code and a PSP id of its own", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charges = yield* Effect.replicateEffect(story.charge(), 10)
      for (const field of ["id", "pixCopyPaste", "pspPaymentId"] as const) {
        assert.strictEqual(new Set(charges.map((charge) => charge[field])).size, 10, field)
      }
    }).pipe(Effect.provide(world))
  )
})

const accepted: ReadonlyArray<readonly [name: string, body: object]> = [
  ["an empty description", { description: "" }],
  ["140 characters of description", { description: "é".repeat(140) }],
  ["a reference of one character", { externalReference: "x" }],
  ["255 characters of reference", { externalReference: "r".repeat(255) }],
  ["an expiry of 60 seconds", { expiresIn: 60 }],
  ["an expiry of 14 days", { expiresIn: 1_209_600 }],
  ["an empty customer", { customer: {} }],
  ["a customer with a name only", { customer: { name: "A" } }],
  ["a customer with a document only", { customer: { document: "12345678909" } }],
  ["a CNPJ with punctuation", { customer: { document: "11.222.333/0001-81" } }],
  [
    "an e-mail address of 254 characters",
    { customer: { email: `${"a".repeat(64)}@${"b".repeat(185)}.com` } }
  ],
  ["empty metadata", { metadata: {} }],
  [
    "50 keys of metadata",
    { metadata: Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`, n])) }
  ],
  ["a key of 40 characters", { metadata: { ["k".repeat(40)]: 1 } }],
  ["a text of 500 characters in metadata", { metadata: { note: "n".repeat(500) } }]
]

const refused: ReadonlyArray<readonly [field: string, name: string, body: object]> = [
  ["amount", "no amount", { amount: undefined }],
  ["amount", "null", { amount: null }],
  ["amount", "a text", { amount: "10" }],
  ["amount", "an object", { amount: { value: 10 } }],
  ["amount", "a list", { amount: [10] }],
  ["amount", "true", { amount: true }],
  ["description", "141 characters", { description: "x".repeat(141) }],
  ["description", "a number", { description: 1 }],
  ["description", "null", { description: null }],
  ["externalReference", "nothing in it", { externalReference: "" }],
  ["externalReference", "256 characters", { externalReference: "r".repeat(256) }],
  ["externalReference", "a number", { externalReference: 1001 }],
  ["expiresIn", "59 seconds", { expiresIn: 59 }],
  ["expiresIn", "14 days and a second", { expiresIn: 1_209_601 }],
  ["expiresIn", "a fraction", { expiresIn: 60.5 }],
  ["expiresIn", "a text", { expiresIn: "3600" }],
  ["expiresIn", "zero", { expiresIn: 0 }],
  ["expiresIn", "less than nothing", { expiresIn: -60 }],
  ["customer", "a text", { customer: "Ana" }],
  ["customer", "a list", { customer: ["Ana"] }],
  ["customer.name", "nothing in it", { customer: { name: "" } }],
  ["customer.name", "201 characters", { customer: { name: "n".repeat(201) } }],
  ["customer.document", "a wrong check digit", { customer: { document: "12345678900" } }],
  ["customer.document", "eleven equal digits", { customer: { document: "11111111111" } }],
  ["customer.document", "a number", { customer: { document: 12345678909 } }],
  ["customer.email", "no @", { customer: { email: "ana.example.com" } }],
  [
    "customer.email",
    "255 characters",
    { customer: { email: `${"a".repeat(64)}@${"b".repeat(190)}` } }
  ],
  ["customer.phone", "31 characters", { customer: { phone: "1".repeat(31) } }],
  ["customer.phone", "no number", { customer: { phone: "<script>alert(1)</script>" } }],
  ["customer.phone", "a CPF", { customer: { phone: "111.444.777-35" } }],
  ["projectId", "no uuid", { projectId: "1" }],
  ["pspCredentialId", "no uuid", { pspCredentialId: "sandbox" }],
  ["metadata", "a list", { metadata: [] }],
  ["metadata", "a text", { metadata: "{}" }],
  ["metadata", "a number", { metadata: 1 }],
  ["metadata", "null", { metadata: null }],
  [
    "metadata",
    "51 keys",
    { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, n])) }
  ],
  ["metadata", "a key of 41 characters", { metadata: { ["k".repeat(41)]: 1 } }],
  ["metadata", "a text of 501 characters", { metadata: { note: "n".repeat(501) } }],
  [
    "metadata",
    "more than 16 KiB",
    { metadata: { note: Array.from({ length: 40 }, () => "n".repeat(490)) } }
  ],
  ["split", "no legs", { split: [] }]
]

describe("POST /pix, bounds", () => {
  it.effect.each(accepted)("takes %s", ([_, body]) =>
    Effect.gen(function* () {
      const { answer } = yield* ask({ amount: 10, ...body })
      assert.strictEqual(answer.status, 201, answer.text)
    }).pipe(Effect.provide(world))
  )

  it.effect.each(refused)("refuses %s: %s", ([field, _, body]) =>
    Effect.gen(function* () {
      const { answer, written } = yield* ask({ amount: 10, ...body })
      assert.strictEqual(answer.status, 400, answer.text)
      assert.strictEqual(answer.json.error, "BadRequest")
      assert.strictEqual(codeOf(answer), "VALIDATION_ERROR")
      assert.include(issuesOf(answer), field)
      assert.strictEqual(written, 0)
    }).pipe(Effect.provide(world))
  )

  it.effect("names every wrong field at once", () =>
    Effect.gen(function* () {
      const { answer } = yield* ask({
        amount: -1,
        description: 1,
        expiresIn: 1,
        customer: { name: "", document: "1" }
      })
      assert.deepStrictEqual(issuesOf(answer).toSorted(), [
        "amount",
        "customer.document",
        "customer.name",
        "description",
        "expiresIn"
      ])
    }).pipe(Effect.provide(world))
  )

  it.effect.each([
    ["nothing", undefined],
    ["a list", "[]"],
    ["a text", '"10"'],
    ["a number", "10"],
    ["null", "null"],
    ["true", "true"]
  ])("refuses %s as a body", ([_, body]) =>
    Effect.gen(function* () {
      const { answer, written } = yield* ask(body)
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(codeOf(answer), "VALIDATION_ERROR")
      assert.strictEqual(written, 0)
    }).pipe(Effect.provide(world))
  )
})

describe("POST /pix, what it refers to", () => {
  it.effect("answers 404 for a project and for a PSP credential that are not there", () =>
    Effect.gen(function* () {
      const project = yield* ask({ amount: 1, projectId: random.uuid })
      assert.strictEqual(project.answer.status, 404)
      assert.strictEqual(codeOf(project.answer), "PROJECT_NOT_FOUND")
      const psp = yield* ask({ amount: 1, pspCredentialId: random.uuid })
      assert.strictEqual(psp.answer.status, 404)
      assert.strictEqual(codeOf(psp.answer), "PSP_CREDENTIAL_NOT_FOUND")
      for (const { answer, written } of [project, psp]) {
        assert.strictEqual(answer.json.error, "NotFound")
        assert.strictEqual(answer.json.details?.["id"], random.uuid)
        assert.isString(answer.json.details?.resource)
        assert.strictEqual(written, 0)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("keeps to the account's own bounds, both of them included", () =>
    Effect.gen(function* () {
      const { change, shop } = yield* journey()
      yield* change({ limits: { charge: { min: 5, max: 100.5 } } })
      const status = (amount: number) =>
        Effect.map(shop.call("POST", "/pix", { body: { amount } }), (answer) => [
          answer.status,
          codeOf(answer)
        ])
      assert.deepStrictEqual(yield* status(4.99), [400, "LIMIT_EXCEEDED"])
      assert.deepStrictEqual(yield* status(5), [201, "undefined"])
      assert.deepStrictEqual(yield* status(100.5), [201, "undefined"])
      assert.deepStrictEqual(yield* status(100.51), [400, "LIMIT_EXCEEDED"])
      const refused = yield* shop.call("POST", "/pix", { body: { amount: 100.51 } })
      assert.deepStrictEqual(refused.json.details, {
        code: "LIMIT_EXCEEDED",
        limit: "max",
        value: 100.5,
        requested: 100.51
      })
    }).pipe(Effect.provide(world))
  )

  it.effect.each(["pending", "rejected", "suspended", "closed"])(
    "opens nothing for an account that is %s",
    (status) =>
      Effect.gen(function* () {
        const { change, shop } = yield* journey()
        yield* change({ status })
        const before = (yield* Written).units.length
        const answer = yield* shop.call("POST", "/pix", { body: { amount: 1 } })
        assert.strictEqual(answer.status, 403)
        assert.strictEqual(codeOf(answer), "ACCOUNT_NOT_ACTIVE")
        assert.strictEqual((yield* Written).units.length, before)
      }).pipe(Effect.provide(world))
  )
})
