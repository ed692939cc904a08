import { assert } from "@effect/vitest"
import { journey } from "@pagora/testkit"
import type { Journey } from "@pagora/testkit"
import { Duration, Effect } from "effect"
import { Centavos } from "../../src/kernel/Money.ts"
import { ChargeWorker } from "../../src/charges/ChargeWorker.ts"
import { ServiceTime } from "../../src/time/ServiceTime.ts"
import { Storage } from "../../src/storage/Storage.ts"
import type { Return } from "../../src/returns/Return.ts"
import { ReturnWorker } from "../../src/returns/ReturnWorker.ts"
import type { Manner } from "./Returns.test-data.ts"
import { bankThat, returnsOf, sumOf } from "./Returns.test-data.ts"

export const purposes = ["deposit", "refund"] as const
type Purpose = (typeof purposes)[number]

/** A shop with one return of ten reais that its bank has not been told of. */
export const begin = Effect.fnUntraced(function* (
  purpose: Purpose,
  manners: ReadonlyArray<Manner>,
  capabilities: Parameters<typeof bankThat>[1] = {}
) {
  const story = yield* journey({ fees: { refund: { fixed: Centavos.make(25n) } } })
  yield* story.adjust({ amount: 5, reason: "Saldo" })
  const bank = yield* bankThat(manners, capabilities)
  const charge = yield* story.charge(purpose === "deposit" ? { amount: 20 } : {})
  // Booked, and nothing else worked off yet.
  yield* story.payAtBank(charge, { amount: 10 })
  yield* Effect.flatMap(ChargeWorker, ({ drain }) => drain)
  if (purpose === "refund") yield* story.refund(charge)
  const current = Effect.gen(function* () {
    const returns = yield* returnsOf(story.shop.id)
    const [money, ...others] = returns.filter(({ status }) => status !== "replaced")
    assert.deepStrictEqual(others, [])
    return money ?? (yield* Effect.die(new Error("There is no return.")))
  })
  return { story, bank, charge, current }
})

/** The bank gives notice of a return, and the service looks. */
export const notice = Effect.fnUntraced(function* ({ account: group, id }: Return) {
  const storage = yield* Storage
  const at = yield* (yield* ServiceTime).now
  yield* storage.commit({
    at,
    jobs: [{ _tag: "Schedule", queue: "return", id, group, due: at }]
  })
  yield* Effect.flatMap(ReturnWorker, ({ drain }) => drain)
})

/** Work as it comes due, for an hour of business time. */
export const anHour = (story: Journey) =>
  Effect.gen(function* () {
    yield* story.drain
    for (const seconds of [1, 5, 20, 60, 600, 3_600])
      yield* story.advance(Duration.seconds(seconds))
  })

const goneFor: Readonly<Record<Purpose, number>> = { deposit: 500, refund: 475 }
export const keptFor: Readonly<Record<Purpose, number>> = { deposit: 500, refund: 1_500 }

export const verifyGone = Effect.fnUntraced(function* (story: Journey, purpose: Purpose) {
  const { available, held, total } = yield* story.figures
  assert.deepStrictEqual(
    { available, held, total },
    {
      available: goneFor[purpose],
      held: 0,
      total: goneFor[purpose]
    }
  )
  assert.strictEqual(yield* sumOf(story.shop.id, "suspense"), 0n)
  assert.strictEqual(yield* sumOf(story.shop.id, "psp_clearing"), 0n)
  yield* story.audit
})
