import { assert } from "@effect/vitest"
import { DateTime, Effect, Result } from "effect"
import type { FindPspRefund, NewPspRefund, PspRefund } from "@pagora/core"
import { EndToEndId, Money } from "@pagora/core"
import type { Law } from "./PspLaws.ts"
import {
  aCharge,
  amount,
  assertNotDone,
  doneValue,
  eventually,
  found,
  impossibleAmounts,
  neverPaid,
  newReference,
  strangeReferences
} from "./PspLaws.ts"
import { paid } from "./PspPaymentLaws.ts"
import type { RefundEnd } from "./PspUnderTest.ts"
import { PspUnderTest } from "./PspUnderTest.ts"

/** Laws of payments that go back. Each payment here is of 12.34. */
export const refundLaws: ReadonlyArray<Law> = [
  {
    title: "a return is found as soon as it was asked for, with what was asked",
    needs: ["payments", "refunds"],
    proof: Effect.gen(function* () {
      const { endToEndId } = yield* aPayment
      const refund = yield* aRefund({ endToEndId, amount: part })
      assert.strictEqual(refund.amount, part)
      assert.strictEqual(refund.endToEndId, endToEndId)
      assert.deepStrictEqual(termsOf(yield* foundRefund(refund)), termsOf(refund))
    })
  },

  {
    title: "no return is found under a reference that was never used",
    needs: ["refunds"],
    proof: Effect.gen(function* () {
      const { psp } = yield* PspUnderTest
      assert.isUndefined(
        doneValue(yield* psp.findRefund({ reference: yield* newReference, endToEndId: neverPaid }))
      )
    })
  },

  {
    title: "a return leaves the payment as it was",
    needs: ["payments", "refunds"],
    proof: Effect.gen(function* () {
      const before = yield* paid(yield* aCharge)
      const endToEndId = before.payments[0]?.endToEndId ?? ""
      yield* aRefund({ endToEndId, amount })
      const after = yield* found(before.reference)
      assert.strictEqual(after.status, before.status)
      assert.deepStrictEqual(
        after.payments.map((payment) => [payment.endToEndId, payment.amount]),
        before.payments.map((payment) => [payment.endToEndId, payment.amount])
      )
    })
  },

  {
    title: "returning again under a reference answers the first return, and takes no more",
    needs: ["payments", "refunds", "repeatedCreate"],
    proof: Effect.gen(function* () {
      const { endToEndId } = yield* aPayment
      const first = yield* aRefund({ endToEndId, amount: part })
      for (const _ of [1, 2]) {
        const again = yield* aRefund({ reference: first.reference, endToEndId, amount: part })
        assert.deepStrictEqual(termsOf(again), termsOf(first))
      }
      // 10.00 of 12.34: had it been taken twice, the rest would not be left.
      yield* aRefund({ endToEndId, amount: rest })
    })
  },

  {
    title: "a return of everything, asked for again, is answered and not refused",
    needs: ["payments", "refunds", "repeatedCreate"],
    proof: Effect.gen(function* () {
      const { endToEndId } = yield* aPayment
      const reference = yield* newReference
      const ask = aRefund({ reference, endToEndId, amount })
      const refunds = yield* Effect.all([ask, ask, ask, ask], { concurrency: "unbounded" })
      const seen = termsOf(yield* foundRefund({ reference, endToEndId }))
      for (const refund of [...refunds, yield* ask]) assert.deepStrictEqual(termsOf(refund), seen)
    })
  },

  {
    title: "the returns of a payment never exceed it",
    needs: ["payments", "refunds"],
    proof: Effect.gen(function* () {
      const { psp } = yield* PspUnderTest
      const { endToEndId } = yield* aPayment
      yield* aRefund({ endToEndId, amount: part })
      const more = Money.Centavos.make(rest + 1n)
      const reference = yield* newReference
      assertNotDone(yield* returning({ reference, endToEndId, amount: more }), "returning too much")
      assert.isUndefined(doneValue(yield* psp.findRefund({ reference, endToEndId })))
      yield* aRefund({ endToEndId, amount: rest })
      const last = { reference: yield* newReference, endToEndId, amount: Money.Centavos.make(1n) }
      assertNotDone(yield* returning(last), "returning more than everything")
    })
  },

  {
    title: "the returns of a payment never exceed it, asked for at once either",
    needs: ["payments", "refunds"],
    proof: Effect.gen(function* () {
      const { endToEndId } = yield* aPayment
      const half = Money.Centavos.make(amount / 2n)
      const ask = Effect.flatMap(newReference, (reference) =>
        returning({ reference, endToEndId, amount: half })
      )
      const outcomes = yield* Effect.all([ask, ask, ask, ask], { concurrency: "unbounded" })
      assert.isAtMost(outcomes.filter(({ _tag }) => _tag === "Done").length, 2)
    })
  },

  {
    title: "what was never paid does not go back",
    needs: ["refunds"],
    proof: Effect.gen(function* () {
      const { psp } = yield* PspUnderTest
      for (const endToEndId of unpaid) {
        const reference = yield* newReference
        assertNotDone(yield* returning({ reference, endToEndId, amount }), `giving ${endToEndId}`)
        assert.isUndefined(doneValue(yield* psp.findRefund({ reference, endToEndId })))
      }
    })
  },

  {
    title: "impossible returns are not made, and leave nothing",
    needs: ["payments", "refunds"],
    proof: Effect.gen(function* () {
      const { psp } = yield* PspUnderTest
      const { endToEndId } = yield* aPayment
      for (const wrong of impossibleAmounts) {
        const reference = yield* newReference
        const outcome = yield* returning({ reference, endToEndId, amount: wrong })
        assertNotDone(outcome, `returning ${wrong}`)
        assert.isUndefined(doneValue(yield* psp.findRefund({ reference, endToEndId })))
      }
      for (const reference of strangeReferences) {
        const outcome = yield* returning({ reference, endToEndId, amount })
        assertNotDone(outcome, `returning ${reference}`)
        const seen = yield* psp.findRefund({ reference, endToEndId })
        assert.isFalse(seen._tag === "Done" && seen.value !== undefined, `found ${reference}`)
      }
      yield* aRefund({ endToEndId, amount })
    })
  },

  {
    title: "a confirmed return has what was asked, its id on the network and a time",
    needs: ["payments", "refunds", "settledRefunds"],
    proof: Effect.gen(function* () {
      const { endToEndId } = yield* aPayment
      const asked = yield* aRefund({ endToEndId, amount: part })
      const refund = yield* ended(asked, "confirmed")
      assert.deepStrictEqual(termsOf(refund), termsOf(asked))
      assert.isTrue(Result.isSuccess(EndToEndId.parseReturn(refund.returnId ?? "")))
      assert.isDefined(refund.settledAt)
      assert.isUndefined(refund.rejection)
    })
  },

  {
    title: "a return that failed is rejected, and the payment can go back under another reference",
    needs: ["payments", "refunds", "settledRefunds"],
    proof: Effect.gen(function* () {
      const { endToEndId } = yield* aPayment
      const refund = yield* ended(yield* aRefund({ endToEndId, amount }), "error")
      assert.notStrictEqual(refund.rejection?.code ?? "", "")
      assert.notStrictEqual(refund.rejection?.message ?? "", "")
      const second = yield* ended(yield* aRefund({ endToEndId, amount }), "confirmed")
      assert.strictEqual(second.amount, amount)
      const seen = yield* foundRefund(refund)
      assert.deepStrictEqual(shapeOf(seen), shapeOf(refund))
    })
  },

  {
    title: "parts of a payment end each for itself, and what came to nothing can go back again",
    needs: ["payments", "refunds", "settledRefunds"],
    proof: Effect.gen(function* () {
      const { endToEndId } = yield* aPayment
      const asked = yield* Effect.forEach([part, one, last], (size) =>
        aRefund({ endToEndId, amount: size })
      )
      const [first, second, third] = asked as [PspRefund, PspRefund, PspRefund]
      const failed = yield* ended(second, "error")
      const ends = [yield* ended(third, "confirmed"), yield* ended(first, "confirmed"), failed]
      const again = yield* ended(yield* aRefund({ endToEndId, amount: one }), "confirmed")
      for (const refund of [...ends, again])
        assert.deepStrictEqual(shapeOf(yield* foundRefund(refund)), shapeOf(refund))
      const more = { reference: yield* newReference, endToEndId, amount: one }
      assertNotDone(yield* returning(more), "returning more than everything")
    })
  },

  {
    title: "asking again for a return that has ended answers how it ended",
    needs: ["payments", "refunds", "settledRefunds", "repeatedCreate"],
    proof: Effect.gen(function* () {
      for (const end of ["confirmed", "error"] as const) {
        const { endToEndId } = yield* aPayment
        const refund = yield* ended(yield* aRefund({ endToEndId, amount }), end)
        const { reference } = refund
        const again = yield* aRefund({ reference, endToEndId, amount })
        assert.deepStrictEqual(shapeOf(again), shapeOf(refund))
        assert.deepStrictEqual(
          shapeOf(yield* foundRefund({ reference, endToEndId })),
          shapeOf(refund)
        )
      }
    })
  },

  {
    title: "a notification names the return that has ended",
    needs: ["payments", "refunds", "settledRefunds", "notifications", "refundNotices"],
    proof: Effect.gen(function* () {
      const { notifications, psp } = yield* PspUnderTest
      if (notifications === undefined) return assert.fail("There is no hook `notifications`.")
      const { endToEndId } = yield* aPayment
      const { reference } = yield* ended(yield* aRefund({ endToEndId, amount }), "confirmed")
      const look = Effect.map(notifications(reference), (sent) => sent[0])
      const notification = yield* eventually(look, "the notification")
      // It may name the charge too, whose payment goes back.
      assert.deepInclude(yield* psp.readNotification(notification), { _tag: "Refund", reference })
    })
  }
]

