import { RecordingTransport } from "@pagora/testkit"
import { Context, DateTime, Effect, Fiber, Layer, Redacted, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { AccountId, DeliveryId, EndpointId, EventRowId, Uuid } from "../kernel/Ids.ts"
import * as SecretsNode from "../node/SecretsNode.ts"
import { Ids } from "../time/Ids.ts"
import { Secrets } from "../ports/Secrets.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import * as StorageMemory from "../storage-memory/StorageMemory.ts"
import { Endpoint, EndpointKind, sealPlace } from "./Endpoint.ts"
import type { EventType } from "./EventTypes.ts"
import { sending } from "./Publisher.ts"
import { WebhookDispatcher } from "./WebhookDispatcher.ts"

const secrets = SecretsNode.layer({
  secret: Redacted.make("a master secret for the tests of the dispatcher")
}).pipe(Layer.orDie)

const base = Layer.mergeAll(secrets, RecordingTransport.layer)

/** One storage and one network; dispatchers come on top, as many as a test wants. */
const world = Ids.layerSeeded.pipe(
  Layer.provideMerge(ServiceTime.layer),
  Layer.provideMerge(Layer.orDie(Storage.layer())),
  Layer.provideMerge(StorageMemory.layerMemory),
  Layer.provideMerge(base)
)

type World = Layer.Success<typeof world>

/** Runs a test, and then stops what it started: sends that hang are given the time that a stop gives them. */
export const inWorld = <A, E>(
  test: Effect.Effect<A, E, World | Scope.Scope>
): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const exit = yield* Effect.exit(Scope.provide(test, scope))
    const closing = yield* Effect.forkChild(Scope.close(scope, exit))
    yield* TestClock.adjust("10 seconds")
    yield* Fiber.join(closing)
    return yield* exit
  }).pipe(Effect.provide(world, { local: true }))

/** Another process: over the same database it has a write door of its own. */
export const elsewhere = Layer.fresh(Layer.orDie(Storage.layer()))

/** A process of its own over the same storage: it ends with the scope. */
export const dispatcher = Effect.map(Layer.build(Layer.fresh(WebhookDispatcher.layer)), (context) =>
  Context.get(context, WebhookDispatcher)
)

const account = "00000000-0000-7000-8000-00000000000a" as AccountId

export const anEndpoint = Effect.fnUntraced(function* (changes: Partial<Endpoint> = {}) {
  const ids = yield* Ids
  const id = yield* ids.next<EndpointId>()
  const { seal, webhookSecret } = yield* Secrets
  const secret = yield* webhookSecret
  // Each of an account of its own, unless told otherwise.
  const owner = changes.account ?? (id as Uuid as AccountId)
  const endpoint = new Endpoint({
    id,
    account: owner,
    wallet: owner,
    url: `https://${id}.shop.com.br/pix`,
    sealedSecret: yield* seal(Redacted.make(secret), sealPlace(id)),
    enabled: true,
    createdAt: DateTime.makeUnsafe(0),
    ...changes
  })
  yield* (yield* Storage)
    .commit({
      at: endpoint.createdAt,
      inserts: [EndpointKind.row(endpoint)]
    })
    .pipe(Effect.orDie)
  return { endpoint, secret }
})

/** Commits one event that is due now, for each of these endpoints. */
export const anEvent = Effect.fnUntraced(function* (
  endpoints: ReadonlyArray<EndpointId>,
  type: EventType = "payment_completed"
) {
  const ids = yield* Ids
  const at = yield* (yield* ServiceTime).now
  const id = yield* ids.next<EventRowId>()
  const deliveries = yield* Effect.forEach(endpoints, (endpoint) =>
    Effect.map(ids.next<DeliveryId>(), (delivery) => ({ id: delivery, endpoint }))
  )
  const body = `{"event":"payment_completed","eventId":"${id}","data":{"counterpartName":"São João 😀","amount":10.50}}`
  const event = { id, account, wallet: account, key: id, type, at, body }
  yield* (yield* Storage)
    .commit({
      at,
      events: [{ event, deliveries }],
      jobs: deliveries.map((delivery) => sending(delivery, type, at))
    })
    .pipe(Effect.orDie)
  return { body, deliveries: deliveries.map((delivery) => delivery.id) }
})

/** Where a delivery stands, and what was tried. */
export const stateOf = Effect.fnUntraced(function* (id: DeliveryId) {
  const storage = yield* Storage
  const [delivery] = yield* Effect.orDie(storage.deliveries({ ids: [id] }))
  const attempts = yield* Effect.orDie(storage.attempts([id]))
  return {
    status: delivery?.status,
    attempts: attempts.map(
      ({ httpStatus, number, outcome }) => [number, outcome, httpStatus] as const
    )
  }
})
