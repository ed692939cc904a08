import { DateTime, Effect, Random, Schedule } from "effect"
import type { DeliveryId, UnitId, Uuid } from "../kernel/Ids.ts"
import { decideAgain } from "../ports/DecideAgain.ts"
import type { Ids } from "../ports/Ids.ts"
import * as Kind from "../ports/Kind.ts"
import type { StorageError } from "../ports/Refused.ts"
import type { Secrets } from "../ports/Secrets.ts"
import type { ServiceTime } from "../ports/ServiceTime.ts"
import type { Storage } from "../ports/Storage.ts"
import type { Claimed, Delivery } from "../ports/StorageDriver.ts"
import type { DeliveryStatus, EventRow, JobWrite, Unit } from "../ports/Unit.ts"
import type { SendOutcome, WebhookTransport } from "../ports/WebhookTransport.ts"
import type { Verdict } from "./DeliveryPolicy.ts"
import { judge } from "./DeliveryPolicy.ts"
import type { Endpoint } from "./Endpoint.ts"
import { EndpointKind, sealPlace } from "./Endpoint.ts"
import { afterTry } from "./EndpointHealth.ts"
import { signedHeaders } from "./Signature.ts"
import { recoveryOf } from "./Redeliveries.ts"
import { endpointsDisabled } from "../telemetry/Metrics.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import { spannedFn } from "../telemetry/SpanGuarder.ts"

export interface SenderPorts {
  readonly storage: Storage["Service"]
  readonly secrets: Secrets["Service"]
  readonly ids: Ids["Service"]
  readonly time: ServiceTime["Service"]
  readonly transport: WebhookTransport["Service"]
}

/** A claimed delivery and what is needed to send it. Nothing of it but the endpoint can be gone. */
export interface Loaded {
  readonly job: Claimed
  readonly delivery: Delivery
  readonly event: EventRow
  readonly endpoint: Kind.Versioned<Endpoint> | undefined
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
 * Tries to deliver once and records what came of it, for as long as the lease is ours. It never fails: what
 * was not recorded is tried again when the lease ends. Answers what the endpoint did, when it was asked.
 */
export const tryOnce = spannedFn("WebhookDispatcher.tryOnce")(
  function* (ports: SenderPorts, loaded: Loaded) {
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
    yield* record(ports, loaded, { at, ending })
    return ending.answer
  },
  Effect.catchCause((cause) =>
    Effect.as(
      Effect.logError(
        "A webhook attempt is not recorded; it is made again when its lease ends.",
        safeCause(cause)
      ),
      undefined
    )
  )
)

/** What came of one try. */
interface Ending {
  readonly outcome: string
  readonly httpStatus: number | null
  readonly durationMillis: number
  readonly verdict: Verdict | { readonly _tag: "Cancelled" | "Parked" }
  readonly answer?: SendOutcome
}

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

/** What was sent should also be recorded, so a short trouble of the storage is waited out. */
const patience = { schedule: Schedule.exponential("100 millis"), times: 6 } as const

/**
 * Records a try together with what it says about the endpoint. It rests on the endpoint as it is, so that of a delivery
 * that was given up and one that was taken it is certain which was first, and none is forgotten.
 */
const record = Effect.fnUntraced(function* (
  { ids, storage, time }: SenderPorts,
  loaded: Loaded,
  { at, ending }: { readonly at: DateTime.Utc; readonly ending: Ending }
) {
  let { endpoint } = loaded
  const lookAgain = Effect.map(storage.find(EndpointKind, loaded.delivery.endpoint), (newer) => {
    endpoint = newer
  })
  const decision = Effect.gen(function* () {
    const now = yield* time.now
    const { after, unit } = decide({ ...loaded, endpoint }, { at, ending, now })
    yield* storage.commit({ id: yield* ids.next<UnitId>(), ...unit })
    if (after !== undefined && endpoint?.value.enabled === true) yield* tellDisabled(after)
  })
  yield* decideAgain(Effect.tapErrorTag(decision, "StaleVersion", () => lookAgain)).pipe(
    Effect.retry({
      ...patience,
      while: (error) => error._tag === "StorageError" && error.reason !== "Closed"
    }),
    // Somebody else has it: our lease was over, or the job was scheduled anew.
    Effect.catchTag(["LeaseLost", "DuplicateKey"], () =>
      Effect.logDebug("A webhook attempt came too late to count.")
    )
  )
})

interface Decided {
  readonly unit: Omit<Unit, "id">
  readonly after?: Endpoint
}

/** What a try changes, with the endpoint as it was read. */
const decide = (
  { delivery, endpoint, job }: Loaded,
  {
    at,
    ending,
    now
  }: { readonly at: DateTime.Utc; readonly ending: Ending; readonly now: DateTime.Utc }
): Decided => {
  const { answer: _, verdict, ...told } = ending
  const { _tag: trial } = verdict
  // It was switched on in the meantime: there is something to send after all.
  if (trial === "Parked" && endpoint?.value.enabled === true) {
    return { unit: { at: now, jobs: [{ ...leased(job), _tag: "Retry", due: now }] } }
  }
  const number = delivery.attempts + 1
  const unit = {
    at: now,
    attempts: [{ delivery: delivery.id, number, at, ...told, status: statusAfter[trial] }]
  }
  const jobs = [jobAfter(job, verdict, now)]
  if (endpoint === undefined || trial === "Cancelled") return { unit: { ...unit, jobs } }
  const before = endpoint.value
  const after = afterTry(before, { delivery: delivery.id, trial, now })
  if (after === before) {
    return { unit: { ...unit, jobs, expects: [Kind.expectation(EndpointKind, endpoint)] } }
  }
  const isRecovering = after.recovery !== undefined && after.recovery !== before.recovery
  return {
    unit: {
      ...unit,
      updates: [Kind.update(EndpointKind, endpoint, after)],
      jobs: isRecovering ? [...jobs, recoveryOf(after, now)] : jobs
    },
    after
  }
}

/** The operator's signal; the list of endpoints shows the same. */
const tellDisabled = ({ account, disabled, enabled, failingSince, id }: Endpoint) =>
  enabled
    ? Effect.void
    : Effect.annotateLogs(Effect.logWarning("A webhook endpoint was switched off"), {
        account,
        endpoint: id,
        reason: disabled?.reason,
        failingSince: failingSince && DateTime.formatIso(failingSince)
      }).pipe(Effect.andThen(endpointsDisabled.record(1)))

const statusAfter: Record<Ending["verdict"]["_tag"], DeliveryStatus> = {
  Delivered: "delivered",
  Retry: "queued",
  Exhausted: "exhausted",
  Gone: "exhausted",
  Parked: "exhausted",
  Cancelled: "cancelled"
}

const leased = ({ id, queue, token }: Claimed) => ({ id, queue, token })

const jobAfter = (job: Claimed, verdict: Ending["verdict"], now: DateTime.Utc): JobWrite =>
  verdict._tag === "Retry"
    ? { ...leased(job), _tag: "Retry", due: DateTime.addDuration(now, verdict.after) }
    : { ...leased(job), _tag: "Finish" }
