import { assert } from "@effect/vitest"
import { DateTime, Effect, Result } from "effect"
import type { Centavos, PspCharge } from "@pagora/core"
import { EndToEndId, Money } from "@pagora/core"
import type { Law } from "./PspLaws.ts"
import { aCharge, amount, doneValue, eventually, found, termsOf } from "./PspLaws.ts"
import { PspUnderTest } from "./PspUnderTest.ts"

/** Laws of charges that somebody pays. */
export const paymentLaws: ReadonlyArray<Law> = [
  {
    title: "a payment is seen with its amount, its id and its time",
    needs: ["payments"],
    proof: Effect.gen(function* () {
      const charge = yield* aCharge
      const seen = yield* paid(charge)
      assert.strictEqual(seen.status, "paid")
      assert.deepStrictEqual(termsOf(seen), termsOf(charge))
      assert.strictEqual(seen.payments.length, 1)
      for (const payment of seen.payments) {
        assert.strictEqual(payment.amount, amount)
        assert.isTrue(Result.isSuccess(EndToEndId.parse(payment.endToEndId)), payment.endToEndId)
        const opened = DateTime.subtract(charge.createdAt, { seconds: 1 })
        assert.isTrue(DateTime.isGreaterThan(payment.paidAt, opened))
        assert.isTrue(DateTime.isLessThan(payment.paidAt, charge.expiresAt))
      }
    })
  },

  {
    title: "a payment looks the same whenever it is looked at",
    needs: ["payments"],
    proof: Effect.gen(function* () {
      const first = yield* paid(yield* aCharge)
      const second = yield* found(first.reference)
      assert.deepStrictEqual(paymentsOf(second), paymentsOf(first))
    })
  },

  {
    title: "a payment tells who paid",
    needs: ["payments", "payer"],
    proof: Effect.gen(function* () {
      const { payments } = yield* paid(yield* aCharge)
      for (const { payer } of payments) {
        assert.match(payer?.document ?? "", /^[0-9]{11}$|^[0-9A-Z]{12}[0-9]{2}$/)
      }
    })
  },

  {
    title: "a payment is of its own charge only",
    needs: ["payments"],
    proof: Effect.gen(function* () {
      const other = yield* aCharge
      yield* paid(yield* aCharge)
      const seen = yield* found(other.reference)
      assert.strictEqual(seen.status, "active")
      assert.deepStrictEqual(seen.payments, [])
    })
  },

  {
    title: "cancelling a paid charge answers it unchanged",
    needs: ["payments", "cancel"],
    proof: Effect.gen(function* () {
      const { psp } = yield* PspUnderTest
      const before = yield* paid(yield* aCharge)
      const answer = doneValue(yield* psp.cancelCharge(before.reference))
      for (const after of [answer, yield* found(before.reference)]) {
        assert.strictEqual(after.status, "paid")
        assert.deepStrictEqual(termsOf(after), termsOf(before))
        assert.deepStrictEqual(paymentsOf(after), paymentsOf(before))
      }
    })
  },

  {
    title: "creating a paid charge again answers it with its payment",
    needs: ["payments", "repeatedCreate"],
    proof: Effect.gen(function* () {
      const { psp } = yield* PspUnderTest
      const before = yield* paid(yield* aCharge)
      const { reference } = before
      const again = yield* psp.createCharge({ reference, amount, expiresInSeconds: 3600 })
      assert.deepStrictEqual(paymentsOf(doneValue(again)), paymentsOf(before))
    })
  },

  {
    title: "two payments of a charge are both seen, each with its own id",
    needs: ["payments", "repeatedPayments"],
    proof: Effect.gen(function* () {
      const { payments } = yield* paid(yield* aCharge, [undefined, undefined])
      const ids = new Set(payments.map((payment) => payment.endToEndId))
      assert.strictEqual(ids.size, 2)
    })
  },

  {
    title: "a payment of another amount is seen with what was paid",
    needs: ["payments", "otherAmounts"],
    proof: Effect.gen(function* () {
      const less = Money.Centavos.make(1200n)
      const seen = yield* paid(yield* aCharge, [less])
      assert.deepStrictEqual(
        seen.payments.map((payment) => payment.amount),
        [less]
      )
      assert.strictEqual(seen.amount, amount)
    })
  }
]

/** Pays a charge, once for each amount (undefined: what it asks for), and looks until the PSP shows it. */
export const paid = Effect.fnUntraced(function* (
  charge: PspCharge,
  amounts: ReadonlyArray<Centavos | undefined> = [undefined]
) {
  const { pay } = yield* PspUnderTest
  if (pay === undefined) return assert.fail("`payments` are supported, but there is no hook `pay`.")
  for (const amount of amounts) yield* pay(charge.reference, amount)
  const look = Effect.map(found(charge.reference), (seen) =>
    seen.payments.length < amounts.length ? undefined : seen
  )
  return yield* eventually(look, "the payment at the PSP")
})

const paymentsOf = (charge: PspCharge) =>
  charge.payments.map((payment) => ({ ...payment, paidAt: DateTime.formatIso(payment.paidAt) }))
