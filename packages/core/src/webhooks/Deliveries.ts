import { Context, Effect, Layer, Schema } from "effect"
import { AccountKind } from "../accounts/Account.ts"
import type { DeliveryId, UnitId } from "../kernel/Ids.ts"
import { refusedFor } from "../ports/DecideAgain.ts"
import { Ids } from "../ports/Ids.ts"
import type { StorageError } from "../ports/Refused.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { Storage } from "../ports/Storage.ts"
import type { Delivery, DeliveryQuery } from "../ports/StorageDriver.ts"
import type { AttemptRow } from "../ports/Unit.ts"

/** A delivery with everything that was tried. */
export interface DeliveryLog {
  readonly delivery: Delivery
  readonly attempts: ReadonlyArray<AttemptRow>
}

export class DeliveryNotFound extends Schema.TaggedError<DeliveryNotFound>()("DeliveryNotFound", {
  id: Schema.String
}) {}

/** The endpoint was removed, or is switched off: nothing is sent to it. */
export class EndpointGone extends Schema.TaggedError<EndpointGone>()("EndpointGone", {
  id: Schema.String
}) {}

/** Rows of one page. */
export const deliveriesMax = 100

/** What was sent where, and what came of it. */
export class Deliveries extends Context.Service<
  Deliveries,
  {
    /** Newest first, from just after the delivery `after`; a page that is full may have a next one. */
    readonly list: (
      query: Omit<DeliveryQuery, "order" | "limit">
    ) => Effect.Effect<ReadonlyArray<DeliveryLog>, StorageError>
    /**
     * Sends the event of a delivery to its endpoint once more, with the same bytes, as a new delivery with attempts of
     * its own. What was tried before stays in the log.
     */
    readonly resend: (
      id: DeliveryId
    ) => Effect.Effect<DeliveryLog, DeliveryNotFound | EndpointGone | StorageError>
  }
>()("@pagora/core/webhooks/Deliveries") {
  static readonly layer: Layer.Layer<Deliveries, never, Storage | Ids | ServiceTime> = Layer.effect(
    Deliveries,
    Effect.gen(function* () {
      const storage = yield* Storage
      const ids = yield* Ids
      const time = yield* ServiceTime

      const list = Effect.fn("Deliveries.list")(function* (
        query: Omit<DeliveryQuery, "order" | "limit">
      ) {
        const page = yield* storage.deliveries({ ...query, order: "desc", limit: deliveriesMax })
        return yield* Effect.forEach(page, (delivery) =>
          Effect.map(storage.attempts(delivery.id), (attempts) => ({ delivery, attempts }))
        )
      })

      const resend = Effect.fn("Deliveries.resend")(function* (id: DeliveryId) {
        const [former] = yield* storage.deliveries({ ids: [id] })
        if (former === undefined) return yield* new DeliveryNotFound({ id })
        const { account: accountId, endpoint } = former
        const account = yield* storage.find(AccountKind, accountId)
        const route = account?.value.routes.find((candidate) => candidate.endpoint === endpoint)
        if (route?.enabled !== true) return yield* new EndpointGone({ id: endpoint })
        const [event] = yield* storage.events([former.event])
        if (event === undefined)
          return yield* Effect.die(new Error(`Event ${former.event} is gone.`))
        const at = yield* time.now
        const delivery = { id: yield* ids.next<DeliveryId>(), endpoint }
        yield* storage
          .commit({
            id: yield* ids.next<UnitId>(),
            at,
            redeliveries: [{ event, delivery }],
            jobs: [
              { _tag: "Schedule", queue: "webhook", id: delivery.id, group: endpoint, due: at }
            ]
          })
          .pipe(refusedFor())
        const queued = { ...former, id: delivery.id, status: "queued", attempts: 0 } as const
        return { delivery: queued, attempts: [] }
      })
      return Deliveries.of({ list, resend })
    })
  )
}
