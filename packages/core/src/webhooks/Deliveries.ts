import type { DateTime } from "effect"
import { Context, Effect, Layer, Schema } from "effect"
import type { DeliveryId, EventRowId, Uuid } from "../kernel/Ids.ts"
import { EndpointId, idsAt } from "../kernel/Ids.ts"
import { decideAgain, refusedFor } from "../storage/DecideAgain.ts"
import type { IdempotencyKey, IdempotencyKeyTaken } from "../units/Idempotency.ts"
import { begun, keyTaken } from "../units/Idempotency.ts"
import { Ids } from "../time/Ids.ts"
import * as Kind from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import { StaleVersion } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { Delivery, DeliveryQuery } from "../ports/StorageDriver.ts"
import type { AttemptRow } from "../units/Unit.ts"
import { EndpointKind } from "./Endpoint.ts"
import { newest, recovering } from "./EndpointHealth.ts"
import type { EndpointNotFound, EndpointScope, FoundEndpoint } from "./FoundEndpoints.ts"
import { makeFindEndpoint } from "./FoundEndpoints.ts"
import { deliverTo, publish } from "./Publisher.ts"
import { recoveryOf, resent } from "./Redeliveries.ts"

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

/** What is sent again: everything given up that was made within these instants, both included. */
const Recovery = Schema.Struct({
  endpoint: EndpointId,
  since: Schema.DateTimeUtcFromString,
  until: Schema.DateTimeUtcFromString
})
export type Recovery = typeof Recovery.Type

const recoveryCodec = Schema.fromJsonString(Recovery)
const encodeRecovery = Schema.encodeSync(recoveryCodec)
/** What a request for a recovery was answered, of its snapshot. */
export const recoveryFrom = Schema.decodeUnknownSync(recoveryCodec)

/** Rows of one page of a tenant's. */
export const deliveriesMax = 100

/** The kind of event that a test sends. No endpoint can ask for it, and nothing has happened when it comes. */
const testEvent = "webhook_test"

/** What was sent where, and what came of it. */
export class Deliveries extends Context.Service<
  Deliveries,
  {
    /** Newest first, from just after the delivery `after`; `deliveriesMax` at most unless told otherwise. */
    readonly list: (
      query: Omit<DeliveryQuery, "order" | "limit"> & { readonly limit?: number }
    ) => Effect.Effect<ReadonlyArray<DeliveryLog>, StorageError>
    readonly find: (id: DeliveryId) => Effect.Effect<DeliveryLog, DeliveryNotFound | StorageError>
    /**
     * Sends the event of a delivery to its endpoint once more, with the same bytes, as a new delivery with attempts of
     * its own. What was tried before stays in the log; one that was given up counts as resent from now on.
     */
    readonly resend: (
      scope: EndpointScope & { readonly endpoint?: string },
      id: DeliveryId,
      key?: IdempotencyKey
    ) => Effect.Effect<
      Delivery,
      DeliveryNotFound | EndpointGone | IdempotencyKeyTaken | StorageError
    >
    /** Sends an event that says it is a test. */
    readonly test: (
      scope: EndpointScope,
      endpoint: string,
      key?: IdempotencyKey
    ) => Effect.Effect<
      Delivery,
      EndpointNotFound | EndpointGone | IdempotencyKeyTaken | StorageError
    >
    /** Sends again, in the background and oldest first, what was given up since an instant. */
    readonly recover: (
      scope: EndpointScope,
      endpoint: string,
      options: { readonly since: DateTime.Utc; readonly key?: IdempotencyKey }
    ) => Effect.Effect<
      Recovery,
      EndpointNotFound | EndpointGone | IdempotencyKeyTaken | StorageError
    >
  }
>()("@pagora/core/webhooks/Deliveries") {
  static readonly layer: Layer.Layer<Deliveries, never, Storage | Ids | ServiceTime> = Layer.effect(
    Deliveries,
    Effect.gen(function* () {
      const storage = yield* Storage
      const { recovered, resending } = yield* makeRedeliveries
      const tested = yield* makeTest
      const find = yield* makeFindEndpoint

      const logsOf = Effect.fnUntraced(function* (
        page: ReadonlyArray<Delivery>
      ): Effect.fn.Return<ReadonlyArray<DeliveryLog>, StorageError> {
        const tried = page.length === 0 ? [] : yield* storage.attempts(page.map(({ id }) => id))
        const byDelivery = Map.groupBy(
          tried.filter(({ status }) => status !== "resent"),
          ({ delivery }) => delivery
        )
        return page.map((delivery) => ({
          delivery,
          attempts: byDelivery.get(delivery.id) ?? []
        }))
      })

      const list: Deliveries["Service"]["list"] = Effect.fn("Deliveries.list")(function* (query) {
        const page = yield* storage.deliveries({ limit: deliveriesMax, ...query, order: "desc" })
        return yield* logsOf(page)
      })

      /** One that is on: nothing is sent to others. */
      const findEnabled = Effect.fnUntraced(function* (scope: EndpointScope, id: string) {
        const found = yield* find(scope, id)
        return found.endpoint.value.enabled ? found : yield* new EndpointGone({ id })
      })

      const resend: Deliveries["Service"]["resend"] = Effect.fn("Deliveries.resend")(function* (
        { endpoint, ...scope },
        id,
        key
      ) {
        const attempt = Effect.gen(function* () {
          const [former] = yield* storage.deliveries({ ids: [id] })
          const isThere =
            former !== undefined &&
            (scope.account === undefined || former.account === scope.account) &&
            (endpoint === undefined || former.endpoint === endpoint)
          if (!isThere) return yield* new DeliveryNotFound({ id })
          const found = yield* Effect.catchTag(
            findEnabled(scope, former.endpoint),
            "EndpointNotFound",
            () => new EndpointGone({ id: former.endpoint })
          )
          return yield* resending(former, found, key)
        })
        return yield* decideAgain(attempt)
      })

      return Deliveries.of({
        list,
        find: Effect.fn("Deliveries.find")(function* (id) {
          const [log] = yield* logsOf(yield* storage.deliveries({ ids: [id] }))
          return log ?? (yield* new DeliveryNotFound({ id }))
        }),
        resend,
        test: Effect.fn("Deliveries.test")(function* (scope, id, key) {
          const found = Effect.flatMap(findEnabled(scope, id), (endpoint) => tested(endpoint, key))
          return yield* decideAgain(found)
        }),
        recover: Effect.fn("Deliveries.recover")(function* (scope, id, options) {
          const found = findEnabled(scope, id)
          return yield* decideAgain(
            Effect.flatMap(found, (endpoint) => recovered(endpoint, options))
          )
        })
      })
    })
  )
}

