import type { Journey } from "@pagora/testkit"
import { Effect } from "effect"

/** A charge that somebody has paid. */
export const paid = Effect.fnUntraced(function* (
  story: Journey,
  body: Readonly<Record<string, unknown>> = {}
) {
  const charge = yield* story.charge(body)
  yield* story.pay(charge)
  return charge
})
