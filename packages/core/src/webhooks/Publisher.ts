import { DateTime, Effect } from "effect"
import type { Account } from "../accounts/Account.ts"
import { endpointsFor } from "../accounts/Routing.ts"
import type { DeliveryId, EventRowId } from "../kernel/Ids.ts"
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
export const publish = Effect.fnUntraced(function* (
  ids: Ids["Service"],
  options: { readonly account: Account; readonly event: NewEvent; readonly at: DateTime.Utc }
): Effect.fn.Return<Publication> {
  const { account, event, at } = options
  const id = yield* ids.next<EventRowId>()
  const deliveries = yield* Effect.forEach(
    endpointsFor(account, event.wallet, event.type),
    (endpoint) => Effect.map(ids.next<DeliveryId>(), (delivery) => ({ id: delivery, endpoint }))
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
          account: account.id,
          wallet: event.wallet,
          key: event.eventId,
          type: event.type,
          at,
          body
        },
        deliveries
      }
    ],
    jobs: deliveries.map((delivery) => ({
      _tag: "Schedule",
      queue: "webhook",
      id: delivery.id,
      group: delivery.endpoint,
      due: at
    }))
  }
})
