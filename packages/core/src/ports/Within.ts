import type { Clock, Exit } from "effect"
import { Duration, Effect, Fiber } from "effect"

/**
 * What an effect comes to within a time of this clock; undefined when that is over. The effect is interrupted then, and
 * nobody waits for how long that takes: a statement whose server is gone takes seconds to let go of its connection.
 *
 * One fiber watches over all that may take as long, and sleeps until the oldest of them is over: nearly all end before, and
 * where many run none of them has a timer of its own.
 */
export const withinOf = (clock: Clock.Clock) => {
  const watches = new Map<number, Watch>()
  const watchOf = (most: Duration.Duration): Watch => {
    const millis = Duration.toMillis(most)
    const known = watches.get(millis)
    if (known !== undefined) return known
    const made = watchOver(clock, millis)
    watches.set(millis, made)
    return made
  }
  return <A, E, R>(
    effect: Effect.Effect<A, E, R>,
    most: Duration.Duration
  ): Effect.Effect<A | undefined, E, R> =>
    Effect.flatMap(
      Effect.forkDetach(effect, { startImmediately: true }),
      (fiber) => fiber.pollUnsafe() ?? watchOf(most)(fiber)
    )
}

type Watch = <A, E>(fiber: Fiber.Fiber<A, E>) => Effect.Effect<A | undefined, E>

interface Watched {
  /** When its time is over, by the monotonic clock. */
  readonly until: bigint
  giveUp: () => void
}

const watchOver = (clock: Clock.Clock, millis: number): Watch => {
  const nanos = BigInt(Math.ceil(millis * 1_000_000))
  // Whoever began first is first over, because all have the same time.
  const watched = new Set<Watched>()
  let watcher: Fiber.Fiber<void> | undefined

  const watching = Effect.gen(function* () {
    for (let [oldest] = watched; oldest !== undefined; [oldest] = watched) {
      const left = oldest.until - clock.monotonicTimeNanosUnsafe()
      if (left > 0n) yield* clock.sleep(Duration.nanos(left))
      else oldest.giveUp()
    }
  })
  const begun = Effect.map(Effect.forkDetach(watching), (fiber) => {
    if (watched.size === 0) fiber.interruptUnsafe()
    else watcher = fiber
  })
  // No timer keeps a process alive in which nothing runs.
  const end = (entry: Watched): void => {
    if (!watched.delete(entry) || watched.size > 0) return
    watcher?.interruptUnsafe()
    watcher = undefined
  }

  return <A, E>(fiber: Fiber.Fiber<A, E>) =>
    Effect.suspend(() => {
      const entry: Watched = {
        until: clock.monotonicTimeNanosUnsafe() + nanos,
        giveUp: () => end(entry)
      }
      watched.add(entry)
      const ended = Effect.callback<A | undefined, E>((resume) => {
        entry.giveUp = () => {
          end(entry)
          resume(Effect.undefined)
          fiber.interruptUnsafe()
        }
        fiber.addObserver((exit: Exit.Exit<A, E>) => {
          end(entry)
          resume(exit)
        })
        return Effect.suspend(() => {
          end(entry)
          return Fiber.interrupt(fiber)
        })
      })
      return watcher === undefined ? Effect.andThen(begun, ended) : ended
    })
}
