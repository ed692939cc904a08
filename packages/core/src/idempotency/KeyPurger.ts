import type { Scope } from "effect"
import { Context, DateTime, Duration, Effect, Layer } from "effect"
import type { StorageError } from "../ports/Refused.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { Storage } from "../ports/Storage.ts"
import type { Purgeable } from "../ports/StorageDriver.ts"
import { safeCause } from "../telemetry/SafeCause.ts"

/** One statement takes so many at most, so that its locks are short. */
const atOnceMax = 500
const every = "10 minutes"
/** What a key promises ends with its 24 hours; its answer is kept for so long beyond, whatever clocks do. */
const margin = Duration.hours(1)
/** A counter of a day or month that is over; no limit looks at it any more, whatever clocks do. */
const counterMargin = Duration.days(7)
/** After a day without workers there are many at once: between two statements others have their turn. */
const pause = "100 millis"

/**
 * Takes the answers out of Idempotency-Keys whose 24 hours have been over for an hour: they hold documents of payers and, sealed, secrets that
 * were issued. The keys themselves stay, because transactions are looked up by them. Deletes the counters of limits whose
 * period has been over for a week. Every process may do it at once.
 */
export class KeyPurger extends Context.Service<
  KeyPurger,
  {
    /** Purges everything that is over, and answers how much that was. */
    readonly drain: Effect.Effect<number, StorageError>
    /** Purges now and then until the scope closes. */
    readonly start: Effect.Effect<void, never, Scope.Scope>
  }
>()("@pagora/core/idempotency/KeyPurger") {
  static readonly layer: Layer.Layer<KeyPurger, never, Storage | ServiceTime> = Layer.effect(
    KeyPurger,
    Effect.gen(function* () {
      const storage = yield* Storage
      const time = yield* ServiceTime

      const allOf = Effect.fnUntraced(function* (
        what: Purgeable,
        kept: Duration.Duration,
        between: Effect.Effect<void>
      ) {
        let all = 0
        for (;;) {
          const before = DateTime.subtractDuration(yield* time.now, kept)
          const purged = yield* storage.purge(what, before, atOnceMax)
          all += purged
          if (purged < atOnceMax) return all
          yield* between
        }
      })
      const drainWith = Effect.fnUntraced(function* (between: Effect.Effect<void>) {
        const keys = yield* allOf("idempotency", margin, between)
        return keys + (yield* allOf("counter", counterMargin, between))
      })
      const drain = drainWith(Effect.void)
      const turn = drainWith(Effect.sleep(pause)).pipe(
        Effect.catchCause((cause) =>
          Effect.logWarning(
            "Idempotency-Keys and counters that are over could not be purged; it is tried again.",
            safeCause(cause)
          )
        )
      )
      const start = Effect.asVoid(
        Effect.forkScoped(Effect.forever(Effect.andThen(turn, Effect.sleep(every))))
      )
      return KeyPurger.of({ drain, start })
    })
  )
}
