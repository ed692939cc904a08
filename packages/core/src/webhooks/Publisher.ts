import { DateTime, Effect } from "effect"
import type { AccountId, DeliveryId, EndpointId, EventRowId } from "../kernel/Ids.ts"
import type { Ids } from "../time/Ids.ts"
import type { DeliveryRow, EventRow, JobWrite } from "../units/Unit.ts"
import type { NewEvent } from "./NewEvent.ts"

/** What publishing adds to a unit: the event with the bytes that are sent, its deliveries, and their jobs. */
export interface Publication {
  readonly events: ReadonlyArray<{
    readonly event: EventRow
    readonly deliveries: ReadonlyArray<DeliveryRow>
  }>
  readonly jobs: ReadonlyArray<JobWrite>
}

/**
 * Renders an event once, for ever: every delivery, retry and resend of it sends this text (spec, Envelope).
 * The write door routes it to the endpoints that have registered (`EndpointRouter.ts`).
 */
export const publish = Effect.fnUntraced(function* (
  ids: Ids["Service"],
  options: { readonly account: AccountId; readonly event: NewEvent; readonly at: DateTime.Utc }
): Effect.fn.Return<{ readonly events: readonly [Publication["events"][number]] }> {
  const { account, at, event } = options
  const id = yield* ids.next<EventRowId>()
  const body = JSON.stringify({
    event: event.type,
    eventId: event.eventId,
    timestamp: DateTime.formatIso(at),
    subAccount: event.subAccount,
    data: event.data
  })
  const row = {
    id,
    account,
    wallet: event.wallet,
    key: event.eventId,
    type: event.type,
    at,
    body
  }
  return { events: [{ event: row, deliveries: [] }] }
})

/** An event that goes to these endpoints, whatever they asked for. */
export const deliverTo = Effect.fnUntraced(function* (
  ids: Ids["Service"],
  event: EventRow,
  endpoints: ReadonlyArray<EndpointId>
): Effect.fn.Return<Publication> {
  const deliveries = yield* Effect.forEach(endpoints, (endpoint) =>
    Effect.map(ids.next<DeliveryId>(), (id) => ({ id, endpoint }))
  )
  return {
    events: [{ event, deliveries }],
    jobs: deliveries.map((delivery) => sending(delivery, event.type, event.at))
  }
})

/** The job that sends a delivery. */
export const sending = (
  { endpoint, id }: DeliveryRow,
  event: string,
  due: DateTime.Utc
): JobWrite => ({
  _tag: "Schedule",
  // Charges expire by the thousand at once, and nobody is waiting to hear of it.
  queue: event === "payment_expired" ? "expiry" : "webhook",
  id,
  group: endpoint,
  due
})
