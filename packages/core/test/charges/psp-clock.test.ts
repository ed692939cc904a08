import { assert, describe, it } from "@effect/vitest"
import { journey } from "@pagora/testkit"
import { DateTime, Duration, Effect } from "effect"
import type { PspCharge, PspOutcome } from "../../src/ports/Psp.ts"
import { pspThat, world } from "../world/ServiceWorld.test-data.ts"

const mapDone =
  <A>(change: (value: A) => A) =>
  (outcome: PspOutcome<A>): PspOutcome<A> =>
    outcome._tag === "Done" ? { ...outcome, value: change(outcome.value) } : outcome

/** The PSP, which tells every instant of a charge by a clock that is behind by so much, or cuts short how long it lasts. */
const bankTelling = Effect.fnUntraced(function* (told: (charge: PspCharge) => PspCharge) {
  const bank = yield* pspThat({})
  yield* pspThat({
    createCharge: (request) => Effect.map(bank.createCharge(request), mapDone(told)),
    cancelCharge: (reference) => Effect.map(bank.cancelCharge(reference), mapDone(told)),
    findCharge: (reference) =>
      Effect.map(
        bank.findCharge(reference),
        mapDone<PspCharge | undefined>((known) => known && told(known))
      )
  })
})

const behindBy =
  (behind: Duration.Input) =>
  (charge: PspCharge): PspCharge => {
    const back = (at: DateTime.Utc) => DateTime.subtractDuration(at, behind)
    return {
      ...charge,
      createdAt: back(charge.createdAt),
      expiresAt: back(charge.expiresAt),
      payments: charge.payments.map((payment) => ({ ...payment, paidAt: back(payment.paidAt) }))
    }
  }

describe("a PSP whose clock is three hours behind", () => {
  it.effect("takes payments for as long as was asked, and so do we", () =>
    Effect.gen(function* () {
      yield* bankTelling(behindBy("3 hours"))
      const story = yield* journey()
      const charge = yield* story.charge({ expiresIn: 3_600 })
      assert.strictEqual(charge.expiresAt, "2026-11-21T13:00:00.000Z")
      yield* story.advance("59 minutes")
      assert.strictEqual((yield* story.transaction(charge.id)).status, "pending")
      yield* story.pay(charge)
      assert.strictEqual((yield* story.transaction(charge.id)).status, "completed")
    }).pipe(Effect.provide(world))
  )

  it.effect("ends what nobody pays when we do", () =>
    Effect.gen(function* () {
      yield* bankTelling(behindBy("3 hours"))
      const story = yield* journey()
      const charge = yield* story.charge({ expiresIn: 3_600 })
      yield* story.advance("59 minutes")
      assert.strictEqual((yield* story.transaction(charge.id)).status, "pending")
      yield* story.advance("2 minutes")
      // An expired charge shows as cancelled (spec, Transaction).
      assert.strictEqual((yield* story.transaction(charge.id)).status, "cancelled")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("that also cuts charges short ends them later by what it is behind, and no more", () =>
    Effect.gen(function* () {
      const short = (charge: PspCharge): PspCharge => ({
        ...behindBy("3 hours")(charge),
        expiresAt: DateTime.subtractDuration(charge.expiresAt, Duration.minutes(210))
      })
      yield* bankTelling(short)
      const story = yield* journey()
      const charge = yield* story.charge({ expiresIn: 3_600 })
      assert.strictEqual(charge.expiresAt, "2026-11-21T12:30:00.000Z")
    }).pipe(Effect.provide(world))
  )
})

describe("a PSP whose clock is behind by seconds", () => {
  it.effect.each([
    ["5 seconds", "2026-11-21T12:59:55.000Z"],
    ["6 seconds", "2026-11-21T13:00:00.000Z"]
  ] as const)("is taken at its word up to five of them: %s", ([behind, end]) =>
    Effect.gen(function* () {
      yield* bankTelling(behindBy(behind))
      const story = yield* journey()
      const charge = yield* story.charge({ expiresIn: 3_600 })
      assert.strictEqual(charge.expiresAt, end)
    }).pipe(Effect.provide(world))
  )
})
