import { Duration, Schema } from "effect"
import { EndpointId, Uuid } from "../kernel/Ids.ts"
import * as Kind from "../units/Kind.ts"

/** A name of the program's own under which events of one kind are handled, in every account. */
const Subscription = Schema.Struct({
  /** Stands where an endpoint's id stands in a delivery. */
  id: EndpointId,
  name: Schema.String,
  event: Schema.String
})
export type Subscription = typeof Subscription.Type

/** There is one list in a deployment, so its row has a fixed id: 1 is the clock, 2 and 3 are those of `pagora dev`. */
export const subscriptionsId = Uuid.make("00000000-0000-7000-8000-000000000004")

/**
 * All subscriptions, in one row: whatever publishes an event rests on its version, so that an event and a
 * subscription never miss each other.
 */
const Subscriptions = Schema.Struct({ all: Schema.Array(Subscription) })
export type Subscriptions = typeof Subscriptions.Type

export const SubscriptionsKind: Kind.Kind<Subscriptions> = Kind.make({
  name: "subscriptions",
  table: "registry",
  schema: Subscriptions,
  columns: () => ({
    id: subscriptionsId,
    account: subscriptionsId,
    wallet: null,
    status: "active"
  })
})

/** The line in which a subscription's deliveries stand. */
export const queueOf = (id: EndpointId): `subscriber:${string}` => `subscriber:${id}`

/** How long a handler may take. Less than the lease of a job, so that no other process begins meanwhile. */
export const handlerMax = Duration.seconds(50)

const firstDelayMillis = 2_000
const delayMaxMillis = 300_000
const jitter = 0.2

/**
 * How long after a failed attempt the next one is made: 2, 4, 8 seconds and so on up to 5 minutes, each changed by up
 * to a fifth. There is no last attempt: a program that handles its own events wants them handled. `random` is in [0, 1).
 */
export const delayAfter = (attempt: number, random: number): Duration.Duration =>
  Duration.millis(
    Math.round(
      Math.min(delayMaxMillis, firstDelayMillis * 2 ** Math.min(attempt - 1, 16)) *
        (1 - jitter + 2 * jitter * random)
    )
  )
