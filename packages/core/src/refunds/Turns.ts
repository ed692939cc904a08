import { Effect, Semaphore } from "effect"

/** Lets works under one name come one after another in this process; those under others go on beside them. */
export type Turns = (
  name: string
) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Many who decide on one row at once would each write it once and decide anew for every other one. In turns each decides
 * once; whoever comes by another process is still met at the write door.
 */
export const makeTurns = (): Turns => {
  const lines = new Map<string, { readonly turn: Semaphore.Semaphore; count: number }>()
  return (name) => (work) =>
    // Whoever is cut off at any step has left his line.
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const line = lines.get(name) ?? { turn: Semaphore.makeUnsafe(1), count: 0 }
        lines.set(name, line)
        line.count++
        const leave = Effect.sync(() => {
          line.count--
          if (line.count === 0) lines.delete(name)
        })
        return Effect.ensuring(restore(line.turn.withPermits(1)(work)), leave)
      })
    )
}
