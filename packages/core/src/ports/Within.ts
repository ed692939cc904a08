import type { Duration } from "effect"
import { Clock, Effect, Fiber, Option } from "effect"

/**
 * What an effect comes to within a time of this clock; undefined when that is over. The effect is interrupted then, and
 * nobody waits for how long that takes: a statement whose server is gone takes seconds to let go of its connection.
 */
export const withinOf =
  (clock: Clock.Clock) =>
  <A, E, R>(
    effect: Effect.Effect<A, E, R>,
    most: Duration.Input
  ): Effect.Effect<A | undefined, E, R> =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkDetach(effect, { startImmediately: true })
      const exit = yield* Fiber.await(fiber).pipe(
        Effect.timeoutOption(most),
        Effect.provideService(Clock.Clock, clock),
        Effect.onInterrupt(() => Fiber.interrupt(fiber))
      )
      if (Option.isSome(exit)) return yield* exit.value
      fiber.interruptUnsafe()
      return undefined
    })
