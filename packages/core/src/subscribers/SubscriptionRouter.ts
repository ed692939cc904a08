import { Context, Effect, Layer } from "effect"
import type { DeliveryId } from "../kernel/Ids.ts"
import { Ids } from "../time/Ids.ts"
import * as Kind from "../units/Kind.ts"
import { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { EventRow, JobWrite, NewUnit } from "../units/Unit.ts"
import type { Subscriptions } from "./Subscription.ts"
import { queueOf, subscriptionsId, SubscriptionsKind } from "./Subscription.ts"

type Stored = Kind.Versioned<Subscriptions>

type Commit = Storage["Service"]["commit"]

/** Who has subscribed, and the deliveries that follow from it for every event that is written (decision 0031). */
export class SubscriptionRouter extends Context.Service<
  SubscriptionRouter,
  {
    /** What is stored now. */
    readonly read: Effect.Effect<Stored, StorageError>
    /** Writes a unit, and a delivery of each of its events to each subscription of that kind of event. */
    readonly commit: Commit
  }
>()("@pagora/core/subscribers/SubscriptionRouter") {
  static readonly layer: Layer.Layer<SubscriptionRouter, never, Storage | Ids | ServiceTime> =
    Layer.effect(
      SubscriptionRouter,
      Effect.gen(function* () {
        const storage = yield* Storage
        const ids = yield* Ids
        const time = yield* ServiceTime
        let known: Stored | undefined

        const begin = Effect.gen(function* () {
          yield* storage
            .commit({
              at: yield* time.now,
              inserts: [SubscriptionsKind.row({ all: [] })]
            })
            // Another process was faster.
            .pipe(Effect.catchTag("DuplicateKey", () => Effect.void))
        })

        // The row is there from the first event on, empty: what is not there cannot be rested on.
        const read = Effect.gen(function* () {
          const found = yield* storage.find(SubscriptionsKind, subscriptionsId)
          if (found !== undefined) return (known = found)
          yield* Effect.catch(begin, (error) =>
            error._tag === "StorageError" ? Effect.fail(error) : Effect.die(error)
          )
          const begun = yield* storage.find(SubscriptionsKind, subscriptionsId)
          if (begun === undefined)
            return yield* Effect.die(new Error("The list of subscriptions is gone."))
          return (known = begun)
        })

        const routed = Effect.fnUntraced(function* (unit: NewUnit, stored: Stored) {
          const events = yield* Effect.forEach(unit.events ?? [], (published) =>
            Effect.map(deliveriesOf(ids, stored, published.event), (added) => ({
              event: published.event,
              deliveries: [...published.deliveries, ...added]
            }))
          )
          const jobs = events.flatMap(({ deliveries, event }, index) =>
            deliveries
              .slice(unit.events?.[index]?.deliveries.length)
              .map(({ endpoint, id }): JobWrite => {
                const queue = queueOf(endpoint)
                return { _tag: "Schedule", queue, id, group: endpoint, due: event.at }
              })
          )
          return {
            ...unit,
            events,
            jobs: [...(unit.jobs ?? []), ...jobs],
            expects: [...(unit.expects ?? []), Kind.expectation(SubscriptionsKind, stored)]
          }
        })

        // What the caller decided does not depend on who listens: only the routing is done again.
        const commitRouted = (unit: NewUnit, left: number): ReturnType<Commit> =>
          Effect.gen(function* () {
            yield* storage.commit(yield* routed(unit, known ?? (yield* read)))
          }).pipe(
            Effect.catchTag("StaleVersion", (stale) => {
              if (stale.id !== subscriptionsId) return Effect.fail(stale)
              if (left === 0) return new StorageError({ reason: "Contended" })
              known = undefined
              return commitRouted(unit, left - 1)
            })
          )

        const commit: Commit = (unit) =>
          (unit.events ?? []).length === 0 ? storage.commit(unit) : commitRouted(unit, routingsMax)
        return SubscriptionRouter.of({ read, commit })
      })
    )

  /** The storage through which events reach subscribers. */
  static readonly storage: Layer.Layer<Storage, never, SubscriptionRouter | Storage> = Layer.effect(
    Storage,
    Effect.gen(function* () {
      const storage = yield* Storage
      const { commit } = yield* SubscriptionRouter
      return Storage.of({ ...storage, commit })
    })
  )
}

/** How often an event is routed anew while subscriptions come and go. */
const routingsMax = 16

const deliveriesOf = (ids: Ids["Service"], stored: Stored, event: EventRow) =>
  Effect.forEach(
    stored.value.all.filter((subscription) => subscription.event === event.type),
    ({ id: endpoint }) => Effect.map(ids.next<DeliveryId>(), (id) => ({ id, endpoint }))
  )
