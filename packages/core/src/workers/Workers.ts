import { Context, Effect, Layer, Scope } from "effect"
import { BlockWorker } from "../blocks/BlockWorker.ts"
import { ChargeWorker } from "../charges/ChargeWorker.ts"
import { Auditor } from "../operator/Auditor.ts"
import type { StorageError } from "../units/Refused.ts"
import { ReconciliationWorker } from "./ReconciliationWorker.ts"
import { ReturnWorker } from "../returns/ReturnWorker.ts"
import { Subscribers } from "../subscribers/Subscribers.ts"
import { WebhookDispatcher } from "../webhooks/WebhookDispatcher.ts"
import { WebhookRecoverer } from "../webhooks/WebhookRecoverer.ts"
import { PayoutWorker } from "../withdrawals/PayoutWorker.ts"
import { Purger } from "./Purger.ts"
import { ServiceClock } from "./ServiceClock.ts"
import { underGuard } from "../telemetry/SpanGuarder.ts"

/** Every worker. A new one is one entry here. */
const allWorkers = Effect.all([
  ChargeWorker,
  PayoutWorker,
  ReturnWorker,
  ReconciliationWorker,
  BlockWorker,
  WebhookDispatcher,
  WebhookRecoverer,
  Subscribers,
  Purger
])

/** All that works in the background, as one. */
export class Workers extends Context.Service<
  Workers,
  {
    /** Works off everything that is due, of each kind once, and answers how much that was. */
    readonly drain: Effect.Effect<number, StorageError>
    /**
     * Works until the scope closes. Work is claimed with leases, so any number of processes may do so and none of
     * them leads.
     */
    readonly start: Effect.Effect<void, StorageError, Scope.Scope>
  }
>()("@pagora/core/workers/Workers") {
  static readonly layer: Layer.Layer<
    Workers,
    never,
    ServiceClock | Auditor | Effect.Services<typeof allWorkers>
  > = Layer.effect(
    Workers,
    Effect.gen(function* () {
      const clock = yield* ServiceClock
      const all = yield* allWorkers
      // It moves nothing on, so that there is nothing of it to drain.
      const auditor = yield* Auditor

      const drain = Effect.gen(function* () {
        let worked = 0
        for (const worker of all) worked += yield* worker.drain
        return worked
      })

      const start = Effect.gen(function* () {
        yield* clock.start
        // They stop at once, and not one after the other: stopping takes as long as the slowest.
        const together = yield* Scope.fork(yield* Effect.scope, "parallel")
        for (const { start } of [...all, auditor])
          yield* Scope.provide(start, yield* Scope.fork(together))
      })
      return Workers.of({ drain: underGuard(drain), start: underGuard(start) })
    })
  )

  /** Works from the layer's start to its end. */
  static readonly running: Layer.Layer<never, StorageError, Workers> = Layer.effectDiscard(
    Effect.flatMap(Workers, ({ start }) => start)
  )
}
