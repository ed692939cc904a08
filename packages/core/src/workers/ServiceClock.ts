import type { Scope } from "effect"
import { Context, Duration, Effect, Layer, Schema } from "effect"
import { Uuid } from "../kernel/Ids.ts"
import { decideAgain, refusedFor } from "../storage/DecideAgain.ts"
import * as Kind from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import { StaleVersion } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import { underGuard } from "../telemetry/SpanGuarder.ts"
import { makeClockWatcher } from "./ClockWatcher.ts"

/** How soon this process learns that the storage's clock was set, or that another process has moved business time. */
const followEvery = "1 second"

/** There is one clock in a deployment, so its row has a fixed id. */
const clockId = Uuid.make("00000000-0000-7000-8000-000000000001")

const ClockOffset = Schema.Struct({ offsetMillis: Schema.Int })

const ClockKind: Kind.Kind<typeof ClockOffset.Type> = Kind.make({
  name: "clock",
  table: "registry",
  schema: ClockOffset,
  columns: () => ({ id: clockId, account: clockId, wallet: null, status: "running" })
})

/** Keeps this process at the time of all, and moves business time for all of them and over restarts. */
export class ServiceClock extends Context.Service<
  ServiceClock,
  {
    /** Sandboxes only. */
    readonly advance: (by: Duration.Duration) => Effect.Effect<void, StorageError>
    /** Asks the storage for its clock, and for how far business time is ahead of it. */
    readonly follow: Effect.Effect<void, StorageError>
    /** Follows until the scope closes, and says when the clock of this machine is wrong. */
    readonly start: Effect.Effect<void, StorageError, Scope.Scope>
  }
>()("@pagora/core/workers/ServiceClock") {
  static readonly layer: Layer.Layer<ServiceClock, never, Storage | ServiceTime> = Layer.effect(
    ServiceClock,
    Effect.gen(function* () {
      const storage = yield* Storage
      const time = yield* ServiceTime

      const follow = Effect.gen(function* () {
        yield* storage.clock.ask
        const stored = yield* storage.find(ClockKind, clockId)
        yield* time.setOffset(Duration.millis(stored?.value.offsetMillis ?? 0))
      })

      const advance = Effect.fn("ServiceClock.advance")(function* (by: Duration.Duration) {
        yield* decideAgain(
          Effect.gen(function* () {
            const stored = yield* storage.find(ClockKind, clockId)
            const next = {
              offsetMillis: (stored?.value.offsetMillis ?? 0) + Duration.toMillis(by)
            }
            const at = yield* time.now
            yield* storage
              .commit(
                stored === undefined
                  ? { at, inserts: [ClockKind.row(next)] }
                  : { at, updates: [Kind.update(ClockKind, stored, next)] }
              )
              .pipe(
                refusedFor("StaleVersion", "DuplicateKey"),
                // Two that set the clock for the first time at once: the second moves on from the first.
                Effect.catchTag("DuplicateKey", () => new StaleVersion({ id: clockId }))
              )
          })
        )
        yield* follow
      })

      const start = Effect.gen(function* () {
        const watch = makeClockWatcher({ storage, time })
        yield* follow
        yield* watch
        let isFollowing = true
        const turn = Effect.matchCauseEffect(follow, {
          onSuccess: () => Effect.sync(() => (isFollowing = true)),
          onFailure: (cause) => {
            if (!isFollowing) return Effect.void
            isFollowing = false
            return Effect.logWarning(
              "The clock of the storage could not be read; it is tried again every second.",
              safeCause(cause)
            )
          }
        }).pipe(Effect.andThen(watch))
        yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(followEvery), turn)))
      })
      return ServiceClock.of({ advance, follow, start: underGuard(start) })
    })
  )

  /** Follows from the layer's start to its end. `Workers` do so themselves. */
  static readonly following: Layer.Layer<never, StorageError, ServiceClock> = Layer.effectDiscard(
    Effect.flatMap(ServiceClock, ({ start }) => start)
  )
}
