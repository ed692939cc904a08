import { assert, describe, it } from "@effect/vitest"
import type { PspNotice, RawNotification } from "@pagora/core"
import { Effect } from "effect"
import { createHmac, createPublicKey, generateKeyPairSync, sign } from "node:crypto"
import { woovi } from "../src/Woovi.ts"
import { wooviPublicKey } from "../src/WooviCallbacks.ts"
import { charge, listening, payout, reference, running } from "./WooviWorld.test-data.ts"

const pair = () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 1_024 })
  return { privateKey, pem: publicKey.export({ type: "spki", format: "pem" }).toString() }
}
const ours = pair()
const readingBy = (...publicKeys: ReadonlyArray<string>) =>
  woovi({ appId: "x", environment: "sandbox", publicKeys }).readNotification

const made = (json: unknown, { privateKey } = ours): RawNotification => {
  const body = Buffer.from(typeof json === "string" ? json : JSON.stringify(json))
  const signature = sign("RSA-SHA256", body, privateKey).toString("base64")
  return { headers: { "X-Webhook-Signature": signature }, body, query: {}, path: "" }
}

const endToEndId = "E23114447202303161242u80lZNR7nQZ"
const reasonOf = (read: ReturnType<typeof readingBy>, notification: RawNotification) =>
  Effect.map(Effect.flip(read(notification)), ({ reason }) => reason)

