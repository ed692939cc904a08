import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { Process } from "./SandboxWorld.test-data.ts"
import {
  anInbox,
  answered,
  aDriver,
  aPayment,
  aProcess,
  aSandbox,
  centavos,
  giveBack,
  later,
  otherCredential,
  reference,
  seen,
  seenRefund
} from "./SandboxWorld.test-data.ts"

const codeOf = (outcome: { readonly _tag: string; readonly code?: string }) =>
  outcome.code ?? outcome._tag

const settle = (process: Process, end: "confirmed" | "error", number = 101) =>
  process.settleRefund(reference(number), end)

describe("a return at the sandbox PSP", () => {
  it.effect("is under way until a hand confirms it, and the payment stays as it was", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      const payment = yield* aPayment(process)
      const asked = yield* answered(giveBack(process, payment))
      assert.strictEqual(asked.status, "processing")
      assert.isUndefined(asked.returnId)
      yield* later(process, "1 hour")
      const confirmed = yield* settle(process, "confirmed")
      assert.deepStrictEqual(yield* seenRefund(process), confirmed)
      assert.strictEqual(confirmed.status, "confirmed")
      assert.match(confirmed.returnId ?? "", /^D99999999197001010100[A-Za-z0-9]{11}$/)
      assert.deepStrictEqual((yield* seen(process)).payments, [payment])
    })
  )

  it.effect("is of a payment that this receiver got, and of nothing else", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const ours = yield* aProcess(driver)
      const theirs = yield* aProcess(driver, { credential: otherCredential })
      const payment = yield* aPayment(ours)
      assert.strictEqual(codeOf(yield* giveBack(theirs, payment)), "PAYMENT_NOT_FOUND")
      for (const endToEndId of ["E99999999197001010000abcdefghijk", "", "no\u0000id"]) {
        const outcome = yield* giveBack(ours, { ...payment, endToEndId })
        assert.strictEqual(codeOf(outcome), "PAYMENT_NOT_FOUND")
      }
      assert.isUndefined(
        yield* answered(ours.psp.findRefund({ reference: reference(101), endToEndId: "" }))
      )
    })
  )

  it.effect("is not of a payout, though that has an end-to-end id too", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      const payment = yield* aPayment(process)
      yield* process.psp.sendPayout({
        reference: reference(2),
        amount: centavos(1000n),
        pixKey: { type: "email", value: "rita@example.com" } as never,
        holder: {}
      })
      const { endToEndId = "" } = yield* process.settlePayout(reference(2), { _tag: "completed" })
      const outcome = yield* giveBack(process, { ...payment, endToEndId })
      assert.strictEqual(codeOf(outcome), "PAYMENT_NOT_FOUND")
    })
  )

  it.effect("of all of them together never exceed the payment, whoever asks at once", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const processes = [yield* aProcess(driver), yield* aProcess(driver)]
      const payment = yield* aPayment(processes[0]!)
      const outcomes = yield* Effect.forEach(
        Array.from({ length: 30 }, (_, index) => index),
        (index) =>
          giveBack(processes[index % 2]!, { ...payment, amount: centavos(70n) }, 101 + index),
        { concurrency: "unbounded" }
      )
      // 14 times 0.70 fit into 10.00.
      assert.strictEqual(outcomes.filter(({ _tag }) => _tag === "Done").length, 14)
      assert.strictEqual(outcomes.filter((one) => codeOf(one) === "AMOUNT_EXCEEDED").length, 16)
      yield* answered(giveBack(processes[0]!, { ...payment, amount: centavos(20n) }, 200))
    })
  )

  it.effect("asked for by everybody at once under one reference is one", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const processes = [yield* aProcess(driver), yield* aProcess(driver)]
      const payment = yield* aPayment(processes[0]!)
      const refunds = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => index),
        (index) => answered(giveBack(processes[index % 2]!, payment)),
        { concurrency: "unbounded" }
      )
      for (const refund of refunds) assert.deepStrictEqual(refund, refunds[0])
    })
  )

  it.effect("that failed leaves the payment to be given back; one that was made does not", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      const payment = yield* aPayment(process)
      yield* answered(giveBack(process, payment))
      const failed = yield* settle(process, "error")
      assert.strictEqual(failed.status, "rejected")
      assert.strictEqual(failed.rejection?.code, "REFUSED_BY_PAYER_BANK")
      assert.deepStrictEqual(yield* answered(giveBack(process, payment)), failed)
      yield* answered(giveBack(process, payment, 102))
      yield* settle(process, "confirmed", 102)
      assert.strictEqual(codeOf(yield* giveBack(process, payment, 103)), "AMOUNT_EXCEEDED")
    })
  )

  it.effect("failed once by many hands gives its amount free once", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const processes = [yield* aProcess(driver), yield* aProcess(driver)]
      const payment = yield* aPayment(processes[0]!)
      const half = { ...payment, amount: centavos(500n) }
      yield* answered(giveBack(processes[0]!, half, 101))
      yield* answered(giveBack(processes[0]!, half, 102))
      yield* Effect.forEach([0, 1, 2, 3], (index) => settle(processes[index % 2]!, "error"), {
        concurrency: "unbounded"
      })
      yield* answered(giveBack(processes[0]!, half, 103))
      assert.strictEqual(codeOf(yield* giveBack(processes[0]!, half, 104)), "AMOUNT_EXCEEDED")
    })
  )
})

describe("a hand that ends a return", () => {
  it.effect("changes nothing the second time, and tells once", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      const inbox = anInbox()
      const payment = yield* aPayment(process)
      yield* process.attach(inbox.receive)
      const before = inbox.received.length
      yield* giveBack(process, payment)
      const first = yield* settle(process, "confirmed")
      assert.deepStrictEqual(yield* settle(process, "confirmed"), first)
      yield* process.resend
      const sent = inbox.received.slice(before)
      assert.strictEqual(sent.length, 1)
      for (const notification of sent) {
        assert.deepStrictEqual(yield* process.psp.readNotification(notification), [
          { _tag: "Refund", reference: reference(101) }
        ])
      }
    })
  )

  it.effect("cannot end otherwise what has ended, nor what is not there", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      const payment = yield* aPayment(process)
      yield* giveBack(process, payment)
      yield* settle(process, "confirmed")
      const refused = yield* Effect.flip(settle(process, "error"))
      assert.strictEqual(
        refused.message,
        "The refund is confirmed at the PSP and can no longer be settled as error."
      )
      for (const missing of [reference(9), "", "no\u0000txid"]) {
        const error = yield* Effect.flip(process.settleRefund(missing, "confirmed"))
        assert.strictEqual(error._tag, "SandboxRefundNotFound")
      }
    })
  )

  it.effect("finds what another process left behind, and its notice is sent again", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const before = yield* Effect.scoped(
        Effect.gen(function* () {
          const process = yield* aProcess(driver)
          const payment = yield* aPayment(process)
          yield* answered(giveBack(process, payment))
          return yield* settle(process, "confirmed")
        })
      )
      const process = yield* aProcess(driver)
      assert.deepStrictEqual(yield* seenRefund(process), before)
      const inbox = anInbox()
      yield* process.attach(inbox.receive)
      const texts = inbox.received.map(({ body }) => new TextDecoder().decode(body))
      assert.isTrue(texts.some((text) => text.includes(before.returnId ?? "nothing")))
      assert.isTrue(Result.isSuccess(yield* Effect.result(settle(process, "confirmed"))))
    })
  )
})
