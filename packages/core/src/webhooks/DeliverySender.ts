import type { Redacted } from "effect"
import { DateTime, Effect, Random } from "effect"
import type { DeliveryId, EndpointId, Uuid } from "../kernel/Ids.ts"
import type { Ids } from "../time/Ids.ts"
import { readAny } from "../storage/ReadDoor.ts"
import type { StorageError } from "../units/Refused.ts"
import type { Secrets } from "../ports/Secrets.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import type { Storage } from "../storage/Storage.ts"
import type { Claimed, Outgoing } from "../ports/StorageDriver.ts"
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

/** Loads claimed deliveries by one read, however many they are. */
export const load = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  jobs: ReadonlyArray<Claimed>
): Effect.fn.Return<ReadonlyArray<Loaded>, StorageError> {
  const found = yield* storage.outgoing(jobs.map((job) => job.id as DeliveryId))
  const byId = new Map<Uuid, Outgoing>(found.map((one) => [one.delivery.id, one]))
  return jobs.flatMap((job) => {
    const one = byId.get(job.id)
    return one === undefined
      ? []
      : [{ ...one, job, endpoint: one.endpoint && readAny([EndpointKind], one.endpoint) }]
  })
})

/**
 * What tries to deliver once, and answers what came of it. It never fails: what a mistake of ours kept from being sent is not
 * recorded, and tried again when its lease ends.
 */
export const makeSender = (
  ports: SenderPorts
): ((loaded: Loaded) => Effect.Effect<Tried | undefined>) => {
  const { secrets, time, transport } = ports
  const open = makeOpening(ports)

  const judged = (outcome: SendOutcome, attempt: number) =>
    outcome._tag === "Answered" && outcome.status < 300
      ? Effect.succeed(judge(outcome, { attempt, random: 0 }))
      : Effect.map(Random.next, (random) => judge(outcome, { attempt, random }))

  const send = Effect.fnUntraced(function* (
    { delivery, event }: Pick<Loaded, "delivery" | "event">,
    endpoint: Endpoint
  ): Effect.fn.Return<Ending> {
    const attempt = delivery.attempts + 1
    const { former, secret } = open.known(endpoint) ?? (yield* open.anew(endpoint))
    if (secret === undefined) {
      yield* Effect.annotateLogs(
        Effect.logError(
          "The secret of a webhook endpoint does not open: is a former master secret missing? Nothing is sent there until it opens, or the endpoint gets a new secret."
        ),
        { endpoint: endpoint.id, delivery: delivery.id }
      )
      const unsent = { _tag: "Failed", reason: "connection", durationMillis: 0 } as const
      const verdict = yield* judged(unsent, attempt)
      return { ...described(unsent), outcome: "secret_unreadable", verdict }
    }
    const until = endpoint.previous?.until
    const isRotating = until !== undefined && DateTime.isLessThan(yield* time.now, until)
    const headers = yield* signedHeaders(secrets.hmac, {
      delivery: delivery.id,
      event: event.type,
      body: event.body,
      epochMillis: DateTime.toEpochMillis(yield* time.real),
      secret,
      ...(former === undefined || !isRotating ? {} : { previous: former })
    })
    const outcome = yield* transport.send({ url: endpoint.url, headers, body: event.body })
    return { ...described(outcome), verdict: yield* judged(outcome, attempt), answer: outcome }
  })

  return spannedFn("WebhookDispatcher.tryOnce")(
    function* (loaded: Loaded): Effect.fn.Return<Tried | undefined> {
      const { delivery, endpoint } = loaded
      const at = yield* time.now
      const ending =
        endpoint?.value.enabled === true
          ? yield* send(loaded, endpoint.value)
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
}

/** The secrets of an endpoint; undefined where there is none, or where it does not open. */
interface Opened {
  readonly secret: Redacted.Redacted | undefined
  readonly former: Redacted.Redacted | undefined
}

/** Opens the secrets of an endpoint once for as long as its row is remembered as it is. */
const makeOpening = ({ secrets }: SenderPorts) => {
  const opened = new WeakMap<Endpoint, Opened>()
  const open = (id: EndpointId, sealed: string | undefined) =>
    sealed === undefined
      ? Effect.undefined
      : Effect.catch(secrets.open(sealed, sealPlace(id)), () => Effect.undefined)
  return {
    known: (endpoint: Endpoint) => opened.get(endpoint),
    anew: Effect.fnUntraced(function* (endpoint: Endpoint) {
      const { id, previous, sealedSecret } = endpoint
      const found: Opened = {
        secret: yield* open(id, sealedSecret),
        former: yield* open(id, previous?.sealedSecret)
      }
      opened.set(endpoint, found)
      return found
    })
  }
}

/** Nothing goes to an endpoint that is off. What was meant for it is kept while it can come back. */
const unsent = (endpoint: Endpoint | undefined): Ending => ({
  outcome: "endpoint_disabled",
  httpStatus: null,
  durationMillis: 0,
  verdict: { _tag: endpoint?.disabled === undefined ? "Cancelled" : "Parked" }
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
