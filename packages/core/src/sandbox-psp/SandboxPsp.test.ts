import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Random, Redacted, Result } from "effect"
import * as TestClock from "effect/testing/TestClock"
import * as BrCode from "../kernel/BrCode.ts"
import * as EndToEndId from "../kernel/EndToEndId.ts"
import {
  about,
  anInbox,
  answered,
  aDriver,
  aProcess,
  aSandbox,
  begun,
  centavos,
  later,
  open,
  otherCredential,
  reference,
  seen,
  signed
} from "./SandboxWorld.test-data.ts"

describe("a charge at the sandbox PSP", () => {
  it.effect("carries a dynamic BR Code with its location, its amount and the merchant", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const options = { merchantName: "Café São João", merchantCity: "Florianópolis" }
      const process = yield* aProcess(driver, options)
      const charge = yield* answered(open(process))
      assert.deepStrictEqual(Result.getOrThrow(BrCode.parse(charge.pixCopyPaste)), {
        kind: "dynamic",
        location: `pix.example.com/qr/v2/${reference(1)}`,
        use: "single",
        amount: centavos(1000n),
        merchantName: "Cafe Sao Joao",
        merchantCity: "Florianopolis"
      })
    })
  )

  it.effect("lives by the time of the business, not by the clock", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      yield* later(process, "2 days")
      const charge = yield* answered(open(process))
      assert.strictEqual(DateTime.formatIso(charge.createdAt), "1970-01-03T00:00:00.000Z")
      assert.strictEqual(DateTime.formatIso(charge.expiresAt), "1970-01-03T01:00:00.000Z")
    })
  )

  it.effect("stays what it was when it is created again with other terms", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      const first = yield* answered(open(process))
      const terms = { reference: reference(1), amount: centavos(9900n), expiresInSeconds: 60 }
      assert.deepStrictEqual(yield* answered(process.psp.createCharge(terms)), first)
    })
  )

  it.effect("belongs to its credential: another one can neither see nor take its reference", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const ours = yield* aProcess(driver)
      const theirs = yield* aProcess(driver, { credential: otherCredential })
      yield* open(ours)
      assert.isUndefined(yield* answered(theirs.psp.findCharge(reference(1))))
      assert.strictEqual((yield* theirs.psp.cancelCharge(reference(1)))._tag, "Rejected")
      const outcome = yield* open(theirs)
      assert.strictEqual(
        outcome._tag === "Rejected" ? outcome.code : outcome._tag,
        "REFERENCE_TAKEN"
      )
    })
  )

  it.effect("is refused at the start when no BR Code can carry the merchant's name", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const exit = yield* Effect.exit(aProcess(driver, { merchantName: "Ж".repeat(30) }))
      assert.strictEqual(exit._tag, "Failure")
    })
  )
})

describe("a simulated payer", () => {
  it.effect("pays what was asked, once, with a plausible name, a CPF and a new end-to-end id", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      yield* later(process, "90 seconds")
      yield* open(process)
      const payments = yield* process.pay(reference(1))
      const charge = yield* seen(process)
      assert.deepStrictEqual(charge.payments, payments)
      assert.strictEqual(charge.status, "paid")
      assert.strictEqual(payments.length, 1)
      for (const { amount, endToEndId, paidAt, payer } of payments) {
        assert.strictEqual(amount, centavos(1000n))
        assert.strictEqual(DateTime.formatIso(paidAt), "1970-01-01T00:01:30.000Z")
        assert.match(payer?.document ?? "", /^\d{11}$/)
        const { ispb, minute } = EndToEndId.partsOf(Result.getOrThrow(EndToEndId.parse(endToEndId)))
        assert.strictEqual(ispb, "99999999")
        assert.strictEqual(DateTime.formatIso(minute), "1970-01-01T00:01:00.000Z")
      }
    })
  )

  it.effect("pays as somebody, another amount, several times", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      yield* open(process)
      const payments = yield* process.pay(reference(1), {
        amount: centavos(999n),
        payerName: "Loja Azul",
        payerDocument: "11.222.333/0001-81",
        times: 3
      })
      assert.strictEqual(new Set(payments.map((payment) => payment.endToEndId)).size, 3)
      for (const { amount, payer } of payments) {
        assert.strictEqual(amount, centavos(999n))
        assert.deepStrictEqual(payer, { name: "Loja Azul", document: "11222333000181" })
      }
      assert.deepStrictEqual((yield* seen(process)).payments, payments)
    })
  )

  it.effect("pays after the end, and the payment is late", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      yield* open(process)
      yield* later(process, "2 hours")
      const [payment] = yield* process.pay(reference(1))
      const charge = yield* seen(process)
      assert.strictEqual(charge.status, "paid")
      assert.isTrue(DateTime.isGreaterThan(payment?.paidAt ?? charge.createdAt, charge.expiresAt))
    })
  )

  it.effect("pays a removed charge, which stays removed and shows the payment", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      yield* open(process)
      yield* process.psp.cancelCharge(reference(1))
      const payments = yield* process.pay(reference(1))
      const charge = yield* answered(process.psp.cancelCharge(reference(1)))
      assert.strictEqual(charge.status, "removed")
      assert.deepStrictEqual(charge.payments, payments)
    })
  )

  it.effect("pays at the very end of a charge that was ended, which is too late", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      yield* open(process)
      yield* later(process, "10 minutes")
      const ended = yield* process.expire(reference(1))
      assert.strictEqual(DateTime.formatIso(ended.expiresAt), "1970-01-01T00:10:00.000Z")
      const [payment] = yield* process.pay(reference(1))
      assert.deepStrictEqual(payment?.paidAt, ended.expiresAt)
    })
  )

  it.effect("cannot pay or end what is not there, nor pay what nobody can", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      yield* open(process)
      for (const missing of [reference(2), "", "no\u0000txid"]) {
        const unpayable = yield* Effect.flip(process.pay(missing))
        assert.strictEqual(unpayable._tag, "SandboxChargeNotFound")
        assert.strictEqual(
          (yield* Effect.flip(process.expire(missing)))._tag,
          "SandboxChargeNotFound"
        )
      }
      const refusals = [
        { amount: centavos(0n) },
        { amount: centavos(10n ** 12n) },
        { payerName: "" },
        { payerDocument: "11111111111" },
        { times: 0 },
        { times: 1.5 },
        { times: 21 }
      ]
      for (const options of refusals) {
        const refused = yield* Effect.flip(process.pay(reference(1), options))
        assert.deepStrictEqual(
          refused._tag === "SandboxPaymentRefused" ? [refused.field] : [refused._tag],
          Object.keys(options)
        )
      }
      assert.deepStrictEqual((yield* seen(process)).payments, [])
    })
  )

  it.effect("does the same again under the same seed", () =>
    Effect.gen(function* () {
      const story = Effect.gen(function* () {
        const process = yield* aSandbox
        yield* open(process)
        return yield* process.pay(reference(1), { times: 3 })
      }).pipe(Random.withSeed("again"))
      assert.deepStrictEqual(yield* story, yield* story)
    })
  )
})

