import { DateTime, Effect } from "effect"
import type { StorageError } from "../ports/Refused.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { Storage } from "../ports/Storage.ts"
import type { Queue } from "../ports/Unit.ts"
import { jobLag } from "./Metrics.ts"

/** The queues that every deployment has. Those of subscribers come and go. */
const queues: ReadonlyArray<Queue> = [
  "charge",
  "inbox",
  "payout",
  "return",
  "reconciliation",
  "closing",
  "block",
  "webhook",
  "expiry",
  "recovery"
]

/** Looks how late the oldest due job of each queue is. Any process may, whether or not it works them off. */
export const measureLag: Effect.Effect<void, StorageError, Storage | ServiceTime> = Effect.gen(
  function* () {
    const storage = yield* Storage
    const now = DateTime.toEpochMillis(yield* (yield* ServiceTime).now)
    for (const queue of queues) {
      const due = yield* storage.nextDue([queue])
      const late = due === undefined ? 0 : now - DateTime.toEpochMillis(due)
      yield* jobLag.record(Math.max(0, late) / 1_000, queue)
    }
  }
)
