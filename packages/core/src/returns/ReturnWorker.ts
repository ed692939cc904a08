import { Context, Effect, Layer } from "effect"
import { Ids } from "../time/Ids.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { isAnyOpen } from "../psp-calls/PspCircuit.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { JobWorker } from "../jobs/JobWorker.ts"
import { make } from "../jobs/JobWorker.ts"
import { ReturnSettler } from "./ReturnSettler.ts"

/** Works the money off that goes back to its payer. */
export class ReturnWorker extends Context.Service<ReturnWorker, JobWorker>()(
  "@pagora/core/returns/ReturnWorker"
) {
  static readonly layer: Layer.Layer<
    ReturnWorker,
    never,
    Storage | PspDirectory | ReturnSettler | Ids | ServiceTime
  > = Layer.effect(
    ReturnWorker,
    Effect.gen(function* () {
      const services = { storage: yield* Storage, time: yield* ServiceTime, ids: yield* Ids }
      const settler = yield* ReturnSettler
      const directory = yield* PspDirectory
      const mayBear = () => !isAnyOpen(directory)
      return make(services, { queues: ["return"], work: settler.work, mayBear })
    })
  )
}
