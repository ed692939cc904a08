import type { Scope } from "effect"
import { Context, Effect, Layer } from "effect"
import type { StorageError } from "../ports/Refused.ts"
import { Storage } from "../ports/Storage.ts"
import { safeCause } from "../telemetry/SafeCause.ts"

/** One statement takes so many at most, so that it is short. */
const atOnceMax = 1_000
const every = "10 minutes"
/** Between two statements others have their turn. */
const pause = "100 millis"

/**
 * Forgets the identities of writes that are over a day old, by the storage's own clock: nobody asks about those any more
 * (decision 0065). Every process may do it at once.
 */
export class WritePurger extends Context.Service<
  WritePurger,
  {
    /** Forgets everything that is over, and answers how much that was. */
    readonly drain: Effect.Effect<number, StorageError>
    /** Forgets now and then until the scope closes. */
    readonly start: Effect.Effect<void, never, Scope.Scope>
  }
>()("@pagora/core/workers/WritePurger") {
  static readonly layer: Layer.Layer<WritePurger, never, Storage> = Layer.effect(
    WritePurger,
    Effect.gen(function* () {
      const { forgetWrites } = yield* Storage

      const drainWith = Effect.fnUntraced(function* (between: Effect.Effect<void>) {
        for (let all = 0; ; yield* between) {
          const forgotten = yield* forgetWrites(atOnceMax)
          all += forgotten
          if (forgotten < atOnceMax) return all
        }
      })
      const turn = drainWith(Effect.sleep(pause)).pipe(
        Effect.catchCause((cause) =>
          Effect.logWarning(
            "Identities of old writes could not be forgotten; it is tried again.",
            safeCause(cause)
          )
        )
      )
      const start = Effect.asVoid(
        Effect.forkScoped(Effect.forever(Effect.andThen(turn, Effect.sleep(every))))
      )
      return WritePurger.of({ drain: drainWith(Effect.void), start })
    })
  )
}