const part = Money.Centavos.make(1000n)
const rest = Money.Centavos.make(amount - part)
const one = Money.Centavos.make(1n)
const last = Money.Centavos.make(rest - one)

const statuses = { confirmed: "confirmed", error: "rejected" } as const

const unpaid = [
  neverPaid,
  "D99999999202601011200abcdefghijk",
  "",
  "E1",
  "' OR '1'='1' -- 0123456789012345",
  "E99999999202601011200\u0000bcdefghijk"
]

/** A charge of 12.34 that somebody paid: its payment. */
const aPayment = Effect.gen(function* () {
  const [payment] = (yield* paid(yield* aCharge)).payments
  return payment ?? assert.fail("The PSP shows no payment.")
})

type Asked = Pick<NewPspRefund, "endToEndId" | "amount">

/** What the call that gives a payment back is answered. */
const returning = Effect.fnUntraced(function* (asked: Asked & { readonly reference: string }) {
  const { psp } = yield* PspUnderTest
  return yield* psp.refund({ purpose: "requested", ...asked })
})

/** A return, by default under a new reference. */
const aRefund = Effect.fnUntraced(function* (asked: Asked & { readonly reference?: string }) {
  const reference = asked.reference ?? (yield* newReference)
  return doneValue(yield* returning({ ...asked, reference }))
})

