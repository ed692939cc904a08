import { Schema } from "effect"
import { AccountId, EndpointId, WalletId } from "../kernel/Ids.ts"
import * as Kind from "../ports/Kind.ts"

/** An address that receives an account's events. Which events is the account's to say (`accounts/Account.ts`, routes). */
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
