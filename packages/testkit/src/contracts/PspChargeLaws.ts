import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect, Result } from "effect"
import type { Centavos } from "@pagora/core"
import { BrCode, Money } from "@pagora/core"
import type { Law } from "./PspLaws.ts"
import {
  aCharge,
  amount,
  assertNotDone,
  doneValue,
  found,
  impossibleAmounts,
  newReference,
  strangeReferences,
  termsOf
} from "./PspLaws.ts"
import { PspUnderTest } from "./PspUnderTest.ts"

/** Laws of making and finding charges. */
export const creationLaws: ReadonlyArray<Law> = [
  {
    title: "a charge is found as soon as it was created",
    needs: [],
    proof: Effect.gen(function* () {
      const created = yield* aCharge
      const seen = yield* found(created.reference)
      assert.deepStrictEqual(termsOf(seen), termsOf(created))
      assert.strictEqual(seen.status, "active")
      assert.deepStrictEqual(seen.payments, [])
    })
  },

  {
    title: "a new charge is active, unpaid, and asks for what was asked",
    needs: [],
    proof: Effect.gen(function* () {
      const { psp } = yield* PspUnderTest
      const reference = yield* newReference
      const charge = doneValue(
        yield* psp.createCharge({
          reference,
          amount,
          expiresInSeconds: 600,
          description: "Pedido 42: açaí & pão",
          payer: { name: "Maria Clara Oliveira", document: "52998224725" }
        })
      )
      assert.strictEqual(charge.reference, reference)
      assert.strictEqual(charge.amount, amount)
      assert.strictEqual(charge.status, "active")
      assert.deepStrictEqual(charge.payments, [])
      assert.notStrictEqual(charge.pspPaymentId, "")
    })
  },

  {
    title: "charges ask for what was asked, to the centavo",
    needs: [],
    proof: Effect.gen(function* () {
      const { psp } = yield* PspUnderTest
      // Most of them are no binary fraction, and end next to the centavo where they are taken for one.
      for (const centavos of [100n, 820n, 1_999n, 113_115n]) {
        const reference = yield* newReference
        const asked = { reference, amount: Money.Centavos.make(centavos), expiresInSeconds: 3600 }
        assert.strictEqual(doneValue(yield* psp.createCharge(asked)).amount, centavos)
        assert.strictEqual((yield* found(reference)).amount, centavos)
      }
    })
  },

  {
    title: "a charge expires as long after its creation as was asked",
    needs: [],
    proof: Effect.gen(function* () {
      const charge = yield* aCharge
      const lasts = DateTime.distance(charge.createdAt, charge.expiresAt)
      assert.strictEqual(Duration.toSeconds(lasts), 3600)
    })
  },

  {
    title: "the copy-and-paste code is a BR Code for this amount",
    needs: [],
    proof: Effect.gen(function* () {
      const charge = yield* aCharge
      const code = Result.getOrThrow(BrCode.parse(charge.pixCopyPaste))
      if (code.kind === "recurrence") return assert.fail("The code pays nothing.")
      // Payers of a dynamic code take the amount from its location, so it may be absent there.
      const shown = code.kind === "dynamic" ? (code.amount ?? charge.amount) : code.amount
      assert.strictEqual(shown, charge.amount)
    })
  },

  {
    title: "charges have codes and ids of their own",
    needs: [],
    proof: Effect.gen(function* () {
      const one = yield* aCharge
      const other = yield* aCharge
      assert.notStrictEqual(one.pspPaymentId, other.pspPaymentId)
      assert.notStrictEqual(one.pixCopyPaste, other.pixCopyPaste)
    })
  },

  {
    title: "no charge is found under a reference that was never used",
    needs: [],
    proof: Effect.gen(function* () {
      const { psp } = yield* PspUnderTest
      assert.isUndefined(doneValue(yield* psp.findCharge(yield* newReference)))
    })
  },

  {
    title: "creating again under a reference answers the first charge",
    needs: ["repeatedCreate"],
    proof: Effect.gen(function* () {
      const { psp } = yield* PspUnderTest
      const first = yield* aCharge
      const { reference } = first
      const again = yield* psp.createCharge({ reference, amount, expiresInSeconds: 3600 })
      assert.deepStrictEqual(termsOf(doneValue(again)), termsOf(first))
      assert.deepStrictEqual(termsOf(yield* found(reference)), termsOf(first))
    })
  },

  {
    title: "creating at once under a reference makes one charge",
    needs: ["repeatedCreate"],
    proof: Effect.gen(function* () {
      const { psp } = yield* PspUnderTest
      const reference = yield* newReference
      const create = psp.createCharge({ reference, amount, expiresInSeconds: 3600 })
      const outcomes = yield* Effect.all([create, create, create, create], {
        concurrency: "unbounded"
      })
      const seen = termsOf(yield* found(reference))
      for (const outcome of outcomes) assert.deepStrictEqual(termsOf(doneValue(outcome)), seen)
    })
  }
]

