import { Effect, Schema } from "effect"
import type { Route, RoutingTable } from "../accounts/RoutingTable.ts"
import { RoutingTableKind, routeTo, tableIdOf } from "../accounts/RoutingTable.ts"
import type { AccountId, Uuid, WalletId } from "../kernel/Ids.ts"
import { isUuid } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import type * as Kind from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import { Storage } from "../storage/Storage.ts"
import type { Endpoint } from "./Endpoint.ts"
import { EndpointKind } from "./Endpoint.ts"
import { routed } from "./RoutedEndpoint.ts"
import { makeRoutingTables } from "./RoutingTables.ts"

export class EndpointNotFound extends Schema.TaggedError<EndpointNotFound>()("EndpointNotFound", {
  id: Schema.String
}) {}

/** Whose endpoints somebody may see: those of an account, or of one wallet of it. */
export interface EndpointScope {
  readonly account?: Uuid
  readonly wallet?: WalletId
}

/** An endpoint with the table that routes events there. */
export interface FoundEndpoint {
  readonly table: Kind.Versioned<RoutingTable>
  readonly endpoint: Kind.Versioned<Endpoint>
  readonly route: Route
}

/** Finds an endpoint that is still routed to; outside the scope there is none. */
export const makeFindEndpoint = Effect.gen(function* () {
  const storage = yield* Storage
  const tablesOf = yield* makeRoutingTables
  return Effect.fnUntraced(function* (
    scope: EndpointScope,
    id: string
  ): Effect.fn.Return<FoundEndpoint, EndpointNotFound | StorageError> {
    const endpoint = isUuid(id) ? yield* storage.find(EndpointKind, id) : undefined
    if (endpoint === undefined || !isWithin(scope, endpoint.value)) {
      return yield* new EndpointNotFound({ id })
    }
    const { account, wallet } = endpoint.value
    const { own: table } = yield* tablesOf(account, wallet)
    const route = routeTo(table.value, id)
    return route === undefined ? yield* new EndpointNotFound({ id }) : { table, endpoint, route }
  })
})

/** Tables that are read at once. */
const tablesMax = 500

/** Lists the endpoints of an account, or of one wallet of it. */
export const makeList = Effect.gen(function* () {
  const storage = yield* Storage
  const tablesOf = yield* makeRoutingTables

  const tablesIn = Effect.fnUntraced(function* (account: AccountId) {
    // Has them begun, where they have not.
    yield* tablesOf(account, account)
    const all: Array<RoutingTable> = []
    for (let after: Uuid | undefined; ;) {
      const page: ReadonlyArray<Kind.Versioned<RoutingTable>> = yield* storage.list(
        RoutingTableKind,
        {
          account,
          status: "routed",
          ...present({ after }),
          order: "asc",
          limit: tablesMax
        }
      )
      all.push(...page.map(({ value }) => value))
      const last = page.at(-1)?.value
      if (last === undefined || page.length < tablesMax) return all
      after = tableIdOf(last.wallet)
    }
  })

  return Effect.fn("Endpoints.list")(function* (account: AccountId, wallet?: WalletId) {
    const tables =
      wallet === undefined
        ? yield* tablesIn(account)
        : [(yield* tablesOf(account, wallet)).own.value]
    const routes = new Map(
      tables.flatMap((table) => table.routes.map((route) => [route.endpoint, route] as const))
    )
    const found = yield* storage.findMany(EndpointKind, [...routes.keys()])
    return found.map(({ value }) => routed(value, routes.get(value.id)))
  })
})

const isWithin = ({ account, wallet }: EndpointScope, endpoint: Endpoint): boolean =>
  (account === undefined || endpoint.account === account) &&
  (wallet === undefined || endpoint.wallet === wallet)
