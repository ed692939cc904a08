import type { Scope } from "effect"
import { Context, DateTime, Duration, Effect, Layer } from "effect"
import type { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { Purgeable } from "../ports/StorageDriver.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import { DeliveriesKept } from "./DeliveriesKept.ts"

/** One statement takes so many at most, so that its locks are short. */
const atOnceMax = 500
const every = "10 minutes"
/** After a day without workers there are many at once: between two statements others have their turn. */
const pause = "100 millis"

/** How long what is over is kept, whatever clocks do (decisions 0065, 0089). */
const keptFor = (
  deliveries: Duration.Duration
): Readonly<Record<Purgeable, Duration.Duration>> => ({
  /** Their answers hold documents of payers and, sealed, secrets that were issued; the keys find transactions, and stay (decision 0053). */
  idempotency: Duration.hours(1),
  /** Of limits, by day or month: no limit looks at it any more. */
  counter: Duration.days(7),
  /** From when they were made, with their attempts. */
  delivery: deliveries
})

/**
 * Takes away what has had its day: answers of Idempotency-Keys, counters of limits, deliveries, and identities of writes,
 * which the storage dates itself (decision 0057). Every process may do it at once.
 */
export class Purger extends Context.Service<
  Purger,
  {
    /** Purges everything that is over, and answers how much that was. */
    readonly drain: Effect.Effect<number, StorageError>
    /** Purges now and then until the scope closes. */
    readonly start: Effect.Effect<void, never, Scope.Scope>
  }
>()("@pagora/core/workers/Purger") {
  static readonly layer: Layer.Layer<Purger, never, Storage | ServiceTime> = Layer.effect(
    Purger,
    Effect.gen(function* () {
      const storage = yield* Storage
      const time = yield* ServiceTime
      const kept = keptFor(yield* DeliveriesKept)

      const some = (what: Purgeable) =>
        Effect.flatMap(time.bounds, ({ earliest }) =>
          storage.purge(what, DateTime.subtractDuration(earliest, kept[what]), atOnceMax)
        )
      const purges = [
        some("idempotency"),
        some("counter"),
        some("delivery"),
        storage.forgetWrites(atOnceMax)
      ]

      const allOf = Effect.fnUntraced(function* (
        purge: Effect.Effect<number, StorageError>,
        between: Effect.Effect<void>
      ) {
        for (let all = 0; ; yield* between) {
          const purged = yield* purge
          all += purged
          if (purged < atOnceMax) return all
        }
      })
      const drain = Effect.map(
        Effect.forEach(purges, (purge) => allOf(purge, Effect.void)),
        (counts) => counts.reduce((sum, count) => sum + count, 0)
      )
      // One that fails, such as for want of a right, keeps none of the others from being done.
      const turn = Effect.forEach(
        purges,
        (purge) =>
          Effect.catchCause(allOf(purge, Effect.sleep(pause)), (cause) =>
            Effect.logWarning(
              "What is over could not be purged; it is tried again.",
              safeCause(cause)
            )
          ),
        { discard: true }
      )
      const start = Effect.asVoid(
        Effect.forkScoped(Effect.forever(Effect.andThen(turn, Effect.sleep(every))))
      )
      return Purger.of({ drain, start })
    })
  )
}
