import { Effect } from "effect"
import type { StorageError } from "../units/Refused.ts"

/** A storage failure is not the caller's doing. What it is answered with is decided in one place: see `App`. */
export const ours = <A, E, R>(
  effect: Effect.Effect<A, E | StorageError, R>
): Effect.Effect<A, Exclude<E, StorageError>, R> =>
  Effect.catch(effect, (error): Effect.Effect<never, Exclude<E, StorageError>> =>
    (error as StorageError)._tag === "StorageError"
      ? Effect.die(error)
      : Effect.fail(error as Exclude<E, StorageError>)
  )
