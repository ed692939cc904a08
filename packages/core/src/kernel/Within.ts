import type { Clock, Exit } from "effect"
import { Duration, Effect, Fiber } from "effect"
import type { BagItem } from "./Bag.ts"
import { Bag } from "./Bag.ts"

/** What has a time until it is given up. */
export interface Watched {
  /** It has ended: nobody gives it up any more. */
  readonly end: () => void
  /** Watches over all that has as long, where nobody does yet: whoever began this one runs it. */
  readonly watching: Effect.Effect<void> | undefined
}

/** Begins to watch over something that may take so long, and is given up by this when that is over. */
export type Watch = (most: Duration.Duration, giveUp: () => void) => Watched

/**
 * Times by this clock. One fiber watches over all that may take as long, and sleeps until the oldest of them is over: nearly
 * all end before, and where many run none of them has a timer of its own.
 */
export const watchOf = (clock: Clock.Clock): Watch => {
  const watches = new Map<number, ReturnType<typeof watchOver>>()
  return (most, giveUp) => {
    const millis = Duration.toMillis(most)
    let watch = watches.get(millis)
    if (watch === undefined) watches.set(millis, (watch = watchOver(clock, millis)))
    return watch(giveUp)
  }
}

/**
 * What an effect comes to within a time of this clock; undefined when that is over. The effect is interrupted then, and
 * nobody waits for how long that takes: a statement whose server is gone takes seconds to let go of its connection.
 */
export const withinOf = (clock: Clock.Clock) => {
  const watch = watchOf(clock)
  return <A, E, R>(
    effect: Effect.Effect<A, E, R>,
    most: Duration.Duration
  ): Effect.Effect<A | undefined, E, R> =>
    Effect.flatMap(
      Effect.forkDetach(effect, { startImmediately: true }),
      (fiber) => fiber.pollUnsafe() ?? untilOver(fiber, most, watch)
    )
}

const untilOver = <A, E>(fiber: Fiber.Fiber<A, E>, most: Duration.Duration, watch: Watch) =>
  Effect.suspend(() => {
    let late = (): void => undefined
    const { end, watching } = watch(most, () => late())
    const ended = Effect.callback<A | undefined, E>((resume) => {
      late = () => {
        resume(Effect.undefined)
        fiber.interruptUnsafe()
      }
      fiber.addObserver((exit: Exit.Exit<A, E>) => {
        end()
        resume(exit)
      })
      return Effect.suspend(() => {
        end()
        return Fiber.interrupt(fiber)
      })
    })
    return watching === undefined
      ? ended
      : Effect.andThen(Effect.forkDetach(watching, { startImmediately: true }), ended)
  })

interface Entry extends BagItem {
  readonly until: bigint
  readonly giveUp: () => void
}

const watchOver = (clock: Clock.Clock, millis: number) => {
  const nanos = BigInt(Math.ceil(millis * 1_000_000))
  const watched = new Bag<Entry>()
  let watcher: Fiber.Fiber<unknown, unknown> | undefined

  const rounds = Effect.gen(function* () {
    for (let oldest = oldestOf(watched); oldest !== undefined; oldest = oldestOf(watched)) {
      const left = oldest.until - clock.monotonicTimeNanosUnsafe()
      if (left > 0n) yield* clock.sleep(Duration.nanos(left))
      else {
        watched.remove(oldest)
        oldest.giveUp()
      }
    }
  })
  const watching = Effect.withFiber((fiber) => {
    if (watcher !== undefined || watched.size === 0) return Effect.void
    watcher = fiber
    return Effect.ensuring(
      rounds,
      Effect.sync(() => {
        if (watcher === fiber) watcher = undefined
      })
    )
  })
  /** No timer keeps a process alive in which nothing runs. */
  const rest = (): void => {
    const resting = watcher
    watcher = undefined
    resting?.interruptUnsafe()
  }

  return (giveUp: () => void): Watched => {
    const until = clock.monotonicTimeNanosUnsafe() + nanos
    const entry = { until, giveUp, index: -1 }
    watched.add(entry)
    return {
      end: () => {
        if (watched.remove(entry) && watched.size === 0) rest()
      },
      watching: watcher === undefined ? watching : undefined
    }
  }
}

const oldestOf = (watched: Bag<Entry>): Entry | undefined => {
  let oldest: Entry | undefined
  for (const entry of watched)
    if (oldest === undefined || entry.until < oldest.until) oldest = entry
  return oldest
}
