import { DateTime, Effect } from "effect"
import type { Account } from "../accounts/Account.ts"
import { endpointsFor } from "../accounts/Routing.ts"
import type { AccountId, DeliveryId, EndpointId, EventRowId } from "../kernel/Ids.ts"
import type { Ids } from "../ports/Ids.ts"
import type { DeliveryRow, EventRow, JobWrite } from "../ports/Unit.ts"
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
 * It goes to the endpoints that the account has at the version the decision rests on.
 */
export const publish = (
  ids: Ids["Service"],
  options: { readonly account: Account; readonly event: NewEvent; readonly at: DateTime.Utc }
): Effect.Effect<Publication> => {
  const { account, at, event } = options
  return publishTo(ids, {
    account: account.id,
    endpoints: endpointsFor(account, event.wallet, event.type),
    event,
    at
  })
}

/** Renders an event that goes to these endpoints, whatever they asked for. */
export const publishTo = Effect.fnUntraced(function* (
  ids: Ids["Service"],
  options: {
    readonly account: AccountId
    readonly endpoints: ReadonlyArray<EndpointId>
    readonly event: NewEvent
    readonly at: DateTime.Utc
  }
): Effect.fn.Return<Publication> {
  const { account, at, endpoints, event } = options
  const id = yield* ids.next<EventRowId>()
  const deliveries = yield* Effect.forEach(endpoints, (endpoint) =>
    Effect.map(ids.next<DeliveryId>(), (delivery) => ({ id: delivery, endpoint }))
  )
  const body = JSON.stringify({
    event: event.type,
    eventId: event.eventId,
    timestamp: DateTime.formatIso(at),
    subAccount: event.subAccount,
    data: event.data
  })
  return {
    events: [
      {
        event: {
          id,
          account,
          wallet: event.wallet,
          key: event.eventId,
          type: event.type,
          at,
          body
        },
        deliveries
      }
    ],
    jobs: deliveries.map((delivery) => sending(delivery, at))
  }
})

/** The job that sends a delivery. */
export const sending = ({ endpoint, id }: DeliveryRow, due: DateTime.Utc): JobWrite => ({
  _tag: "Schedule",
  queue: "webhook",
  id,
  group: endpoint,
  due
})
