import { Context, Effect, Layer } from "effect"
import type { BlockId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { toBrlString } from "../kernel/Money.ts"
import type { Refused, StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import type { JobWrite } from "../units/Unit.ts"
import { finish, retry, workOff } from "../jobs/JobSteps.ts"
import { isCollecting, owed, waived } from "./Block.ts"
import { BlockBooks } from "./BlockBooks.ts"
import { isTimeUp, nextLook } from "./Chargeback.ts"

/**
 * Collects what approved blocks still owe, as money comes to their wallets, and gives the rest up when the time for it
 * is over.
 */
export class BlockCollector extends Context.Service<
  BlockCollector,
  {
    /** Works a claimed job of the queue `block` off. */
    readonly work: (job: Claimed) => Effect.Effect<void, StorageError>
  }
>()("@pagora/core/blocks/BlockCollector") {
  static readonly layer: Layer.Layer<BlockCollector, never, BlockBooks | ServiceTime> =
    Layer.effect(
      BlockCollector,
      Effect.gen(function* () {
        const books = yield* BlockBooks
        const time = yield* ServiceTime

        const step = Effect.fnUntraced(function* (
          job: Claimed
        ): Effect.fn.Return<void, Refused | StorageError> {
          const current = yield* books.find(job.id as BlockId)
          const at = yield* time.now
          if (current === undefined || !isCollecting(current.value)) {
            return yield* books.commit({ at, jobs: [ending(job, undefined)] })
          }
          const amount = yield* books.cover(current.value)
          const { block: paid, unit } = yield* books.take(current.value, amount, at)
          const block = isTimeUp(paid, at) ? waived(paid, at) : paid
          const due = nextLook(block, at)
          if (block === current.value) {
            return yield* books.commit({ at, jobs: [ending(job, due)] })
          }
          yield* books.write(current, {
            ...unit,
            block,
            at,
            jobs: [...unit.jobs, ending(job, due)]
          })
          yield* Effect.logInfo("An approved balance block was collected.").pipe(
            Effect.annotateLogs({
              block: block.id,
              collected: toBrlString(amount),
              owed: toBrlString(owed(block)),
              waived: toBrlString(block.uncollected ?? (0n as Centavos))
            })
          )
        })

        const work = Effect.fn("BlockCollector.work")((job: Claimed) =>
          workOff("balance block", job, (claimed) => Effect.as(step(claimed), "finished"))
        )
        return BlockCollector.of({ work })
      })
    )
}

/** What becomes of the job: it is done, or comes again. */
const ending = (job: Claimed, due: ReturnType<typeof nextLook>): JobWrite =>
  due === undefined ? finish(job) : retry(job, due)
