import { Context, Effect, Layer } from "effect"
import { Ids } from "../time/Ids.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { isAnyOpen } from "../psp-calls/PspCircuit.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { JobWorker } from "../jobs/JobWorker.ts"
import { make } from "../jobs/JobWorker.ts"
import { PayoutSettler } from "./PayoutSettler.ts"

/** Tells the PSP of withdrawals, and asks it about those whose outcome is not known. */
export class PayoutWorker extends Context.Service<PayoutWorker, JobWorker>()(
  "@pagora/core/withdrawals/PayoutWorker"
) {
  static readonly layer: Layer.Layer<
    PayoutWorker,
    never,
    Storage | PspDirectory | PayoutSettler | Ids | ServiceTime
  > = Layer.effect(
    PayoutWorker,
    Effect.gen(function* () {
      const services = { storage: yield* Storage, time: yield* ServiceTime, ids: yield* Ids }
      const settler = yield* PayoutSettler
      const directory = yield* PspDirectory
      const mayBear = () => !isAnyOpen(directory)
      return make(services, { queues: ["payout"], work: settler.work, mayBear })
    })
  )
}
