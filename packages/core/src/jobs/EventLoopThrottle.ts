import { Effect, Latch } from "effect"

/**
 * Lets so many go on in each turn of the event loop, in the order in which they come. Whatever else waits there, such as
 * requests, has its turn in between: work that comes by the dozen at once keeps nobody waiting for all of it.
 */
export const makeEventLoopThrottle = (atOnce: number): Effect.Effect<void> => {
  let line: Array<Latch.Latch> = []
  let isTurning = false

  const turns = Effect.gen(function* () {
    while (line.length > 0) {
      yield* Effect.yieldNow
      const going = line.slice(0, atOnce)
      line = line.slice(atOnce)
      for (const one of going) one.openUnsafe()
    }
    isTurning = false
  })
  return Effect.uninterruptibleMask((restore) =>
    Effect.suspend(() => {
      // In line before anybody turns: whoever comes may be held up at any step from here on.
      const mine = Latch.makeUnsafe(false)
      line.push(mine)
      const gone = Effect.onInterrupt(restore(mine.await), () =>
        Effect.sync(() => {
          line = line.filter((one) => one !== mine)
        })
      )
      if (isTurning) return gone
      isTurning = true
      return Effect.andThen(Effect.forkDetach(turns), gone)
    })
  )
}
