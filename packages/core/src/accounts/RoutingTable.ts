import { Schema } from "effect"
import type { Uuid } from "../kernel/Ids.ts"
import { AccountId, EndpointId, WalletId } from "../kernel/Ids.ts"
import * as Kind from "../units/Kind.ts"

/** Where events of a wallet go: one webhook endpoint, without its secret. */
export const Route = Schema.Struct({
  endpoint: EndpointId,
  /** The wallet whose events it wants. */
  wallet: WalletId,
  /** The kinds of event it wants; absent: all. */
  events: Schema.optionalKey(Schema.Array(Schema.String)),
  enabled: Schema.Boolean
})
export type Route = typeof Route.Type

/**
 * Where the events of one wallet go, in a row of its own: whoever publishes one of them rests on its version, and
 * nobody else does (decision 0073).
 */
export class RoutingTable extends Schema.Class<RoutingTable>("@pagora/core/accounts/RoutingTable")({
  account: AccountId,
  wallet: WalletId,
  routes: Schema.Array(Route)
}) {}

/** The row of a wallet's table has the wallet's id, made one of version 8. */
export const tableIdOf = (wallet: WalletId): Uuid =>
  `${wallet.slice(0, 14)}8${wallet.slice(15)}` as Uuid

export const RoutingTableKind: Kind.Kind<RoutingTable> = Kind.make({
  name: "routing_table",
  table: "registry",
  schema: RoutingTable,
  columns: (table) => ({
    id: tableIdOf(table.wallet),
    account: table.account,
    wallet: table.wallet,
    status: table.routes.length === 0 ? "empty" : "routed"
  })
})

/** The table with other routes. */
export const rerouted = (table: RoutingTable, routes: ReadonlyArray<Route>): RoutingTable =>
  new RoutingTable({ ...table, routes })

export const routeTo = ({ routes }: RoutingTable, id: string): Route | undefined =>
  routes.find((route) => route.endpoint === id)

/**
 * The endpoints that an event of a wallet goes to. A sub-account with endpoints of its own, enabled or not,
 * has its events sent to those only; without any they go to the main account's (spec, Envelope).
 */
export const endpointsFor = (
  own: RoutingTable,
  main: RoutingTable,
  event: string
): ReadonlyArray<EndpointId> =>
  (own.routes.length > 0 ? own : main).routes
    .filter(
      (route) => route.enabled && (route.events === undefined || route.events.includes(event))
    )
    .map((route) => route.endpoint)
