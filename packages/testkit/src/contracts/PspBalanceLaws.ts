import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Law } from "./PspLaws.ts"
import { aCharge, amount, doneValue, eventually } from "./PspLaws.ts"
import { aPayout } from "./PspPayoutLaws.ts"
import { PspUnderTest } from "./PspUnderTest.ts"

const told = Effect.gen(function* () {
  const { psp } = yield* PspUnderTest
  const asked = psp.balance?.() ?? assert.fail("The PSP has no balance.")
  return doneValue(yield* asked)
})

const available = Effect.map(told, (balance) => balance.available)

const shows = (expected: bigint, what: string) =>
  eventually(
    Effect.map(available, (seen) => (seen === expected ? seen : undefined)),
    what
  )

/** Laws of what our account at the PSP holds. */
export const balanceLaws: ReadonlyArray<Law> = [
  {
    title: "what was paid is in the balance, and what a payout takes is not",
    needs: ["balance", "payments", "payouts"],
    proof: Effect.gen(function* () {
      const { pay } = yield* PspUnderTest
      const before = yield* available
      const charge = yield* aCharge
      yield* pay === undefined ? Effect.die("There is no hook `pay`.") : pay(charge.reference)
      yield* shows(before + amount, "a payment in the balance")
      yield* aPayout()
      yield* shows(before, "a balance without what was sent")
    })
  },

  {
    title: "what is blocked in the balance is nothing or more",
    needs: ["balance"],
    proof: Effect.map(told, ({ blocked }) => assert.isTrue(blocked >= 0n))
  }
]
