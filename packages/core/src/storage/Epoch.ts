import { Context, Effect } from "effect"
import { StorageError } from "../units/Refused.ts"

/**
 * The epoch of the primary in which a piece of work, such as a request or a job, began to read (`StorageDriver.epoch`). What
 * it decides is written in that epoch or not at all.
 */
export const CurrentEpoch = Context.Reference<number | undefined>("@pagora/core/storage/Epoch", {
  defaultValue: () => undefined
})

/** Answers by an epoch; undefined where there is no such thing. */
export type Epoch = (() => number) | undefined

/** Lets a piece of work rest on what it reads from here on. */
export const beginningNow = <A, E, R>(
  epoch: Epoch,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  epoch === undefined
    ? work
    : Effect.suspend(() => Effect.provideService(work, CurrentEpoch, epoch()))

/** Fails with this where another server has taken over while it was read: some of it may be of the former one. */
export const ofOneEpoch = <A, E, R>(
  epoch: Epoch,
  reason: StorageError["reason"],
  reading: Effect.Effect<A, E, R>
): Effect.Effect<A, E | StorageError, R> => {
  if (epoch === undefined) return reading
  return Effect.flatMap(CurrentEpoch, (current) => {
    const begun = current ?? epoch()
    return Effect.filterOrFail(
      reading,
      () => epoch() === begun,
      () => new StorageError({ reason })
    )
  })
}
