import { DateTime, Effect } from "effect"
import type { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { Queue } from "../units/Unit.ts"
import { workQueues } from "../units/Unit.ts"
import { jobLag, oldestDelivery } from "../telemetry/Metrics.ts"

/** The lines whose groups are endpoints, and of how many endpoints is told (decision 0076). */
const deliveryQueues: ReadonlyArray<Queue> = ["webhook", "expiry"]
const endpointsMax = 20

/** Looks how late the oldest due job of each queue is. Any process may, whether or not it works them off. */
export const measureLag: Effect.Effect<void, StorageError, Storage | ServiceTime> = Effect.gen(
  function* () {
    const storage = yield* Storage
    const now = DateTime.toEpochMillis(yield* (yield* ServiceTime).now)
    for (const queue of workQueues) {
      const due = yield* storage.nextDue([queue])
      const late = due === undefined ? 0 : now - DateTime.toEpochMillis(due)
      yield* jobLag.record(Math.max(0, late) / 1_000, queue)
    }
    yield* tellOldest(now)
  }
)

/** Of the endpoints that wait longest, and of no other any more. */
const tellOldest = Effect.fnUntraced(function* (nowMillis: number) {
  const heads = yield* (yield* Storage).heads({
    queues: deliveryQueues,
    now: DateTime.makeUnsafe(nowMillis),
    limit: endpointsMax
  })
  yield* oldestDelivery.keep(heads.map(({ group }) => [group]))
  for (const { due, group } of heads) {
    yield* oldestDelivery.record((nowMillis - DateTime.toEpochMillis(due)) / 1_000, group)
  }
})
