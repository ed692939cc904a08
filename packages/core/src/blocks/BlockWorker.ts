import { Context, Effect, Layer } from "effect"
import { Ids } from "../time/Ids.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { JobWorker } from "../jobs/JobWorker.ts"
import { make } from "../jobs/JobWorker.ts"
import { BlockCollector } from "./BlockCollector.ts"

/** Works the approved blocks off whose rest is to be looked for. */
export class BlockWorker extends Context.Service<BlockWorker, JobWorker>()(
  "@pagora/core/blocks/BlockWorker"
) {
  static readonly layer: Layer.Layer<
    BlockWorker,
    never,
    Storage | BlockCollector | Ids | ServiceTime
  > = Layer.effect(
    BlockWorker,
    Effect.gen(function* () {
      const services = { storage: yield* Storage, time: yield* ServiceTime, ids: yield* Ids }
      const collector = yield* BlockCollector
      return make(services, { queues: ["block"], work: collector.work })
    })
  )
}
