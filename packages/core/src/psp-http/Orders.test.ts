import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Result } from "effect"
import * as Money from "../kernel/Money.ts"
import * as PixKey from "../kernel/PixKey.ts"
import type { PspCharge, PspPayout, PspReceived, PspRefund } from "../ports/Psp.ts"
import { PspOutcome } from "../ports/Psp.ts"
import type { Asked } from "./Asked.ts"
import { failed, outcomeOf } from "./Asked.ts"
import { endCharge, giveBack, isAskedFor, withPayments, withReturns } from "./Orders.ts"

const reference = "0123456789abcdef0123456789abcdef"
const endToEndId = "E99999999202601011200abcdefghijk"
const amount = Money.Centavos.make(1_234n)
const at = DateTime.makeUnsafe("2026-01-01T12:00:00Z")
const charge: PspCharge = {
  reference,
  pspPaymentId: "1",
  status: "active",
  amount,
  pixCopyPaste: "000201",
  createdAt: at,
  expiresAt: at,
  payments: []
}
const payment: PspReceived = { endToEndId, amount, paidAt: at, reference, returns: [] }
const refund: PspRefund = { reference, endToEndId, status: "processing", amount }

const refused = failed(PspOutcome.rejected("LATE", "Too late."))
const away = failed(PspOutcome.notSent("ECONNREFUSED"))

/** Answers one after the other, and how often it was asked. */
const inTurn = <A>(...answers: ReadonlyArray<Asked<A>>) => {
  let asked = 0
  const next = Effect.suspend(() => answers[asked++] ?? assert.fail("Nobody asks that often."))
  return { next, asked: () => asked }
}
const tagOf = <A>(asked: Asked<A>) => Effect.map(outcomeOf(asked), ({ _tag }) => _tag)

describe("a charge that is ended", () => {
  const active = Effect.succeed(charge)
  const paid = Effect.succeed<PspCharge>({ ...charge, status: "paid" })
  const removed = Effect.succeed<PspCharge>({ ...charge, status: "removed" })

  it.effect("is what became of it", () =>
    Effect.gen(function* () {
      const ended = yield* endCharge(inTurn(active, removed).next, Effect.void)
      assert.strictEqual(ended.status, "removed")
    })
  )

  it.effect("is not ended again, nor where it was paid or is not there", () =>
    Effect.gen(function* () {
      const end = inTurn<void>()
      assert.strictEqual((yield* endCharge(paid, end.next)).status, "paid")
      assert.strictEqual((yield* endCharge(removed, end.next)).status, "removed")
      const gone = yield* outcomeOf(endCharge(Effect.undefined, end.next))
      assert.deepInclude(gone, { _tag: "Rejected", code: "charge_not_found" })
      assert.strictEqual(end.asked(), 0)
    })
  )

  it.effect("may be paid in between, and its end be refused for that", () =>
    Effect.gen(function* () {
      const ended = yield* endCharge(inTurn(active, paid, paid).next, refused)
      assert.strictEqual(ended.status, "paid")
      assert.strictEqual(yield* tagOf(endCharge(active, refused)), "Rejected")
      assert.strictEqual(yield* tagOf(endCharge(inTurn(active, away).next, refused)), "Unknown")
    })
  )

  it.effect("is not known once its end was taken and it cannot be seen", () =>
    Effect.gen(function* () {
      for (const look of [away, refused, Effect.undefined])
        assert.strictEqual(
          yield* tagOf(endCharge(inTurn<PspCharge | undefined>(active, look).next, Effect.void)),
          "Unknown"
        )
      assert.strictEqual(yield* tagOf(endCharge(active, away)), "NotSent")
    })
  )
})

describe("a payment that is given back", () => {
  it.effect("must be there", () =>
    Effect.gen(function* () {
      const made = inTurn<PspRefund>()
      const gone = yield* outcomeOf(giveBack(Effect.undefined, made.next, Effect.undefined))
      assert.deepInclude(gone, { _tag: "Rejected", code: "payment_not_found" })
      assert.strictEqual(yield* tagOf(giveBack(away, made.next, Effect.undefined)), "NotSent")
      assert.strictEqual(made.asked(), 0)
    })
  )

  it.effect("is not, where that is refused and nothing of it is found", () =>
    Effect.gen(function* () {
      const there = Effect.succeed(payment)
      const made = Effect.succeed(refund)
      assert.strictEqual(yield* giveBack(there, made, Effect.undefined), refund)
      assert.strictEqual(yield* giveBack(there, refused, made), refund)
      assert.strictEqual(yield* tagOf(giveBack(there, refused, Effect.undefined)), "Rejected")
      assert.strictEqual(yield* tagOf(giveBack(there, refused, away)), "Unknown")
    })
  )
})

describe("a list that need not be the one that was asked for", () => {
  it("has the payments of a charge that name it", () => {
    const { reference: _, ...direct } = payment
    const others = [direct, { ...payment, reference: "f".repeat(32) }]
    assert.strictEqual(withPayments(charge, others), charge)
    assert.deepStrictEqual(withPayments(charge, [...others, payment]), {
      ...charge,
      status: "paid",
      payments: [payment]
    })
  })

  it.effect("has the returns of another payment where they are more than was paid", () =>
    Effect.gen(function* () {
      const some = { ...refund, amount: Money.Centavos.make(1_000n) }
      const rest = { ...refund, amount: Money.Centavos.make(234n) }
      const all = yield* withReturns(payment, [some, rest])
      assert.deepStrictEqual(all, { ...payment, returns: [some, rest] })
      const more = { ...rest, amount: Money.Centavos.make(235n) }
      assert.strictEqual(yield* tagOf(withReturns(payment, [some, more])), "Unknown")
      const rejected = { ...more, status: "rejected" } as const
      assert.strictEqual(yield* tagOf(withReturns(payment, [some, rejected])), "Done")
    })
  )
})

describe("a payout that is there", () => {
  const keyOf = (type: PixKey.PixKeyType, text: string) =>
    Result.getOrThrow(PixKey.parse(type, text))
  const asked = { reference, amount, pixKey: keyOf("cpf", "529.982.247-25"), holder: {} }
  const told: PspPayout = { reference, pspReference: "1", status: "processing", amount }

  it("is the one that is asked for by reference, amount and key", () => {
    for (const key of [undefined, "52998224725", "529.982.247-25"])
      assert.isTrue(isAskedFor(asked, told, key))
    assert.isFalse(isAskedFor(asked, told, "11144477735"))
    assert.isFalse(isAskedFor(asked, { ...told, amount: Money.Centavos.make(1n) }))
    assert.isFalse(isAskedFor(asked, { ...told, reference: "f".repeat(32) }))
    const phone = { ...asked, pixKey: keyOf("phone", "+5511987654321") }
    assert.isTrue(isAskedFor(phone, told, "+55 (11) 98765-4321"))
    const email = { ...asked, pixKey: keyOf("email", "ana@example.com") }
    assert.isTrue(isAskedFor(email, told, "Ana@Example.com"))
  })
})
