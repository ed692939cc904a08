import { Context, Effect, Layer } from "effect"
import { Ids } from "../time/Ids.ts"
import { Secrets } from "../ports/Secrets.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import { WebhookTransport } from "../ports/WebhookTransport.ts"
import type { JobWorker } from "../jobs/JobWorker.ts"
import { makeLine } from "./DeliveryLines.ts"
import { makeRecords } from "./DeliveryRecords.ts"
import type { SenderPorts } from "./DeliverySender.ts"

/**
 * Sends due deliveries, many at once and each by itself: whoever is done makes room for the next, and nobody
 * waits for the slowest. An endpoint has as many of the slots as it keeps up with, an account has some of them, and
 * all that are slow have some together, so that none has all. Expiries stand in a line with slots of its own: no
 * number of them keeps a payment waiting, and no number of payments keeps them waiting for ever (decision 0074).
 *
 * A delivery is sent at least once. Each try ends in one commit that records it and finishes or puts off the
 * job, alone or with others of its endpoint, and only for the holder of the job's lease; a process that dies between the
 * two sends it again, with the same bytes under the same ids.
 *
 * Closing the layer's scope claims nothing more and lets what is on its way arrive, for ten seconds.
 */
export class WebhookDispatcher extends Context.Service<WebhookDispatcher, JobWorker>()(
  "@pagora/core/webhooks/WebhookDispatcher"
) {
  static readonly layer: Layer.Layer<
    WebhookDispatcher,
    never,
    Storage | Secrets | Ids | ServiceTime | WebhookTransport
  > = Layer.effect(
    WebhookDispatcher,
    Effect.gen(function* () {
      const ports: SenderPorts = {
        storage: yield* Storage,
        secrets: yield* Secrets,
        ids: yield* Ids,
        time: yield* ServiceTime,
        transport: yield* WebhookTransport
      }
      const record = yield* makeRecords(ports)
      const making = { ports, record }
      const events = yield* makeLine(making, "webhook", slots.events)
      const expiries = yield* makeLine(making, "expiry", slots.expiries)
      return WebhookDispatcher.of({
        wake: Effect.andThen(events.wake, expiries.wake),
        drain: Effect.gen(function* () {
          const [first, second] = yield* Effect.all([events.drain, expiries.drain], {
            concurrency: 2
          })
          return first + second
        }),
        start: Effect.andThen(events.start, expiries.start)
      })
    })
  )
}

/** Sends at once. */
const slots = {
  events: { all: 64, ofAccount: 32, ofSlow: 16, ofSlowInAccount: 8 },
  expiries: { all: 16, ofAccount: 8, ofSlow: 4, ofSlowInAccount: 2 }
} as const
