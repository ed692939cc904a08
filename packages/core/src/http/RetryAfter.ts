import { Duration, Effect } from "effect"
import type { ServiceTime } from "../time/ServiceTime.ts"
import { addHeaders } from "./AnswerHeaders.ts"
import type { Fields, Refusal } from "./ErrorEnvelope.ts"
import { refuse } from "./ErrorEnvelope.ts"

/** Seconds as a sentence has them. */
export const secondsOf = (count: number): string => (count === 1 ? "1 second" : `${count} seconds`)

/** Refuses, and says when it can help to come again, where that is known: to programs and to people. */
export const refuseFor = <Wire>(
  Envelope: new (fields: Fields) => Wire,
  after: Duration.Duration | undefined,
  refusal: Refusal
): Effect.Effect<never, Wire, ServiceTime> => {
  if (after === undefined) return refuse(Envelope, refusal)
  // Whoever comes a moment too early comes for nothing.
  const retryAfterSeconds = Math.max(1, Math.ceil(Duration.toSeconds(after)))
  return refuse(Envelope, {
    ...refusal,
    // The pause may be our guess, and a charge under another key may go to another PSP: so it promises nothing.
    message: `${refusal.message} Ask again in ${secondsOf(retryAfterSeconds)}, with the same Idempotency-Key if there is one.`,
    details: { ...refusal.details, retryAfterSeconds }
  })
}

/**
 * Says it to clients of HTTP, too, once it is this refusal that leaves: under an Idempotency-Key another answer may take its
 * place.
 */
export const withRetryAfter = <A, E extends Pick<Fields, "details">, R>(
  answer: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.tapError(answer, ({ details }) => {
    const seconds = details?.["retryAfterSeconds"]
    return seconds === undefined ? Effect.void : addHeaders({ "retry-after": String(seconds) })
  })
