import { DateTime, Effect, Random } from "effect"
import type { DeliveryId, Uuid } from "../kernel/Ids.ts"
import type { Ids } from "../ports/Ids.ts"
import type * as Kind from "../ports/Kind.ts"
import type { StorageError } from "../ports/Refused.ts"
import type { Secrets } from "../ports/Secrets.ts"
import type { ServiceTime } from "../ports/ServiceTime.ts"
import type { Storage } from "../ports/Storage.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import type { SendOutcome, WebhookTransport } from "../ports/WebhookTransport.ts"
import { judge } from "./DeliveryPolicy.ts"
import type { Ending, Loaded, Tried } from "./DeliveryTries.ts"
import type { Endpoint } from "./Endpoint.ts"
import { EndpointKind, sealPlace } from "./Endpoint.ts"
import { signedHeaders } from "./Signature.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import { spannedFn } from "../telemetry/SpanGuarder.ts"

export interface SenderPorts {
  readonly storage: Storage["Service"]
  readonly secrets: Secrets["Service"]
  readonly ids: Ids["Service"]
  readonly time: ServiceTime["Service"]
  readonly transport: WebhookTransport["Service"]
}

/** Loads claimed deliveries in three reads, however many they are. */
export const load = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  jobs: ReadonlyArray<Claimed>
): Effect.fn.Return<ReadonlyArray<Loaded>, StorageError> {
  const all = yield* storage.deliveries({ ids: jobs.map((job) => job.id as DeliveryId) })
  const deliveries = byId(all)
  const events = byId(yield* storage.events([...new Set(all.map(({ event }) => event))]))
  const found = yield* storage.findMany(EndpointKind, [
    ...new Set(all.map(({ endpoint }) => endpoint))
  ])
  const endpoints = new Map<Uuid, Kind.Versioned<Endpoint>>(
    found.map((endpoint) => [endpoint.value.id, endpoint])
  )
  return jobs.flatMap((job) => {
    const delivery = deliveries.get(job.id)
    const event = delivery && events.get(delivery.event)
    if (delivery === undefined || event === undefined) return []
    return [{ job, delivery, event, endpoint: endpoints.get(delivery.endpoint) }]
  })
})

const byId = <A extends { readonly id: Uuid }>(all: ReadonlyArray<A>): ReadonlyMap<Uuid, A> =>
  new Map(all.map((one) => [one.id, one]))

/**
 * Tries to deliver once, and answers what came of it. It never fails: what a mistake of ours kept from being sent is not
 * recorded, and tried again when its lease ends.
 */
export const tryOnce = spannedFn("WebhookDispatcher.tryOnce")(
  function* (ports: SenderPorts, loaded: Loaded): Effect.fn.Return<Tried | undefined> {
    const { delivery, endpoint, event } = loaded
    const at = yield* ports.time.now
    const ending =
      endpoint?.value.enabled === true
        ? yield* send(ports, { delivery, endpoint: endpoint.value, event })
        : unsent(endpoint?.value)
    yield* Effect.annotateLogs(Effect.logInfo("Webhook attempt"), {
      delivery: delivery.id,
      endpoint: delivery.endpoint,
      event: delivery.type,
      attempt: delivery.attempts + 1,
      outcome: ending.outcome,
      status: ending.httpStatus
    })
    return { loaded, at, ending }
  },
  Effect.catchCause((cause) =>
    Effect.as(
      Effect.logError(
        "A webhook was not sent; it is tried again when its lease ends.",
        safeCause(cause)
      ),
      undefined
    )
  )
)

/** Nothing goes to an endpoint that is off. What was meant for it is kept while it can come back. */
const unsent = (endpoint: Endpoint | undefined): Ending => ({
  outcome: "endpoint_disabled",
  httpStatus: null,
  durationMillis: 0,
  verdict: { _tag: endpoint?.disabled === undefined ? "Cancelled" : "Parked" }
})

const send = Effect.fnUntraced(function* (
  { secrets, time, transport }: SenderPorts,
  { delivery, endpoint, event }: Omit<Loaded, "job" | "endpoint"> & { readonly endpoint: Endpoint }
): Effect.fn.Return<Ending> {
  const judged = (outcome: SendOutcome) =>
    Effect.map(Random.next, (random) => judge(outcome, { attempt: delivery.attempts + 1, random }))
  const open = (sealed: string) =>
    Effect.catch(secrets.open(sealed, sealPlace(endpoint.id)), () => Effect.succeed(undefined))

  const secret = yield* open(endpoint.sealedSecret)
  if (secret === undefined) {
    yield* Effect.logError("A webhook secret does not open: is a former master secret missing?")
    const unsent = { _tag: "Failed", reason: "connection", durationMillis: 0 } as const
    return { ...described(unsent), outcome: "secret_unreadable", verdict: yield* judged(unsent) }
  }
  const former = endpoint.previous
  const isRotating = former !== undefined && DateTime.isLessThan(yield* time.now, former.until)
  const previous = isRotating ? yield* open(former.sealedSecret) : undefined
  const headers = yield* signedHeaders(secrets.hmac, {
    delivery: delivery.id,
    event: event.type,
    body: event.body,
    epochMillis: DateTime.toEpochMillis(yield* time.real),
    secret,
    ...(previous === undefined ? {} : { previous })
  })
  const outcome = yield* transport.send({ url: endpoint.url, headers, body: event.body })
  return { ...described(outcome), verdict: yield* judged(outcome), answer: outcome }
})

/** What is kept of an outcome, and whoever owns the endpoint may read: fixed words and no more. */
const described = (outcome: SendOutcome): Omit<Ending, "verdict"> => {
  switch (outcome._tag) {
    case "Answered": {
      const { durationMillis, status } = outcome
      return { outcome: "answered", httpStatus: status, durationMillis }
    }
    case "Failed":
      return { outcome: outcome.reason, httpStatus: null, durationMillis: outcome.durationMillis }
    case "Blocked":
      return { outcome: `blocked_${outcome.reason}`, httpStatus: null, durationMillis: 0 }
  }
}