/** Laws of removing charges. */
export const cancellationLaws: ReadonlyArray<Law> = [
  {
    title: "cancelling removes a charge that nobody paid",
    needs: ["cancel"],
    proof: Effect.gen(function* () {
      const { psp } = yield* PspUnderTest
      const charge = yield* aCharge
      const cancelled = doneValue(yield* psp.cancelCharge(charge.reference))
      assert.strictEqual(cancelled.status, "removed")
      assert.deepStrictEqual(termsOf(cancelled), termsOf(charge))
      assert.strictEqual((yield* found(charge.reference)).status, "removed")
    })
  },

  {
    title: "cancelling again changes nothing",
    needs: ["cancel"],
    proof: Effect.gen(function* () {
      const { psp } = yield* PspUnderTest
      const charge = yield* aCharge
      const first = doneValue(yield* psp.cancelCharge(charge.reference))
      const second = doneValue(yield* psp.cancelCharge(charge.reference))
      assert.strictEqual(second.status, "removed")
      assert.deepStrictEqual(termsOf(second), termsOf(first))
    })
  },

  {
    title: "a removed charge does not come back",
    needs: ["cancel", "repeatedCreate"],
    proof: Effect.gen(function* () {
      const { psp } = yield* PspUnderTest
      const { reference } = yield* aCharge
      yield* psp.cancelCharge(reference)
      yield* psp.createCharge({ reference, amount, expiresInSeconds: 3600 })
      assert.strictEqual((yield* found(reference)).status, "removed")
    })
  },

  {
    title: "cancelling what does not exist is rejected",
    needs: ["cancel"],
    proof: Effect.gen(function* () {
      const { psp } = yield* PspUnderTest
      const outcome = yield* psp.cancelCharge(yield* newReference)
      assert.strictEqual(outcome._tag, "Rejected")
    })
  }
]

/** Laws of questions that no careful caller asks. */
export const robustnessLaws: ReadonlyArray<Law> = [
  {
    title: "strange references are answered and never found",
    needs: [],
    proof: Effect.gen(function* () {
      const { psp } = yield* PspUnderTest
      for (const reference of strangeReferences) {
        const outcome = yield* psp.findCharge(reference)
        assert.isFalse(outcome._tag === "Done" && outcome.value !== undefined, `found ${reference}`)
        assertNotDone(yield* psp.cancelCharge(reference), `cancelling ${reference}`)
        const asked = { reference, amount, expiresInSeconds: 3600 }
        assertNotDone(yield* psp.createCharge(asked), `creating ${reference}`)
      }
    })
  },

  {
    title: "impossible charges are not created",
    needs: [],
    proof: Effect.gen(function* () {
      const { psp } = yield* PspUnderTest
      for (const wrong of impossibleTerms) {
        const reference = yield* newReference
        const asked = { reference, amount, expiresInSeconds: 3600, ...wrong }
        assertNotDone(yield* psp.createCharge(asked), `creating ${String(Object.values(wrong))}`)
        assert.isUndefined(doneValue(yield* psp.findCharge(reference)))
      }
    })
  }
]

const impossibleTerms: ReadonlyArray<
  { readonly amount: Centavos } | { readonly expiresInSeconds: number }
> = [
  ...impossibleAmounts.map((amount) => ({ amount })),
  { expiresInSeconds: 0 },
  { expiresInSeconds: -60 },
  { expiresInSeconds: 1.5 },
  { expiresInSeconds: Number.NaN }
]
