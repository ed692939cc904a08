import { DateTime, Duration } from "effect"
import type { DeliveryId, Uuid } from "../kernel/Ids.ts"
import { idsAt } from "../kernel/Ids.ts"
import { Endpoint } from "./Endpoint.ts"

/** An endpoint that fails at everything for so long is switched off (decision 0036). */
const failingMax = Duration.days(5)

/** What became of a delivery, as far as it says something about its endpoint. */
export type Trial = "Delivered" | "Retry" | "Exhausted" | "Gone" | "Parked"

interface Tried {
  readonly delivery: DeliveryId
  readonly trial: Trial
  readonly now: DateTime.Utc
}

/** The endpoint after one try: the same object when it tells nothing new (decision 0035). */
export const afterTry = (endpoint: Endpoint, tried: Tried): Endpoint => {
  const { delivery, now, trial } = tried
  if (trial === "Parked") return changed(endpoint, { missed: oldest(endpoint.missed, delivery) })
  if (trial === "Delivered")
    return endpoint.enabled ? afterSuccess(endpoint, now, delivery) : endpoint
  const failingSince = endpoint.failingSince ?? now
  const missed = trial === "Retry" ? endpoint.missed : oldest(endpoint.missed, delivery)
  const reason = trial === "Gone" ? "gone" : isTooLong(failingSince, now) ? "failing" : undefined
  const disabled =
    endpoint.enabled && reason !== undefined
      ? { enabled: false, disabled: { reason, at: now } as const }
      : {}
  return changed(endpoint, { failingSince, missed, ...disabled })
}

const isTooLong = (since: DateTime.Utc, now: DateTime.Utc): boolean =>
  DateTime.isLessThanOrEqualTo(DateTime.addDuration(since, failingMax), now)

/**
 * It takes deliveries again: what it missed is sent once more. A clock that was set back is behind ids that were made
 * before, so the end is no earlier than what is known.
 */
const afterSuccess = (endpoint: Endpoint, now: DateTime.Utc, taken?: DeliveryId): Endpoint => {
  const { missed } = endpoint
  const well = changed(endpoint, { failingSince: undefined, missed: undefined })
  if (missed === undefined) return well
  const last = [missed, taken ?? missed].reduce<Uuid>(newest, idsAt(now).last)
  return recovering(well, { first: missed, last, isAsked: false })
}

/** Another address has not failed yet. */
export const movedTo = (endpoint: Endpoint, url: string): Endpoint =>
  endpoint.url === url ? endpoint : changed(endpoint, { url, failingSince: undefined })

/** Its owner switches it off. */
export const switchedOff = (endpoint: Endpoint, now: DateTime.Utc): Endpoint =>
  endpoint.disabled?.reason === "request"
    ? endpoint
    : changed(endpoint, { enabled: false, disabled: { reason: "request", at: now } })

/** Its owner switches it on: it begins without a past, and what it missed is sent. */
export const switchedOn = (endpoint: Endpoint, now: DateTime.Utc): Endpoint =>
  endpoint.enabled
    ? endpoint
    : afterSuccess(changed(endpoint, { enabled: true, disabled: undefined }), now)

/** The endpoint is no more. */
export const removed = (endpoint: Endpoint): Endpoint =>
  changed(endpoint, {
    enabled: false,
    disabled: undefined,
    missed: undefined,
    failingSince: undefined,
    recovery: undefined
  })

/** Deliveries of these ids are sent again as well. */
export const recovering = (
  endpoint: Endpoint,
  wanted: NonNullable<Endpoint["recovery"]>
): Endpoint => {
  const { recovery = wanted } = endpoint
  return changed(endpoint, {
    recovery: {
      first: oldest(recovery.first, wanted.first),
      last: newest(recovery.last, wanted.last),
      isAsked: recovery.isAsked || wanted.isAsked
    }
  })
}

/** A recovery ends early where nothing is sent, and where the endpoint fails again and nobody insists. */
export const isRecoveryOver = ({ enabled, failingSince, recovery }: Endpoint): boolean =>
  !enabled || (failingSince !== undefined && recovery?.isAsked !== true)

/** The recovery came as far as `upTo`; undefined: to its end. */
export const afterBatch = (endpoint: Endpoint, upTo: DeliveryId | undefined): Endpoint =>
  changed(endpoint, {
    recovery:
      upTo === undefined || endpoint.recovery === undefined
        ? undefined
        : { ...endpoint.recovery, first: upTo }
  })

/** The recovery was broken off: the next success takes it up again where it was. */
export const brokenOff = (endpoint: Endpoint): Endpoint =>
  changed(endpoint, {
    recovery: undefined,
    missed:
      endpoint.recovery === undefined
        ? endpoint.missed
        : oldest(endpoint.missed, endpoint.recovery.first as DeliveryId)
  })

const oldest = <Id extends Uuid>(known: Id | undefined, other: Id): Id =>
  known === undefined || other < known ? other : known

/** The later of two ids. */
export const newest = (one: Uuid, other: Uuid): Uuid => (other > one ? other : one)

type Changes = {
  readonly [Field in keyof typeof Endpoint.fields]?: Endpoint[Field] | undefined
}

/** An endpoint with other values in some fields; undefined takes a field away. */
const changed = (endpoint: Endpoint, changes: Changes): Endpoint => {
  const before: Changes = endpoint
  const isSame = Object.entries(changes).every(
    ([name, value]) => before[name as keyof Changes] === value
  )
  if (isSame) return endpoint
  const fields = Object.entries({ ...endpoint, ...changes }).filter(
    ([, value]) => value !== undefined
  )
  return new Endpoint(Object.fromEntries(fields) as never)
}
