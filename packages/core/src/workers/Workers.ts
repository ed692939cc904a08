import { Effect, Layer } from "effect"
import { BlockWorker } from "../blocks/BlockWorker.ts"
import { ChargeWorker } from "../charges/ChargeWorker.ts"
import type { StorageError } from "../ports/Refused.ts"
import { WebhookDispatcher } from "../webhooks/WebhookDispatcher.ts"
import { ServiceClock } from "./ServiceClock.ts"

/** How soon this process learns that another one has moved the business clock. */
const followEvery = "1 second"

/**
 * Everything that runs in the background, from the layer's start to its end. Work is claimed with leases, so
 * any number of processes may run it and none of them leads.
 */
export const layer: Layer.Layer<
  never,
  StorageError,
  BlockWorker | ChargeWorker | WebhookDispatcher | ServiceClock
> = Layer.effectDiscard(
  Effect.gen(function* () {
    const clock = yield* ServiceClock
    yield* clock.follow
    yield* Effect.forkScoped(
      Effect.forever(
        Effect.andThen(
          Effect.sleep(followEvery),
          Effect.catchCause(clock.follow, (cause) =>
            Effect.logWarning("The business clock could not be read.", cause)
          )
        )
      )
    )
    yield* (yield* ChargeWorker).start
    yield* (yield* BlockWorker).start
    yield* (yield* WebhookDispatcher).start
  })
)
