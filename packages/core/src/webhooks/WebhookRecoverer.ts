import { Context, DateTime, Duration, Effect, Layer } from "effect"
import { decideAgain, refusedFor } from "../storage/DecideAgain.ts"
import { Ids } from "../time/Ids.ts"
import * as Kind from "../units/Kind.ts"
import { StaleVersion } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import type { JobWrite } from "../units/Unit.ts"
import { lookedForAgain } from "../jobs/JobSteps.ts"
import type { JobWorker } from "../jobs/JobWorker.ts"
import * as Worker from "../jobs/JobWorker.ts"
import type { Endpoint } from "./Endpoint.ts"
import { EndpointKind } from "./Endpoint.ts"
import { afterBatch, brokenOff, isRecoveryOver } from "./EndpointHealth.ts"
import { resent } from "./Redeliveries.ts"
import { present } from "../kernel/Present.ts"

const batch = {
  size: 100,
  /** New events go out between two batches, and an endpoint that fails again is not sent the rest. */
  pause: Duration.seconds(1)
} as const

/**
 * Sends again what endpoints have missed, oldest first, each as a new delivery of the same event. Nothing is sent to
 * find out whether an endpoint is back: the delivery that it took says so (`EndpointHealth.ts`).
 *
 * A batch is one commit: it makes the new deliveries, takes the old ones off the list and moves the endpoint's mark.
 * So a crash loses nothing and doubles nothing, however many processes there are.
 */
export class WebhookRecoverer extends Context.Service<WebhookRecoverer, JobWorker>()(
  "@pagora/core/webhooks/WebhookRecoverer"
) {
  static readonly layer: Layer.Layer<WebhookRecoverer, never, Storage | Ids | ServiceTime> =
    Layer.effect(
      WebhookRecoverer,
      Effect.gen(function* () {
        const storage = yield* Storage
        const ids = yield* Ids
        const time = yield* ServiceTime

        const resending = makeResending(storage, ids)

        const step = Effect.fnUntraced(function* (job: Claimed) {
          const { id, queue, token } = job
          const found = yield* storage.find(EndpointKind, id)
          const at = yield* time.now
          const finish = { _tag: "Finish", queue, id, token } as const
          if (found === undefined) {
            const again = yield* lookedForAgain("webhook endpoint", job, at)
            return yield* storage.commit({ at, jobs: [again] })
          }
          if (found.value.recovery === undefined) {
            const expects = [Kind.expectation(EndpointKind, found)]
            return yield* storage.commit({ at, expects, jobs: [finish] })
          }
          const { value: endpoint } = found
          if (isRecoveryOver(endpoint)) {
            const updates = [Kind.update(EndpointKind, found, brokenOff(endpoint))]
            return yield* storage.commit({ at, updates, jobs: [finish] })
          }
          const { jobs, page, ...written } = yield* resending(endpoint, at)
          const last = page.length < batch.size ? undefined : page.at(-1)?.id
          const next: JobWrite =
            last === undefined
              ? finish
              : { _tag: "Retry", queue, id, token, due: DateTime.addDuration(at, batch.pause) }
          return yield* storage.commit({
            at,
            ...written,
            updates: [Kind.update(EndpointKind, found, afterBatch(endpoint, last))],
            jobs: [...jobs, next]
          })
        })

        const work = (job: Claimed) =>
          decideAgain(
            step(job).pipe(
              refusedFor("StaleVersion", "LeaseLost", "DuplicateKey"),
              // One of them was resent on request in the meantime.
              Effect.catchTag("DuplicateKey", () => new StaleVersion({ id: job.id }))
            )
          ).pipe(
            Effect.asVoid,
            Effect.catchTag("LeaseLost", () =>
              Effect.logDebug("A recovery was begun anew by somebody else.")
            )
          )
        return Worker.make({ storage, ids, time }, { queues: ["recovery"], work })
      })
    )
}

/**
 * What sends the next batch of an endpoint again, and which deliveries that are. Where nobody asked, everything from the
 * oldest on: a clock that was set back is behind some of it, and a failure is what ends it.
 */
const makeResending = (storage: Storage["Service"], ids: Ids["Service"]) =>
  Effect.fnUntraced(function* ({ account, id, recovery }: Endpoint, at: DateTime.Utc) {
    const page = yield* storage.deliveries({
      account,
      endpoint: id,
      status: "exhausted",
      ...present({
        first: recovery?.first,
        last: recovery?.isAsked === true ? recovery.last : undefined
      }),
      order: "asc",
      limit: batch.size
    })
    const found = yield* storage.events([...new Set(page.map(({ event }) => event))])
    const events = new Map(found.map((event) => [event.id, event]))
    const parts = yield* Effect.forEach(page, (delivery) =>
      resent(ids, { delivery, event: events.get(delivery.event), at })
    )
    return {
      page,
      redeliveries: parts.flatMap((part) => part.redeliveries),
      attempts: parts.flatMap((part) => part.attempts),
      jobs: parts.flatMap((part) => part.jobs)
    }
  })