describe("a notification of the sandbox PSP", () => {
  it.effect("has the form of the Pix API and is authentic", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      const inbox = anInbox()
      yield* process.attach(inbox.receive)
      yield* open(process)
      const [payment] = yield* process.pay(reference(1), { payerDocument: "11222333000181" })
      assert.deepStrictEqual(inbox.told as unknown, [
        {
          endToEndId: payment?.endToEndId,
          txid: reference(1),
          valor: "10.00",
          horario: "1970-01-01T00:00:00.000Z",
          pagador: { nome: "Empresa Fictícia Ltda", cnpj: "11222333000181" }
        }
      ])
      for (const notification of inbox.received) {
        assert.deepStrictEqual(about(yield* process.psp.readNotification(notification)), [
          { _tag: "Charge", reference: reference(1) }
        ])
      }
    })
  )

  it.effect("goes out for each payment, in order", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      const inbox = anInbox()
      yield* process.attach(inbox.receive)
      yield* open(process)
      const payments = yield* process.pay(reference(1), { times: 3 })
      assert.deepStrictEqual(
        inbox.told.map((pix) => pix.endToEndId),
        payments.map((payment) => payment.endToEndId)
      )
    })
  )

  it.effect("is not sent again once it was accepted, and is until then", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      const inbox = anInbox(false)
      yield* process.attach(inbox.receive)
      yield* open(process)
      yield* process.pay(reference(1))
      yield* process.resend
      assert.strictEqual(inbox.received.length, 2)
      inbox.isAccepting = true
      yield* process.resend
      yield* process.resend
      assert.strictEqual(inbox.received.length, 3)
    })
  )

  it.effect("counts as not accepted when its receiver dies or does not answer", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      yield* open(process)
      yield* open(process, 2)
      yield* process.attach(() => Effect.die("no storage"))
      yield* process.pay(reference(1))
      const attaching = yield* begun(process.attach(() => Effect.never))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(attaching)
      const paying = yield* begun(process.pay(reference(2)))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(paying)
      const inbox = anInbox()
      yield* process.attach(inbox.receive)
      assert.strictEqual(inbox.received.length, 2)
    })
  )

  it.effect("goes on when the one who pays does not wait for it", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      const inbox = anInbox()
      yield* process.attach((notification) => Effect.delay(inbox.receive(notification), "1 second"))
      yield* open(process)
      const paying = yield* begun(process.pay(reference(1)))
      yield* TestClock.adjust("500 millis")
      yield* Fiber.interrupt(paying)
      yield* TestClock.adjust("1 second")
      yield* process.attach(inbox.receive)
      assert.strictEqual(inbox.received.length, 1)
    })
  )

  it.effect("is refused from anybody else, and when it cannot be read", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      const reasonOf = (notification: ReturnType<typeof signed>) =>
        Effect.map(Effect.flip(process.psp.readNotification(notification)), ({ reason }) => reason)
      const good = '{"pix":[{"txid":"abc"}]}'
      assert.isNotEmpty(yield* process.psp.readNotification(signed(good)))
      assert.strictEqual(yield* reasonOf(signed(good, Redacted.make("another"))), "Unauthenticated")
      assert.strictEqual(yield* reasonOf({ ...signed(good), headers: {} }), "Unauthenticated")
      for (const body of ["", "[]", "{}", '{"pix":1}', '{"pix":[1]}', '{"pix":[{"txid":1}]}']) {
        assert.strictEqual(yield* reasonOf(signed(body)), "Malformed", body)
      }
    })
  )
})
