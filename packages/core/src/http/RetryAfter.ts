import { Duration, Effect } from "effect"
import type { ServiceTime } from "../time/ServiceTime.ts"
import { addHeaders } from "./AnswerHeaders.ts"
import type { Fields, Refusal } from "./ErrorEnvelope.ts"
import { refuse } from "./ErrorEnvelope.ts"

/** Refuses, and says when it can help to come again, where that is known: to programs, to people and to clients of HTTP. */
export const refuseFor = <Wire>(
  Envelope: new (fields: Fields) => Wire,
  after: Duration.Duration | undefined,
  refusal: Refusal
): Effect.Effect<never, Wire, ServiceTime> => {
  if (after === undefined) return refuse(Envelope, refusal)
  // Whoever comes a moment too early comes for nothing.
  const retryAfterSeconds = Math.max(1, Math.ceil(Duration.toSeconds(after)))
  return Effect.andThen(
    addHeaders({ "retry-after": String(retryAfterSeconds) }),
    refuse(Envelope, {
      ...refusal,
      message: `${refusal.message} No other answer comes within ${retryAfterSeconds} seconds.`,
      details: { ...refusal.details, retryAfterSeconds }
    })
  )
}
