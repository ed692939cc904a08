import { Deferred, Effect } from "effect"

/**
 * Work that is under way once, however many ask for it: all get its answer. It goes on when whoever asked first has left, so
 * that nobody waits for somebody who is gone.
 */
export const oneFlight = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  let flight: Deferred.Deferred<A, E> | undefined
  // Whoever asks first may be cut off at any step: the others would wait for a flight that never took off.
  return Effect.uninterruptibleMask((restore) =>
    Effect.suspend(() => {
      if (flight !== undefined) return restore(Deferred.await(flight))
      const mine = Deferred.makeUnsafe<A, E>()
      flight = mine
      const land = Effect.flatMap(Effect.exit(work), (exit) => {
        flight = undefined
        return Deferred.done(mine, exit)
      })
      return Effect.andThen(Effect.forkDetach(land), restore(Deferred.await(mine)))
    })
  )
}
