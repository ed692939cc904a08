import { DateTime } from "effect"
import type * as Kind from "../units/Kind.ts"
import { expectation, update } from "../units/Kind.ts"
import type { Claimed, Delivery } from "../ports/StorageDriver.ts"
import type { AttemptRow, DeliveryStatus, EventRow, JobWrite, NewUnit } from "../units/Unit.ts"
import type { SendOutcome } from "../ports/WebhookTransport.ts"
import type { Verdict } from "./DeliveryPolicy.ts"
import type { Endpoint } from "./Endpoint.ts"
import { EndpointKind } from "./Endpoint.ts"
import { afterTry } from "./EndpointHealth.ts"
import { recoveryOf } from "./Redeliveries.ts"

/** A claimed delivery and what is needed to send it. Nothing of it but the endpoint can be gone. */
export interface Loaded {
  readonly job: Claimed
  readonly delivery: Delivery
  readonly event: EventRow
  readonly endpoint: Kind.Versioned<Endpoint> | undefined
}

/** What came of one try. */
export interface Ending {
  readonly outcome: string
  readonly httpStatus: number | null
  readonly durationMillis: number
  readonly verdict: Verdict | { readonly _tag: "Cancelled" | "Parked" }
  /** What the endpoint did, when it was asked. */
  readonly answer?: SendOutcome
}

/** A try that was made and is to be recorded. */
export interface Tried {
  readonly loaded: Loaded
  /** When it began, in business time. */
  readonly at: DateTime.Utc
  readonly ending: Ending
}

/** What tries of one endpoint change, and the endpoint after them. */
export interface Decided {
  readonly unit: NewUnit
  readonly after: Endpoint | undefined
}

/**
 * What tries of one endpoint change, with the endpoint as it was read: what each of them would, one after the other. It
 * rests on the endpoint as it is, so that of a delivery that was given up and one that was taken it is certain which was
 * first, and none is forgotten.
 */
export const decideTries = (
  endpoint: Kind.Versioned<Endpoint> | undefined,
  tries: ReadonlyArray<Tried>,
  now: DateTime.Utc
): Decided => {
  const attempts: Array<AttemptRow> = []
  const jobs: Array<JobWrite> = []
  let after = endpoint?.value
  let isRested = false
  for (const { at, ending, loaded } of tries) {
    const { delivery, job } = loaded
    const { answer: _, verdict, ...told } = ending
    const { _tag: trial } = verdict
    // It was switched on in the meantime: there is something to send after all.
    if (trial === "Parked" && after?.enabled === true) {
      jobs.push({ ...leased(job), _tag: "Retry", due: now })
      continue
    }
    const number = delivery.attempts + 1
    attempts.push({ delivery: delivery.id, number, at, ...told, status: statusAfter[trial] })
    jobs.push(jobAfter(job, verdict, now))
    if (after === undefined || trial === "Cancelled") continue
    isRested = true
    after = afterTry(after, { delivery: delivery.id, trial, now })
  }
  const unit = { at: now, attempts, jobs }
  if (endpoint === undefined || after === undefined || !isRested) return { unit, after }
  const before = endpoint.value
  if (after === before) {
    return { unit: { ...unit, expects: [expectation(EndpointKind, endpoint)] }, after }
  }
  const isRecovering = after.recovery !== undefined && after.recovery !== before.recovery
  return {
    unit: {
      ...unit,
      updates: [update(EndpointKind, endpoint, after)],
      jobs: isRecovering ? [...jobs, recoveryOf(after, now)] : jobs
    },
    after
  }
}

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
