import { Context, Effect, Layer } from "effect"
import type { BlockId } from "../kernel/Ids.ts"
import { toBrlString, zero } from "../kernel/Money.ts"
import { Ids } from "../time/Ids.ts"
import type { Refused, StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import { endOrRetry, finish, lookedForAgain, workOff } from "../jobs/JobSteps.ts"
import type { JobWorker } from "../jobs/JobWorker.ts"
import { make } from "../jobs/JobWorker.ts"
import * as Kind from "../units/Kind.ts"
import { BlockKind, isCollecting, owed, waived } from "./Block.ts"
import { BlockWriter } from "./BlockWriter.ts"
import { isTimeUp, nextLook } from "./Chargeback.ts"

/**
 * Collects what approved blocks still owe, as money comes to their wallets, and gives the rest up when the time for it
 * is over.
 */
export class BlockWorker extends Context.Service<BlockWorker, JobWorker>()(
  "@pagora/core/blocks/BlockWorker"
) {
  static readonly layer: Layer.Layer<
    BlockWorker,
    never,
    Storage | BlockWriter | Ids | ServiceTime
  > = Layer.effect(
    BlockWorker,
    Effect.gen(function* () {
      const services = { storage: yield* Storage, time: yield* ServiceTime, ids: yield* Ids }
      const collect = collecting(yield* BlockWriter, services.time)
      const work = Effect.fn("BlockWorker.work")((job: Claimed) =>
        workOff("balance block", job, (claimed) => Effect.as(collect(claimed), "finished"))
      )
      return make(services, { queues: ["block"], work })
    })
  )
}

const collecting = (writer: BlockWriter["Service"], time: ServiceTime["Service"]) =>
  Effect.fnUntraced(function* (job: Claimed): Effect.fn.Return<void, Refused | StorageError> {
    const current = yield* writer.find(job.id as BlockId)
    const at = yield* time.now
    if (current === undefined) {
      const again = yield* lookedForAgain("balance block", job, at)
      return yield* writer.commit({ at, jobs: [again] })
    }
    const expects = [Kind.expectation(BlockKind, current)]
    if (!isCollecting(current.value))
      return yield* writer.commit({ at, expects, jobs: [finish(job)] })
    // Beside a return that nobody has decided, nothing is taken.
    const undecided = yield* writer.undecidedOn(current.value)
    const amount = undecided === undefined ? yield* writer.cover(current.value) : zero
    const { block: paid, unit } = yield* writer.take(current.value, amount, at)
    const block = isTimeUp(paid, at) ? waived(paid, at) : paid
    const ending = endOrRetry(job, nextLook(block, at))
    if (block === current.value) return yield* writer.commit({ at, expects, jobs: [ending] })
    yield* writer.write(current, { ...unit, block, at, jobs: [...unit.jobs, ending] })
    yield* Effect.logInfo("An approved balance block was collected.").pipe(
      Effect.annotateLogs({
        block: block.id,
        collected: toBrlString(amount),
        owed: toBrlString(owed(block)),
        waived: toBrlString(block.uncollected ?? zero)
      })
    )
  })
