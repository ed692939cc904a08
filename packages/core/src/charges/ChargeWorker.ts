import { Context, Effect, Layer } from "effect"
import { Ids } from "../time/Ids.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { isAnyOpen } from "../psp-calls/PspCircuit.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { JobWorker } from "../jobs/JobWorker.ts"
import { make, together } from "../jobs/JobWorker.ts"
import { ChargeCloser } from "./ChargeCloser.ts"
import { ChargeSettler } from "./ChargeSettler.ts"

/**
 * Places of charges whose time is over, which come by the thousand at once and nobody waits for. Each claim costs as much as
 * the work on several charges, so it takes many: of one account half of its places.
 */
const deadlines = { slotsOfGroup: 128, freeOfGroup: 64, claimMax: 96 } as const

/** Works the charges off that a PSP notified, those whose time has come, and those of closed sub-accounts. */
export class ChargeWorker extends Context.Service<ChargeWorker, JobWorker>()(
  "@pagora/core/charges/ChargeWorker"
) {
  static readonly layer: Layer.Layer<
    ChargeWorker,
    never,
    Storage | PspDirectory | ChargeCloser | ChargeSettler | Ids | ServiceTime
  > = Layer.effect(
    ChargeWorker,
    Effect.gen(function* () {
      const services = { storage: yield* Storage, time: yield* ServiceTime, ids: yield* Ids }
      const settler = yield* ChargeSettler
      const closer = yield* ChargeCloser
      const directory = yield* PspDirectory
      const mayBear = () => !isAnyOpen(directory)
      const urgent = make(services, {
        queues: ["inbox", "closing"],
        work: (job) => (job.queue === "closing" ? closer : settler).work(job),
        mayBear
      })
      const patient = make(services, {
        queues: ["charge"],
        work: settler.work,
        mayBear,
        ...deadlines
      })
      return together([urgent, patient])
    })
  )
}