/** The return as the PSP has it now; it must be there. */
const foundRefund = Effect.fnUntraced(function* ({ endToEndId, reference }: FindPspRefund) {
  const { psp } = yield* PspUnderTest
  const refund = doneValue(yield* psp.findRefund({ reference, endToEndId }))
  return refund ?? assert.fail(`The PSP does not find the return ${reference}.`)
})

/** Ends the return like this, and looks until the PSP shows it. */
const ended = Effect.fnUntraced(function* (asked: PspRefund, end: RefundEnd) {
  const { settleRefund } = yield* PspUnderTest
  if (settleRefund === undefined) {
    return assert.fail("`settledRefunds` are supported, but there is no hook `settleRefund`.")
  }
  yield* settleRefund(asked.reference, end)
  const look = Effect.map(foundRefund(asked), (refund) =>
    refund.status === statuses[end] ? refund : undefined
  )
  return yield* eventually(look, `the return ${statuses[end]} at the PSP`)
})

/** What a return asks for, which never changes. */
const termsOf = ({ amount, endToEndId, reference }: PspRefund) => ({
  reference,
  endToEndId,
  amount
})

const shapeOf = ({ settledAt, ...refund }: PspRefund) => ({
  ...refund,
  settledAt: settledAt && DateTime.formatIso(settledAt)
})
