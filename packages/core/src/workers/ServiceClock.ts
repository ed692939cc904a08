import { Context, Duration, Effect, Layer, Schema } from "effect"
import type { UnitId } from "../kernel/Ids.ts"
import { Uuid } from "../kernel/Ids.ts"
import { decideAgain, refusedFor } from "../ports/DecideAgain.ts"
import { Ids } from "../ports/Ids.ts"
import * as Kind from "../ports/Kind.ts"
import type { StorageError } from "../ports/Refused.ts"
import { StaleVersion } from "../ports/Refused.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { Storage } from "../ports/Storage.ts"

/** There is one clock in a deployment, so its row has a fixed id. */
const clockId = Uuid.make("00000000-0000-7000-8000-000000000001")

const ClockOffset = Schema.Struct({ offsetMillis: Schema.Int })

const ClockKind: Kind.Kind<typeof ClockOffset.Type> = Kind.make({
  name: "clock",
  table: "registry",
  schema: ClockOffset,
  columns: () => ({ id: clockId, account: clockId, wallet: null, status: "running" })
})

/** Moves business time, for every process that shares the storage and over restarts. Sandboxes only. */
export class ServiceClock extends Context.Service<
  ServiceClock,
  {
    readonly advance: (by: Duration.Duration) => Effect.Effect<void, StorageError>
    /** Takes over what is stored: at the start, and when another process has moved the clock. */
    readonly follow: Effect.Effect<void, StorageError>
  }
>()("@pagora/core/workers/ServiceClock") {
  static readonly layer: Layer.Layer<ServiceClock, never, Storage | Ids | ServiceTime> =
    Layer.effect(
      ServiceClock,
      Effect.gen(function* () {
        const storage = yield* Storage
        const ids = yield* Ids
        const time = yield* ServiceTime

        const follow = Effect.gen(function* () {
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
              const unit = { id: yield* ids.next<UnitId>(), at: yield* time.now }
              yield* storage
                .commit(
                  stored === undefined
                    ? { ...unit, inserts: [ClockKind.row(next)] }
                    : { ...unit, updates: [Kind.update(ClockKind, stored, next)] }
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
        return ServiceClock.of({ advance, follow })
      })
    )
}
