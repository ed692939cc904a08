import { Context, Effect, Layer } from "effect"
import { Ids } from "../ports/Ids.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { Storage } from "../ports/Storage.ts"
import type { JobWorker } from "../workers/JobWorker.ts"
import { make } from "../workers/JobWorker.ts"
import { PayoutSettler } from "./PayoutSettler.ts"

/** Tells the PSP of withdrawals, and asks it about those whose outcome is not known. */
export class PayoutWorker extends Context.Service<PayoutWorker, JobWorker>()(
  "@pagora/core/withdrawals/PayoutWorker"
) {
  static readonly layer: Layer.Layer<
    PayoutWorker,
    never,
    Storage | PayoutSettler | Ids | ServiceTime
  > = Layer.effect(
    PayoutWorker,
    Effect.gen(function* () {
      const services = { storage: yield* Storage, time: yield* ServiceTime, ids: yield* Ids }
      const settler = yield* PayoutSettler
      return make(services, { queues: ["payout"], work: settler.work })
    })
  )
}
