import { DateTime, Effect, Random } from "effect"
import type { DeliveryId, EndpointId, LeaseToken } from "../kernel/Ids.ts"
import type { WorkerServices } from "../jobs/JobRunner.ts"
import { lease } from "../jobs/LeaseKeeper.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import { refusedFor } from "../storage/DecideAgain.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import type { AttemptRow, JobWrite } from "../units/Unit.ts"
import { delayAfter, handlerMax, queueOf } from "./Subscription.ts"

/** How an attempt ended, and what becomes of its delivery. */
type Ending = Pick<AttemptRow, "outcome" | "durationMillis" | "status">

export const unsubscribed: Ending = {
  outcome: "unsubscribed",
  durationMillis: 0,
  status: "cancelled"
}

/** Writes how an attempt ended; not where somebody else has its job by now. */
export const record = Effect.fnUntraced(function* (
  { storage, time }: WorkerServices,
  { id, queue, token }: Claimed,
  told: { readonly at: DateTime.Utc; readonly attempt: number; readonly ending: Ending }
) {
  const now = yield* time.now
  const due = DateTime.addDuration(now, delayAfter(told.attempt, yield* Random.next))
  const after: JobWrite =
    told.ending.status === "queued"
      ? { _tag: "Retry", queue, id, token, due }
      : { _tag: "Finish", queue, id, token }
  yield* storage
    .commit({
      at: now,
      attempts: [
        {
          delivery: id as DeliveryId,
          number: told.attempt,
          at: told.at,
          httpStatus: null,
          ...told.ending
        }
      ],
      jobs: [after]
    })
    .pipe(
      refusedFor("LeaseLost", "DuplicateKey"),
      // Our lease was over, and somebody else has it.
      Effect.catchTag(["LeaseLost", "DuplicateKey"], () =>
        Effect.logDebug("What a subscriber did came too late to count.")
      )
    )
})

/** Later than anything is ever due. */
const afterAll = DateTime.makeUnsafe("9999-01-01T00:00:00.000Z")
const claimMax = 64

/** Cancels what waits for a subscription and nobody has claimed. */
export const cancelWaiting = Effect.fnUntraced(function* (
  services: WorkerServices,
  id: EndpointId
) {
  const { ids, storage, time } = services
  for (;;) {
    const jobs = yield* storage.claim({
      queue: queueOf(id),
      now: afterAll,
      lease: handlerMax,
      max: claimMax,
      perGroup: claimMax,
      token: yield* ids.next<LeaseToken>()
    })
    if (jobs.length === 0) return
    const deliveries = yield* storage.deliveries({ ids: jobs.map((job) => job.id as DeliveryId) })
    const at = yield* time.now
    // At once, so that the write door writes them together.
    yield* Effect.forEach(
      jobs,
      (job) => {
        const attempts = deliveries.find((delivery) => delivery.id === job.id)?.attempts ?? 0
        return record(services, job, { at, attempt: attempts + 1, ending: unsubscribed })
      },
      { concurrency: claimMax, discard: true }
    )
  }
})

/** Cancels also what another process had claimed, and died with: nobody else asks for it any more. */
export const cancelAll = (services: WorkerServices, id: EndpointId) =>
  Effect.gen(function* () {
    for (;;) {
      yield* cancelWaiting(services, id)
      const left = yield* services.storage.jobs({ queue: queueOf(id), limit: 1 })
      if (left.length === 0) return
      yield* Effect.sleep(lease)
    }
  }).pipe(
    Effect.catchCause((cause) =>
      Effect.logWarning(
        "What waited for a subscriber that was switched off could not be cancelled; switch it off again.",
        safeCause(cause)
      )
    )
  )
