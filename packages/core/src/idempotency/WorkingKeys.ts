import { Deferred, Effect } from "effect"
import type { IdempotencyScope } from "../units/Unit.ts"

/** The keys whose work goes on in this process. */
export interface WorkingKeys {
  /** Does the work of a key, so that others of this process can wait for its end. */
  readonly working: <A, E, R>(
    scope: IdempotencyScope,
    work: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  /** The end of the work of a key in this process; undefined when nobody here is at it. */
  readonly ended: (scope: IdempotencyScope) => Effect.Effect<void> | undefined
}

const nameOf = ({ key, route, wallet }: IdempotencyScope): string => `${wallet} ${route} ${key}`

export const makeWorkingKeys = (): WorkingKeys => {
  const atWork = new Map<string, Deferred.Deferred<void>>()
  return {
    working: (scope, work) =>
      // A caller may be cut off at any step: what has begun for those who wait must end for them.
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend(() => {
          const name = nameOf(scope)
          // Of two that found the key fresh, one will begin it; the other comes back when that is known.
          if (atWork.has(name)) return restore(work)
          const end = Deferred.makeUnsafe<void>()
          atWork.set(name, end)
          return Effect.ensuring(
            restore(work),
            Effect.suspend(() => {
              atWork.delete(name)
              return Deferred.succeed(end, undefined)
            })
          )
        })
      ),
    ended: (scope) => {
      const end = atWork.get(nameOf(scope))
      return end === undefined ? undefined : Deferred.await(end)
    }
  }
}
