import { Schema } from "effect"
import { AccountId, DeliveryId, EndpointId, Uuid, WalletId } from "../kernel/Ids.ts"
import * as Kind from "../units/Kind.ts"

/**
 * Why nothing is sent to an endpoint: its owner asked for it, it answered 410, or everything that was sent to it failed
 * for days.
 */
export const disabledReasons = ["request", "gone", "failing"] as const

/** An address that receives an account's events. Which events its wallet's table says (`accounts/RoutingTable.ts`). */
export class Endpoint extends Schema.Class<Endpoint>("@pagora/core/webhooks/Endpoint")({
  id: EndpointId,
  account: AccountId,
  wallet: WalletId,
  /** The reference of the sub-account whose events it wants; absent for the main account. */
  subAccount: Schema.optionalKey(Schema.String),
  url: Schema.String,
  /** The signing secret, sealed for `webhook-secret:<id>`. */
  sealedSecret: Schema.String,
  /** During a rotation: the secret before, and until when it is still sent beside. */
  previous: Schema.optionalKey(
    Schema.Struct({ sealedSecret: Schema.String, until: Schema.DateTimeUtcFromString })
  ),
  enabled: Schema.Boolean,
  /** Why and since when it is off; absent of one that was removed. */
  disabled: Schema.optionalKey(
    Schema.Struct({ reason: Schema.Literals(disabledReasons), at: Schema.DateTimeUtcFromString })
  ),
  /** When the first of an unbroken row of failures was; absent when the last try was a success. */
  failingSince: Schema.optionalKey(Schema.DateTimeUtcFromString),
  /** The oldest delivery that was given up and not sent again since. */
  missed: Schema.optionalKey(DeliveryId),
  /** Deliveries that are being sent again: those given up whose ids lie between these two, both included. */
  recovery: Schema.optionalKey(
    Schema.Struct({
      first: Uuid,
      last: Uuid,
      /** Somebody asked for it: a failure on the way does not end it, and nothing behind `last` belongs to it. */
      isAsked: Schema.Boolean
    })
  ),
  createdAt: Schema.DateTimeUtcFromString
}) {}

export const EndpointKind: Kind.Kind<Endpoint> = Kind.make({
  name: "endpoint",
  table: "registry",
  schema: Endpoint,
  columns: (endpoint) => ({
    id: endpoint.id,
    account: endpoint.account,
    wallet: endpoint.wallet,
    status: endpoint.enabled ? "enabled" : "disabled"
  })
})

/** What an endpoint's secret is sealed for, so that it opens nowhere else. */
export const sealPlace = (id: EndpointId): string => `webhook-secret:${id}`
