import { Context, Effect, Layer } from "effect"
import { ChargeSettler } from "../charges/ChargeSettler.ts"
import { Ids } from "../ports/Ids.ts"
import type { ReadableKind } from "../ports/Kind.ts"
import type { StorageError } from "../ports/Refused.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { Storage } from "../ports/Storage.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import { ReturnWorker } from "../returns/ReturnWorker.ts"
import { PayoutWorker } from "../withdrawals/PayoutWorker.ts"
import type { JobWorker } from "../workers/JobWorker.ts"
import { make } from "../workers/JobWorker.ts"

type Work = (job: Claimed) => Effect.Effect<void, StorageError>

/** Looks again at what has ended at the PSP and could still change there. Each kind is judged by its own settler. */
export class ReconciliationWorker extends Context.Service<ReconciliationWorker, JobWorker>()(
  "@pagora/core/reconciliation/ReconciliationWorker"
) {
  static readonly layer: Layer.Layer<
    ReconciliationWorker,
    never,
    Storage | ChargeSettler | PayoutWorker | ReturnWorker | Ids | ServiceTime
  > = Layer.effect(
    ReconciliationWorker,
    Effect.gen(function* () {
      const storage = yield* Storage
      const charges = yield* ChargeSettler
      const payouts = yield* PayoutWorker
      const returns = yield* ReturnWorker
      const settlers = [
        settledBy("charge", charges.work),
        settledBy("withdrawal", payouts.reconcile),
        settledBy("return", returns.reconcile)
      ]
      const work: Work = (job) =>
        Effect.flatMap(storage.findAny(settlers, job.id), (found) =>
          found === undefined
            ? Effect.die(new Error(`There is nothing to reconcile under ${job.id}.`))
            : found.value(job)
        )
      return make(
        { storage, time: yield* ServiceTime, ids: yield* Ids },
        { queues: ["reconciliation"], work }
      )
    })
  )
}

const settledBy = (name: string, work: Work): ReadableKind<Work> => ({
  name,
  table: "operation",
  read: ({ version }) => ({ value: work, version })
})
