import type { PspOutcome, PspShape } from "@pagora/core"
import { Clock, Duration, Effect } from "effect"

const askEvery = Duration.millis(100)

/** The same PSP to somebody who knows that what it did may take so long to be found, and asks until then. */
export const showingWithin = (psp: PspShape, within: Duration.Duration): PspShape => {
  const until = new Map<string, number>()

  const doing =
    <Order extends { readonly reference: string }, A>(
      run: (order: Order) => Effect.Effect<PspOutcome<A>>
    ) =>
    (order: Order): Effect.Effect<PspOutcome<A>> =>
      Effect.tap(run(order), (outcome) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          if (outcome._tag === "Done") until.set(order.reference, now + Duration.toMillis(within))
        })
      )

  const finding =
    <Asked extends { readonly reference: string }, A>(
      find: (asked: Asked) => Effect.Effect<PspOutcome<A | undefined>>
    ) =>
    (asked: Asked): Effect.Effect<PspOutcome<A | undefined>> =>
      Effect.gen(function* () {
        const outcome = yield* find(asked)
        const isThere = outcome._tag !== "Done" || outcome.value !== undefined
        const isLate = (yield* Clock.currentTimeMillis) >= (until.get(asked.reference) ?? 0)
        if (isThere || isLate) return outcome
        yield* Effect.sleep(askEvery)
        return yield* finding(find)(asked)
      })

  const findCharge = finding(({ reference }) => psp.findCharge(reference))

  return {
    ...psp,
    createCharge: doing((charge) => psp.createCharge(charge)),
    sendPayout: doing((payout) => psp.sendPayout(payout)),
    refund: doing((refund) => psp.refund(refund)),
    findCharge: (reference) => findCharge({ reference }),
    findPayout: finding((payout) => psp.findPayout(payout)),
    findRefund: finding((refund) => psp.findRefund(refund))
  }
}
