import type { Journey, WithId } from "@pagora/testkit"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import { Centavos } from "../../src/kernel/Money.ts"
import type { NewPspPayout } from "../../src/ports/Psp.ts"
import { pspThat } from "../world/ServiceWorld.test-data.ts"

/** A shop with R$ 100.00 and a fee of R$ 0.50, of which the first R$ 0.20 are promotional. */
export const shop = Effect.gen(function* () {
  const story = yield* journey({ fees: { withdrawal: { fixed: Centavos.make(50n) } } })
  yield* story.endpoint()
  yield* story.fund(100)
  yield* story.adjust({ amount: 0.2, bucket: "promotional", reason: "gift" })
  return story
})

export const before = { available: 10_000, promotional: 20, held: 0, total: 10_020 }
export const holding = { available: 9_020, promotional: 0, held: 1_000, total: 10_020 }
export const paid = { available: 9_020, promotional: 0, held: 0, total: 9_020 }

export const statusOf = (story: Journey, withdrawal: WithId) =>
  Effect.map(story.shop.call("GET", `/withdrawals/${withdrawal.id}`), ({ json }) => json.status)

export const toldKinds = (story: Journey) =>
  Effect.map(story.events(), (told) => told.map(({ event }) => event))

/** Notes what the PSP is sent, before it is handled as it would be. */
export const watched = Effect.gen(function* () {
  const sent: Array<NewPspPayout> = []
  const { sendPayout } = yield* pspThat({})
  yield* pspThat({
    sendPayout: (payout) =>
      Effect.andThen(
        Effect.sync(() => sent.push(payout)),
        sendPayout(payout)
      )
  })
  return sent
})
