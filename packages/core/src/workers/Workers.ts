import { Context, Effect, Layer, Scope } from "effect"
import { BlockWorker } from "../blocks/BlockWorker.ts"
import { ChargeWorker } from "../charges/ChargeWorker.ts"
import { Auditor } from "../operator/Auditor.ts"
import type { StorageError } from "../units/Refused.ts"
import { Ids } from "../time/Ids.ts"
import type { ReadableKind } from "../units/Kind.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { Reconcile, ReconcilingWorker } from "../reconciliation/Reconciler.ts"
import { ReportWorker } from "../psp-reports/ReportWorker.ts"
import { ReturnWorker } from "../returns/ReturnWorker.ts"
import { Subscribers } from "../subscribers/Subscribers.ts"
import { WebhookDispatcher } from "../webhooks/WebhookDispatcher.ts"
import { WebhookRecoverer } from "../webhooks/WebhookRecoverer.ts"
import { PayoutWorker } from "../withdrawals/PayoutWorker.ts"
import { make } from "../jobs/JobWorker.ts"
import { Purger } from "./Purger.ts"
import { ServiceClock } from "./ServiceClock.ts"
import { waking } from "./SleepingJobs.ts"
import { underGuard } from "../telemetry/SpanGuarder.ts"

/**
 * Looks again at what has ended at the PSP and could still change there. Each kind is reconciled as it was before its end:
 * a job does not say what it is about.
 */
const lateLooks = Effect.gen(function* () {
  const storage = yield* Storage
  const kinds = [
    reconciledBy("charge", yield* ChargeWorker),
    reconciledBy("withdrawal", yield* PayoutWorker),
    reconciledBy("return", yield* ReturnWorker)
  ]
  return make(
    { storage, time: yield* ServiceTime, ids: yield* Ids },
    {
      queues: ["reconciliation"],
      work: (job) =>
        Effect.flatMap(storage.findAny(kinds, job.id), (found) =>
          found === undefined
            ? Effect.die(new Error(`There is nothing to reconcile under ${job.id}.`))
            : found.value(job)
        )
    }
  )
})

const reconciledBy = (name: string, { reconcile }: ReconcilingWorker): ReadableKind<Reconcile> => ({
  name,
  table: "operation",
  read: ({ version }) => ({ value: reconcile, version })
})

/** Every worker. A new one is one entry here. */
const allWorkers = Effect.all([
  ChargeWorker,
  PayoutWorker,
  ReturnWorker,
  ReportWorker,
  lateLooks,
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
    ServiceClock | ServiceTime | Storage | Auditor | Effect.Services<typeof allWorkers>
  > = Layer.effect(
    Workers,
    Effect.gen(function* () {
      const clock = yield* ServiceClock
      const all = yield* allWorkers
      // It moves nothing on, so that there is nothing of it to drain.
      const auditor = yield* Auditor
      const wakes = waking({ storage: yield* Storage, time: yield* ServiceTime })

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
        yield* Effect.forkIn(wakes, together)
      })
      return Workers.of({ drain: underGuard(drain), start: underGuard(start) })
    })
  )

  /** Works from the layer's start to its end. */
  static readonly running: Layer.Layer<never, StorageError, Workers> = Layer.effectDiscard(
    Effect.flatMap(Workers, ({ start }) => start)
  )
}
