import type { Cause } from "effect"
import { Effect } from "effect"
import { StorageError } from "../units/Refused.ts"
import type { Refusal } from "./ErrorEnvelope.ts"

/** The storage failure that a cause tells of, whether it was foreseen where it happened or not. */
export const storageErrorIn = (cause: Cause.Cause<unknown>): StorageError | undefined => {
  for (const reason of cause.reasons) {
    const told =
      reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : undefined
    if (told instanceof StorageError) return told
  }
  return undefined
}

/** A storage failure is not the caller's doing. What it is answered with is decided in one place: see `App`. */
export const orUnavailable = <A, E, R>(
  effect: Effect.Effect<A, E | StorageError, R>
): Effect.Effect<A, Exclude<E, StorageError>, R> =>
  Effect.catch(effect, (error): Effect.Effect<never, Exclude<E, StorageError>> =>
    (error as StorageError)._tag === "StorageError"
      ? Effect.die(error)
      : Effect.fail(error as Exclude<E, StorageError>)
  )

/** Nothing was written: the request can be made again as if it had never been made. */
const notDone: Refusal = {
  message:
    "The storage cannot be used right now, and nothing was done. Send the request again in a moment.",
  code: "STORAGE_UNAVAILABLE"
}

const unknown: Refusal = {
  message:
    "The storage stopped answering while this was being written, so it may be done or not. Send the request again with the same Idempotency-Key.",
  code: "OUTCOME_UNKNOWN"
}

const unknownWithoutKey: Refusal = {
  message:
    "The storage stopped answering while this was being written, so it may be done or not. The request had no Idempotency-Key: look whether it was done, such as by its externalReference, before you send it again.",
  code: "OUTCOME_UNKNOWN"
}

/** What to say to somebody whose request the storage kept from being answered (decision 0060). */
export const unavailable = (mayBeWritten: boolean, hasKey: boolean): Refusal => {
  if (!mayBeWritten) return notDone
  return hasKey ? unknown : unknownWithoutKey
}
