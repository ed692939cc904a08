import { Effect } from "effect"
import type { Uuid } from "../kernel/Ids.ts"
import type { DuplicateKey, Refused } from "../units/Refused.ts"
import { StaleVersion, StorageError } from "../units/Refused.ts"

/** How often a decision is taken on a newer state before the caller is told that there is too much going on. */
const decisionsMax = 16

type WithoutStale<E> = Exclude<E, { readonly _tag: "StaleVersion" }>

/**
 * Repeats "load, decide, commit" while what was read changes underneath. Other refusals pass through: they
 * are answers, not races.
 */
export const decideAgain = <A, E extends { readonly _tag: string }, R>(
  decision: Effect.Effect<A, E, R>
): Effect.Effect<A, WithoutStale<E> | StorageError, R> => {
  const attempt = (left: number): Effect.Effect<A, WithoutStale<E> | StorageError, R> =>
    Effect.catch(decision, (error): Effect.Effect<A, WithoutStale<E> | StorageError, R> => {
      if (error._tag !== "StaleVersion") return Effect.fail(error as WithoutStale<E>)
      return left === 0
        ? Effect.fail(new StorageError({ reason: "Contended" }))
        : Effect.andThen(Effect.yieldNow, attempt(left - 1))
    })
  return attempt(decisionsMax)
}

/**
 * Names the refusals that a unit can meet by what it asks for. Any other is a bug of ours and becomes a
 * defect, so that a service's signature says exactly what its callers can be told.
 */
export const refusedFor =
  <Tag extends Refused["_tag"] = never>(...tags: ReadonlyArray<Tag>) =>
  <A, E extends { readonly _tag: string }, R>(
    commit: Effect.Effect<A, E, R>
  ): Effect.Effect<A, Exclude<E, Exclude<Refused, { readonly _tag: Tag }>>, R> =>
    Effect.catch(
      commit,
      (error): Effect.Effect<A, Exclude<E, Exclude<Refused, { readonly _tag: Tag }>>> =>
        isRefusal(error) && !(tags as ReadonlyArray<string>).includes(error._tag)
          ? Effect.die(error)
          : Effect.fail(error as Exclude<E, Exclude<Refused, { readonly _tag: Tag }>>)
    )

/**
 * Somebody else has ended it meanwhile, so that the booking or the event of its end stands: to look and decide anew
 * tells how. The door names what stands before it looks at versions. To be put after `keyTaken`.
 */
export const staleWhenEnded =
  (id: Uuid) =>
  <A, E extends { readonly _tag: string }, R>(
    commit: Effect.Effect<A, E, R>
  ): Effect.Effect<A, Exclude<E, DuplicateKey> | StaleVersion, R> =>
    Effect.catch(commit, (error): Effect.Effect<A, Exclude<E, DuplicateKey> | StaleVersion> =>
      error._tag === "DuplicateKey"
        ? Effect.fail(new StaleVersion({ id }))
        : Effect.fail(error as Exclude<E, DuplicateKey>)
    )

const refusals: Readonly<Record<Refused["_tag"], true>> = {
  StaleVersion: true,
  LeaseLost: true,
  DuplicateKey: true,
  InsufficientFunds: true,
  LimitExceeded: true,
  NotEmpty: true
}
const isRefusal = ({ _tag }: { readonly _tag: string }): boolean => Object.hasOwn(refusals, _tag)
