import { Effect } from "effect"
import type { StorageError } from "../ports/Refused.ts"
import type { ServiceTime } from "../ports/ServiceTime.ts"
import { refuse, TooManyRequests } from "./ErrorEnvelope.ts"

/** A storage failure is not the caller's doing: 429 when there is too much to do, otherwise a defect, 500. */
export const ours = <A, E, R>(
  effect: Effect.Effect<A, E | StorageError, R>
): Effect.Effect<A, Exclude<E, StorageError> | TooManyRequests, R | ServiceTime> =>
  Effect.catch(
    effect,
    (error): Effect.Effect<never, Exclude<E, StorageError> | TooManyRequests, ServiceTime> => {
      const storage = error as StorageError
      if (storage._tag !== "StorageError") return Effect.fail(error as Exclude<E, StorageError>)
      return storage.reason === "Overloaded" || storage.reason === "Contended"
        ? refuse(TooManyRequests, overloaded)
        : Effect.die(storage)
    }
  )

const overloaded = {
  message: "Too much is going on at once. Try again in a moment.",
  code: "OVERLOADED"
}