/** What is decided once on what was read, where events are sent again. */
const makeRedeliveries = Effect.gen(function* () {
  const storage = yield* Storage
  const ids = yield* Ids
  const time = yield* ServiceTime

  const resending = Effect.fnUntraced(function* (
    former: Delivery,
    { endpoint }: FoundEndpoint,
    key: IdempotencyKey | undefined
  ) {
    const at = yield* time.now
    const [event] = yield* storage.events([former.event])
    const written = yield* resent(ids, { delivery: former, event, at })
    const queued = queuedAs(former, written.redeliveries[0]?.delivery.id)
    yield* storage
      .commit({
        at,
        ...written,
        expects: [Kind.expectation(EndpointKind, endpoint)],
        ...begun(key, queued.id, JSON.stringify(queued))
      })
      .pipe(
        keyTaken,
        refusedFor("StaleVersion", "DuplicateKey"),
        // It was tried or resent in the meantime.
        Effect.catchTag("DuplicateKey", () => new StaleVersion({ id: former.id }))
      )
    return queued
  })

  const recovered = Effect.fnUntraced(function* (
    { endpoint }: FoundEndpoint,
    { key, since }: { readonly since: DateTime.Utc; readonly key?: IdempotencyKey }
  ) {
    const until = yield* time.now
    const { id, missed } = endpoint.value
    const known = [yield* ids.next(), ...(missed === undefined ? [] : [missed])]
    // Ids that were made before the clock was set back are ahead of its time, and are meant all the same.
    const bounds = {
      first: idsAt(since).first,
      last: known.reduce<Uuid>(newest, idsAt(until).last)
    }
    const next = recovering(endpoint.value, { ...bounds, isAsked: true })
    const recovery = { endpoint: id, since, until }
    yield* storage
      .commit({
        at: until,
        updates: [Kind.update(EndpointKind, endpoint, next)],
        jobs: [recoveryOf(next, until)],
        ...begun(key, id, encodeRecovery(recovery))
      })
      .pipe(keyTaken, refusedFor("StaleVersion"))
    return recovery
  })
  return { recovered, resending }
})

/** Makes the event of a test, and its delivery. */
const makeTest = Effect.gen(function* () {
  const storage = yield* Storage
  const ids = yield* Ids
  const time = yield* ServiceTime

  return Effect.fnUntraced(function* (
    { endpoint }: FoundEndpoint,
    key: IdempotencyKey | undefined
  ) {
    const at = yield* time.now
    const { account, id, subAccount = null, wallet } = endpoint.value
    const { events } = yield* publish(ids, {
      account,
      event: {
        type: testEvent,
        eventId: `${testEvent}_${yield* ids.next<EventRowId>()}`,
        wallet,
        subAccount,
        data: { endpointId: id, message: "This is a test. Nothing happened, and no money moved." }
      },
      at
    })
    const [rendered] = events
    const publication = yield* deliverTo(ids, rendered.event, [id])
    const [made] = publication.events
    const delivery = queuedAs(
      { event: made?.event.id as EventRowId, endpoint: id, account, type: testEvent },
      made?.deliveries[0]?.id
    )
    yield* storage
      .commit({
        at,
        ...publication,
        expects: [Kind.expectation(EndpointKind, endpoint)],
        ...begun(key, delivery.id, JSON.stringify(delivery))
      })
      .pipe(keyTaken, refusedFor("StaleVersion"))
    return delivery
  })
})

const queuedAs = (
  former: Pick<Delivery, "event" | "endpoint" | "account" | "type">,
  id: DeliveryId | undefined
): Delivery => ({ ...former, id: id as DeliveryId, status: "queued", attempts: 0 })

/** A delivery as it was when it was made, of its snapshot. */
export const deliveryOf = (snapshot: string): Delivery => JSON.parse(snapshot) as Delivery
