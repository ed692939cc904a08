import { assert } from "@effect/vitest"
import { DateTime, Effect, Result } from "effect"
import type { Centavos, PspPayout } from "@pagora/core"
import { EndToEndId, PixKey } from "@pagora/core"
import type { Law } from "./PspLaws.ts"
import {
  amount,
  assertNotDone,
  doneValue,
  eventually,
  impossibleAmounts,
  neverPaid,
  newReference,
  strangeReferences
} from "./PspLaws.ts"
import type { PayoutEnd } from "./PspUnderTest.ts"
import { PspUnderTest } from "./PspUnderTest.ts"

/** Laws of money that is sent. */
export const payoutLaws: ReadonlyArray<Law> = [
  {
    title: "a payout is found as soon as it was sent, with what was asked",
    needs: ["payouts"],
    proof: Effect.gen(function* () {
      const reference = yield* newReference
      const sent = yield* aPayout({ reference })
      assert.strictEqual(sent.reference, reference)
      assert.strictEqual(sent.amount, amount)
      assert.notStrictEqual(sent.pspReference, "")
      assert.deepStrictEqual(termsOf(yield* foundPayout(sent)), termsOf(sent))
    })
  },

  {
    title: "payouts have ids of their own",
    needs: ["payouts"],
    proof: Effect.gen(function* () {
      const one = yield* aPayout()
      const other = yield* aPayout()
      assert.notStrictEqual(one.pspReference, other.pspReference)
    })
  },

  {
    title: "no payout is found under a reference that was never used",
    needs: ["payouts"],
    proof: Effect.gen(function* () {
      const { psp } = yield* PspUnderTest
      assert.isUndefined(doneValue(yield* psp.findPayout({ reference: yield* newReference })))
    })
  },

  {
    title: "a payout is no charge and no return",
    needs: ["payouts"],
    proof: Effect.gen(function* () {
      const { psp } = yield* PspUnderTest
      const { reference } = yield* aPayout()
      assert.isUndefined(doneValue(yield* psp.findCharge(reference)))
      assert.isUndefined(doneValue(yield* psp.findRefund({ reference, endToEndId: neverPaid })))
    })
  },

  {
    title: "sending again under a reference answers the first payout",
    needs: ["payouts", "repeatedCreate"],
    proof: Effect.gen(function* () {
      const first = yield* aPayout()
      const again = yield* aPayout({ reference: first.reference })
      assert.deepStrictEqual(termsOf(again), termsOf(first))
      assert.deepStrictEqual(termsOf(yield* foundPayout(first)), termsOf(first))
    })
  },

  {
    title: "sending at once under a reference sends one payout",
    needs: ["payouts", "repeatedCreate"],
    proof: Effect.gen(function* () {
      const reference = yield* newReference
      const send = aPayout({ reference })
      const payouts = yield* Effect.all([send, send, send, send], { concurrency: "unbounded" })
      const [sent = yield* send] = payouts
      const seen = termsOf(yield* foundPayout(sent))
      for (const payout of payouts) assert.deepStrictEqual(termsOf(payout), seen)
    })
  },

  {
    title: "impossible amounts are not sent, and leave nothing",
    needs: ["payouts"],
    proof: Effect.gen(function* () {
      const { psp } = yield* PspUnderTest
      for (const wrong of impossibleAmounts) {
        const reference = yield* newReference
        assertNotDone(yield* sending({ reference, amount: wrong }), `sending ${wrong}`)
        assert.isUndefined(doneValue(yield* psp.findPayout({ reference })))
      }
    })
  },

  {
    title: "payouts under strange references are not sent and never found",
    needs: ["payouts"],
    proof: Effect.gen(function* () {
      const { psp } = yield* PspUnderTest
      for (const reference of strangeReferences) {
        assertNotDone(yield* sending({ reference }), `sending ${reference}`)
        const outcome = yield* psp.findPayout({ reference })
        assert.isFalse(outcome._tag === "Done" && outcome.value !== undefined, `found ${reference}`)
      }
    })
  },

  {
    title: "a completed payout has what was asked, an end-to-end id of its own and a time",
    needs: ["payouts", "settledPayouts"],
    proof: Effect.gen(function* () {
      const ids = new Set<string | undefined>()
      for (const _ of [1, 2]) {
        const sent = yield* aPayout()
        const payout = yield* ended(sent, "completed")
        assert.deepStrictEqual(termsOf(payout), termsOf(sent))
        assert.isTrue(Result.isSuccess(EndToEndId.parse(payout.endToEndId ?? "")))
        assert.isDefined(payout.settledAt)
        assert.isUndefined(payout.rejection)
        ids.add(payout.endToEndId)
      }
      assert.strictEqual(ids.size, 2)
    })
  },

  {
    title: "a payout that failed is rejected, and says why",
    needs: ["payouts", "settledPayouts"],
    proof: Effect.gen(function* () {
      const sent = yield* aPayout()
      const payout = yield* ended(sent, "failed")
      assert.deepStrictEqual(termsOf(payout), termsOf(sent))
      assert.notStrictEqual(payout.rejection?.code ?? "", "")
      assert.notStrictEqual(payout.rejection?.message ?? "", "")
      assert.isUndefined(payout.reversal)
    })
  },

  {
    title: "a reversed payout keeps its end-to-end id, and has the id of its return",
    needs: ["payouts", "settledPayouts", "reversals"],
    proof: Effect.gen(function* () {
      const completed = yield* ended(yield* aPayout(), "completed")
      const payout = yield* ended(completed, "reversed")
      assert.deepStrictEqual(termsOf(payout), termsOf(completed))
      assert.strictEqual(payout.endToEndId, completed.endToEndId)
      assert.isTrue(Result.isSuccess(EndToEndId.parseReturn(payout.reversal?.returnId ?? "")))
    })
  },

  {
    title: "a payout that has ended looks the same whenever it is looked at",
    needs: ["payouts", "settledPayouts"],
    proof: Effect.gen(function* () {
      for (const end of ["completed", "failed"] as const) {
        const payout = yield* ended(yield* aPayout(), end)
        assert.deepStrictEqual(shapeOf(yield* foundPayout(payout)), shapeOf(payout))
      }
    })
  },

  {
    title: "sending again what has ended answers how it ended, and does not revive it",
    needs: ["payouts", "settledPayouts", "repeatedCreate"],
    proof: Effect.gen(function* () {
      for (const end of ["completed", "failed"] as const) {
        const payout = yield* ended(yield* aPayout(), end)
        const again = yield* aPayout({ reference: payout.reference })
        assert.deepStrictEqual(shapeOf(again), shapeOf(payout))
        assert.deepStrictEqual(shapeOf(yield* foundPayout(payout)), shapeOf(payout))
      }
    })
  },

  {
    title: "a notification names the payout that has ended, and nothing else",
    needs: ["payouts", "settledPayouts", "notifications"],
    proof: Effect.gen(function* () {
      const { notifications, psp } = yield* PspUnderTest
      if (notifications === undefined) return assert.fail("There is no hook `notifications`.")
      const { pspReference, reference } = yield* ended(yield* aPayout(), "completed")
      const look = Effect.map(notifications(reference), (sent) => sent[0])
      const notification = yield* eventually(look, "the notification")
      const notices = yield* psp.readNotification(notification)
      // By our reference, or by the PSP's own id of it.
      const isTheirs = notices.some(({ _tag }) => _tag === "PspPayout")
      assert.deepStrictEqual(notices, [
        isTheirs ? { _tag: "PspPayout", pspReference } : { _tag: "Payout", reference }
      ])
    })
  }
]

