import type { DateTime } from "effect"
import { Effect } from "effect"
import type { DeliveryId } from "../kernel/Ids.ts"
import type { Ids } from "../time/Ids.ts"
import type { Delivery } from "../ports/StorageDriver.ts"
import type { AttemptRow, EventRow, JobWrite, Unit } from "../units/Unit.ts"
import type { Endpoint } from "./Endpoint.ts"
import { sending } from "./Publisher.ts"

/** What a unit carries that sends the event of a delivery again. One that was given up is taken off that list. */
export const resent = Effect.fnUntraced(function* (
  ids: Ids["Service"],
  options: {
    readonly delivery: Delivery
    readonly event: EventRow | undefined
    readonly at: DateTime.Utc
  }
): Effect.fn.Return<Required<Pick<Unit, "redeliveries" | "attempts" | "jobs">>> {
  const { at, delivery: former, event } = options
  if (event === undefined) return yield* Effect.die(new Error(`Event ${former.event} is gone.`))
  const delivery = { id: yield* ids.next<DeliveryId>(), endpoint: former.endpoint }
  const mark: AttemptRow = {
    delivery: former.id,
    number: former.attempts + 1,
    at,
    outcome: "resent",
    httpStatus: null,
    durationMillis: 0,
    status: "resent"
  }
  return {
    redeliveries: [{ event, delivery }],
    attempts: former.status === "exhausted" ? [mark] : [],
    jobs: [sending(delivery, former.type, at)]
  }
})

/** The job that sends again what an endpoint has missed. */
export const recoveryOf = ({ id }: Endpoint, due: DateTime.Utc): JobWrite => ({
  _tag: "Schedule",
  queue: "recovery",
  id,
  group: id,
  due
})
