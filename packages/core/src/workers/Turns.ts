import { Effect } from "effect"

/**
 * Lets so many go on in each turn of the event loop, in the order in which they come. Whatever else waits there, such as
 * requests, has its turn in between: work that comes by the dozen at once keeps nobody waiting for all of it.
 */
export const makeTurns = (atOnce: number): Effect.Effect<void> => {
  const line = new Set<() => void>()
  let isTurning = false

  const turns = Effect.gen(function* () {
    while (line.size > 0) {
      yield* Effect.yieldNow
      let gone = 0
      for (const go of line) {
        if (gone++ === atOnce) break
        line.delete(go)
        go()
      }
    }
    isTurning = false
  })
  const turn = Effect.callback<void>((resume) => {
    const go = () => resume(Effect.void)
    line.add(go)
    return Effect.sync(() => line.delete(go))
  })
  return Effect.suspend(() => {
    if (isTurning) return turn
    isTurning = true
    return Effect.andThen(Effect.forkDetach(turns), turn)
  })
}