const statuses = { completed: "completed", failed: "rejected", reversed: "reversed" } as const

/** What the call that sends money is answered. */
const sending = Effect.fnUntraced(function* (asked: {
  readonly reference: string
  readonly amount?: Centavos
}) {
  const { payoutKey, psp } = yield* PspUnderTest
  const pixKey = payoutKey ?? Result.getOrThrow(PixKey.parse("email", "maria@example.com"))
  return yield* psp.sendPayout({ amount, pixKey, holder: {}, ...asked })
})

/** A payout of 12.34, by default under a new reference. */
export const aPayout = Effect.fnUntraced(function* (asked: { readonly reference?: string } = {}) {
  const reference = asked.reference ?? (yield* newReference)
  return doneValue(yield* sending({ reference }))
})

/** The payout as the PSP has it now; it must be there. */
const foundPayout = Effect.fnUntraced(function* ({ pspReference, reference }: PspPayout) {
  const { psp } = yield* PspUnderTest
  const payout = doneValue(yield* psp.findPayout({ reference, pspReference }))
  return payout ?? assert.fail(`The PSP does not find the payout ${reference}.`)
})

/** Ends the payout like this, and looks until the PSP shows it. */
const ended = Effect.fnUntraced(function* (sent: PspPayout, end: PayoutEnd) {
  const { settlePayout } = yield* PspUnderTest
  if (settlePayout === undefined) {
    return assert.fail("`settledPayouts` are supported, but there is no hook `settlePayout`.")
  }
  yield* settlePayout(sent.reference, end)
  const look = Effect.map(foundPayout(sent), (payout) =>
    payout.status === statuses[end] ? payout : undefined
  )
  return yield* eventually(look, `the payout ${statuses[end]} at the PSP`)
})

/** What a payout asks for, which never changes. */
const termsOf = ({ amount, pspReference, reference }: PspPayout) => ({
  reference,
  pspReference,
  amount
})

const shapeOf = ({ reversal, settledAt, ...payout }: PspPayout) => ({
  ...payout,
  settledAt: settledAt && DateTime.formatIso(settledAt),
  reversal: reversal && { ...reversal, at: DateTime.formatIso(reversal.at) }
})