describe("a callback of Woovi", () => {
  const read = readingBy(ours.pem)
  const event = { event: "OPENPIX:CHARGE_COMPLETED", charge: { correlationID: reference } }

  it.effect("is read by the key that Woovi publishes, unless another is told", () =>
    Effect.gen(function* () {
      assert.strictEqual(createPublicKey(wooviPublicKey).asymmetricKeyDetails?.modulusLength, 1_024)
      const usual = woovi({ appId: "x", environment: "production" }).readNotification
      assert.strictEqual(yield* reasonOf(usual, made(event)), "Unauthenticated")
      assert.deepStrictEqual(yield* read(made(event)), [{ _tag: "Charge", reference }])
    })
  )

  it.effect(
    "is refused when it is forged, altered, signed by another key, or signed by HMAC alone",
    () =>
      Effect.gen(function* () {
        const good = made(event)
        const hmac = createHmac("sha1", "secret").update(good.body).digest("base64")
        const forged: ReadonlyArray<RawNotification> = [
          { ...good, headers: {} },
          { ...good, headers: { "x-openpix-signature": hmac } },
          { ...good, headers: { "x-webhook-signature": hmac } },
          { ...good, headers: { "x-webhook-signature": "" } },
          {
            ...good,
            headers: { "x-webhook-signature": `${good.headers["X-Webhook-Signature"]} ` }
          },
          made(event, pair()),
          { ...good, body: made({ ...event, charge: { correlationID: "a".repeat(32) } }).body },
          // The same JSON, in other bytes.
          { ...good, body: Buffer.from(JSON.stringify(event, undefined, 1)) }
        ]
        for (const one of forged) assert.strictEqual(yield* reasonOf(read, one), "Unauthenticated")
      })
  )

  it.effect("that is sent again is the same reason to ask", () =>
    Effect.gen(function* () {
      const good = made(event)
      const notices: ReadonlyArray<PspNotice> = [{ _tag: "Charge", reference }]
      for (const _ of [1, 2]) assert.deepStrictEqual(yield* read(good), notices)
    })
  )

  it.effect("is believed by any of the keys, while one takes the place of another", () =>
    Effect.gen(function* () {
      const next = pair()
      const both = readingBy(ours.pem, next.pem)
      for (const by of [ours, next])
        assert.deepStrictEqual(yield* both(made(event, by)), [{ _tag: "Charge", reference }])
      assert.strictEqual(yield* reasonOf(read, made(event, next)), "Unauthenticated")
    })
  )

  const named: ReadonlyArray<
    readonly [what: string, json: unknown, notices: ReadonlyArray<PspNotice>]
  > = [
    ["the test of a new webhook", { evento: "teste_webhook" }, []],
    [
      "the test of a new webhook for an event",
      { data_criacao: "2024-01-23T20:32:14.429Z", event: "OPENPIX:CHARGE_COMPLETED" },
      []
    ],
    ["an event without a Pix", { event: "ACCOUNT_REGISTER_APPROVED", accountRegister: {} }, []],
    [
      "an event of an order that is not ours",
      { event: "OPENPIX:MOVEMENT_REMOVED", payment: { correlationID: "payment1" } },
      []
    ],
    [
      "a payment of a charge",
      { charge: { correlationID: reference }, pix: { endToEndId } },
      [{ _tag: "Charge", reference }]
    ],
    [
      "a payment whose charge stands below it",
      { charge: null, pix: { endToEndId, charge: { correlationID: reference } } },
      [{ _tag: "Charge", reference }]
    ],
    [
      "a payment of a charge that is not ours",
      { charge: { correlationID: "order-1" }, pix: { endToEndId } },
      [{ _tag: "Payment", endToEndId }]
    ],
    [
      "a payment to the key itself",
      { charge: null, pixQrCode: null, pix: { charge: null, endToEndId } },
      [{ _tag: "Payment", endToEndId }]
    ],
    [
      "a payout that ended",
      { event: "OPENPIX:MOVEMENT_CONFIRMED", payment: { correlationID: reference } },
      [{ _tag: "Payout", reference }]
    ],
    [
      "a payout that failed",
      {
        event: "OPENPIX:MOVEMENT_FAILED",
        payment: { correlationID: reference },
        error: { code: "x" }
      },
      [{ _tag: "Payout", reference }]
    ],
    [
      "a return",
      {
        refundTransaction: { endToEndId: "D54811417202508221647qjsBFT3ArbQ" },
        originalTransaction: { endToEndId }
      },
      [{ _tag: "Payment", endToEndId }]
    ],
    [
      "a dispute",
      { event: "OPENPIX:DISPUTE_CREATED", dispute: { endToEndId } },
      [{ _tag: "Infraction", id: endToEndId }]
    ]
  ]
  it.effect.each(named)("names of %s what is to be asked about", ([, json, notices]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read(made(json)), notices)
    })
  )

  it.effect.each(["", "null", "[]", "true", '{"charge":1}', "{", "\u0000"])(
    "is not read when it is authentic and is %j",
    (text) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* reasonOf(read, made(text)), "Malformed")
      })
  )

  it.live("is one of what happens at the fake Woovi, before and after its key is another", () =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      const { taken } = yield* listening(bank)
      const told = Effect.promise(() => bank.callbacks.idle())
      const psp = woovi(options)
      yield* psp.createCharge(charge)
      bank.pay(reference)
      yield* told
      bank.keys.rotate()
      yield* psp.sendPayout({ ...payout, reference: "b".repeat(32) })
      bank.settlePayout("b".repeat(32), "completed")
      yield* told
      const rotated = woovi({ ...options, publicKeys: bank.keys.published() })
      const notices = yield* Effect.forEach(taken, (one) => rotated.readNotification(one))
      assert.deepStrictEqual(
        new Set(notices.flat().map(({ _tag }) => _tag)),
        new Set(["Charge", "Payout"] as const)
      )
      const last = taken.at(-1) ?? assert.fail("Nobody was told.")
      assert.strictEqual(yield* reasonOf(psp.readNotification, last), "Unauthenticated")
    })
  )

  it.live(
    "of another customer of Woovi leads to nothing, for it is asked about with our AppID",
    () =>
      Effect.gen(function* () {
        const theirs = yield* running()
        const { taken } = yield* listening(theirs.bank)
        const mine = yield* running()
        yield* woovi(theirs.options).createCharge(charge)
        const { endToEndId } = theirs.bank.pay(reference)
        const psp = woovi({ ...mine.options, publicKeys: theirs.bank.keys.published() })
        yield* Effect.promise(() => theirs.bank.callbacks.idle())
        const told = taken.at(-1) ?? assert.fail("Nobody was told.")
        const notices = yield* psp.readNotification(told)
        assert.deepStrictEqual(notices, [{ _tag: "Charge", reference }])
        const found = [
          yield* psp.findCharge(reference),
          yield* psp.findPayment?.(endToEndId) ?? Effect.die("left out")
        ]
        for (const one of found) assert.deepStrictEqual(one, { _tag: "Done", value: undefined })
      })
  )
})
