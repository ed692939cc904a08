import { Context, Effect, Layer } from "effect"
import type { StorageError } from "../ports/Refused.ts"
import { Storage } from "../ports/Storage.ts"
import type { Delivery, DeliveryQuery } from "../ports/StorageDriver.ts"
import type { AttemptRow } from "../ports/Unit.ts"

/** A delivery with everything that was tried. */
export interface DeliveryLog {
  readonly delivery: Delivery
  readonly attempts: ReadonlyArray<AttemptRow>
}

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
  }
>()("@pagora/core/webhooks/Deliveries") {
  static readonly layer: Layer.Layer<Deliveries, never, Storage> = Layer.effect(
    Deliveries,
    Effect.gen(function* () {
      const storage = yield* Storage

      const list = Effect.fn("Deliveries.list")(function* (
        query: Omit<DeliveryQuery, "order" | "limit">
      ) {
        const page = yield* storage.deliveries({ ...query, order: "desc", limit: deliveriesMax })
        return yield* Effect.forEach(page, (delivery) =>
          Effect.map(storage.attempts(delivery.id), (attempts) => ({ delivery, attempts }))
        )
      })
      return Deliveries.of({ list })
    })
  )
}
