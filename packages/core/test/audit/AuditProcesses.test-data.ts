import { Effect, Layer, Logger, Metric } from "effect"
import { TestClock } from "effect/testing"
import type { UnitId, WalletId } from "../../src/kernel/Ids.ts"
import type { Centavos } from "../../src/kernel/Money.ts"
import { checkpointId, CheckpointKind } from "../../src/operator/AuditCheckpoint.ts"
import { Auditor } from "../../src/operator/Auditor.ts"
import { Ids } from "../../src/time/Ids.ts"
import { ServiceTime } from "../../src/time/ServiceTime.ts"
import { Storage } from "../../src/storage/Storage.ts"

/** Lets the pauses of what goes on pass. */
export const passing = Effect.forever(Effect.andThen(TestClock.adjust("1 second"), Effect.yieldNow))

export const checkpoint = Effect.flatMap(Storage, (storage) =>
  storage.find(CheckpointKind, checkpointId)
)

/** A process over the storage of the others: its audits, what it warns of, and what its gauge shows. */
export const aProcess = Effect.fnUntraced(function* (
  change: (storage: Storage["Service"]) => Partial<Storage["Service"]> = () => ({})
) {
  const storage = yield* Storage
  const changed = Layer.succeed(Storage, Storage.of({ ...storage, ...change(storage) }))
  const services = yield* Layer.build(Layer.fresh(Auditor.layer).pipe(Layer.provide(changed)))
  const auditor = yield* Effect.provide(Auditor, services)

  const warnings: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    if (logLevel === "Warn") warnings.push(String(message))
  })
  const registry: Metric.MetricRegistry = new Map()
  const within = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.raceFirst(effect, passing).pipe(
      Effect.provideService(Metric.MetricRegistry, registry),
      Effect.provide(Logger.layer([logger]))
    )
  const shown = Effect.map(
    Effect.provideService(Metric.snapshot, Metric.MetricRegistry, registry),
    (metrics) => {
      const gauge = metrics.find(({ id }) => id === "pagora_audit_violations")
      return gauge?.type === "Gauge" ? Number(gauge.state.value) : undefined
    }
  )
  return { auditor, turn: within(auditor.turn), within, shown, warnings }
})

/** A lien that nothing stands for, or its end. */
export const plantLien = Effect.fnUntraced(function* (wallet: WalletId, delta: bigint) {
  const [storage, ids, time] = [yield* Storage, yield* Ids, yield* ServiceTime]
  const unit = { id: yield* ids.next<UnitId>(), at: yield* time.now }
  yield* storage.commit({ ...unit, liens: [{ wallet, delta: delta as Centavos }] })
})
