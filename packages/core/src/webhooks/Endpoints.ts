import { Context, DateTime, Duration, Effect, Equal, Layer, Redacted, Schema } from "effect"
import type { Route, RoutingTable } from "../accounts/RoutingTable.ts"
import { rerouted, RoutingTableKind } from "../accounts/RoutingTable.ts"
import type { AccountId, EndpointId, WalletId } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import { decideAgain, refusedFor } from "../storage/DecideAgain.ts"
import type { IdempotencyKey, IdempotencyKeyTaken } from "../units/Idempotency.ts"
import { begun, keyTaken } from "../units/Idempotency.ts"
import { Ids } from "../time/Ids.ts"
import * as Kind from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import { Secrets } from "../ports/Secrets.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import { WebhookTransport } from "../ports/WebhookTransport.ts"
import { Endpoint, EndpointKind, sealPlace } from "./Endpoint.ts"
import { movedTo, removed, switchedOff, switchedOn } from "./EndpointHealth.ts"
import type { EventType } from "./EventTypes.ts"
import type { RoutedEndpoint } from "./RoutedEndpoint.ts"
import { routed, snapshotOf } from "./RoutedEndpoint.ts"
import { recoveryOf } from "./Redeliveries.ts"
import type { EndpointNotFound, EndpointScope, FoundEndpoint } from "./FoundEndpoints.ts"
import { makeFindEndpoint, makeList } from "./FoundEndpoints.ts"
import { makeRoutingTables, makeTakenOver } from "./RoutingTables.ts"

/** Endpoints of one wallet, and of all wallets of an account. */
const endpointsMax = 10
const endpointsOfAccountMax = 10_000n

/** Nothing is sent to such an address. */
export class UrlRefused extends Schema.TaggedError<UrlRefused>()("UrlRefused", {
  reason: Schema.Literals(["scheme", "port", "address", "url"])
}) {}

export class TooManyEndpoints extends Schema.TaggedError<TooManyEndpoints>()("TooManyEndpoints", {
  of: Schema.Literals(["wallet", "account"]),
  max: Schema.Int
}) {}

export interface NewEndpoint {
  readonly url: string
  readonly wallet: WalletId
  /** The reference of the sub-account that owns the wallet, when one does. */
  readonly subAccount?: string
  readonly events?: ReadonlyArray<EventType>
}

export interface EndpointChange {
  readonly url?: string
  readonly events?: ReadonlyArray<EventType>
  readonly enabled?: boolean
}

/** Where accounts want their events sent. */
export class Endpoints extends Context.Service<
  Endpoints,
  {
    readonly create: (
      account: AccountId,
      request: NewEndpoint,
      key?: IdempotencyKey
    ) => Effect.Effect<
      RoutedEndpoint,
      UrlRefused | TooManyEndpoints | IdempotencyKeyTaken | StorageError
    >
    /** The signing secret. It is for its owner alone, and shown when it is made and never again. */
    readonly reveal: (endpoint: Endpoint) => Effect.Effect<Redacted.Redacted>
    /** Those of an account, or of one wallet of it. */
    readonly list: (
      account: AccountId,
      wallet?: WalletId
    ) => Effect.Effect<ReadonlyArray<RoutedEndpoint>, StorageError>
    readonly find: (
      scope: EndpointScope,
      id: string
    ) => Effect.Effect<FoundEndpoint, EndpointNotFound | StorageError>
    /** Switched on, it is sent what it missed; switched off, it gets no more events until then. */
    readonly change: (
      scope: EndpointScope,
      id: string,
      change: EndpointChange
    ) => Effect.Effect<RoutedEndpoint, EndpointNotFound | UrlRefused | StorageError>
    /** Puts a new secret in the place of the one it has, which signs beside it for so long. */
    readonly rotate: (
      scope: EndpointScope,
      id: string,
      options: { readonly grace: Duration.Duration; readonly key?: IdempotencyKey }
    ) => Effect.Effect<RoutedEndpoint, EndpointNotFound | IdempotencyKeyTaken | StorageError>
    /** The endpoint gets nothing more; deliveries that wait for it are cancelled. */
    readonly remove: (
      scope: EndpointScope,
      id: string
    ) => Effect.Effect<void, EndpointNotFound | StorageError>
  }
>()("@pagora/core/webhooks/Endpoints") {
  static readonly layer: Layer.Layer<
    Endpoints,
    never,
    Storage | Secrets | Ids | ServiceTime | WebhookTransport
  > = Layer.effect(
    Endpoints,
    Effect.gen(function* () {
      const secrets = yield* Secrets
      const transport = yield* WebhookTransport
      const find = yield* makeFindEndpoint

      const checkUrl = (url: string | undefined) => {
        const refusal = url === undefined ? undefined : transport.refusal(url)
        return refusal === undefined ? Effect.void : new UrlRefused({ reason: refusal })
      }
      const list = yield* makeList
      const { changing, removing } = yield* makeChanges
      const { inserting, rotating } = yield* makeSecretDecisions

      return Endpoints.of({
        find,
        create: Effect.fn("Endpoints.create")(function* (account, request, key) {
          yield* checkUrl(request.url)
          const secret = Redacted.make(yield* secrets.webhookSecret)
          return yield* decideAgain(inserting(account, request, { secret, key }))
        }),
        reveal: (endpoint) =>
          Effect.orDie(secrets.open(endpoint.sealedSecret, sealPlace(endpoint.id))),
        list,
        change: Effect.fn("Endpoints.change")(function* (scope, id, change) {
          yield* checkUrl(change.url)
          return yield* decideAgain(Effect.flatMap(find(scope, id), (at) => changing(at, change)))
        }),
        rotate: Effect.fn("Endpoints.rotate")(function* (scope, id, options) {
          return yield* decideAgain(Effect.flatMap(find(scope, id), (at) => rotating(at, options)))
        }),
        remove: Effect.fn("Endpoints.remove")(function* (scope, id) {
          yield* decideAgain(Effect.flatMap(find(scope, id), removing))
        })
      })
    })
  )
}

/** What is decided once on what was read, where a secret is made. */
const makeSecretDecisions = Effect.gen(function* () {
  const storage = yield* Storage
  const secrets = yield* Secrets
  const ids = yield* Ids
  const time = yield* ServiceTime

  const tablesOf = yield* makeRoutingTables
  const takenOver = makeTakenOver(storage)

  const inserting = Effect.fnUntraced(function* (
    account: AccountId,
    request: NewEndpoint,
    {
      key,
      secret
    }: { readonly secret: Redacted.Redacted; readonly key: IdempotencyKey | undefined }
  ) {
    const { own: table } = yield* tablesOf(account, request.wallet)
    const taken = yield* takenOver(account)
    const { routes } = table.value
    if (routes.length >= endpointsMax)
      return yield* new TooManyEndpoints({ of: "wallet", max: endpointsMax })
    const now = yield* time.now
    const endpointId = yield* ids.next<EndpointId>()
    const sealedSecret = yield* secrets.seal(secret, sealPlace(endpointId))
    const endpoint = opened(account, request, { id: endpointId, sealedSecret, now })
    const route = routeOf(endpoint, request)
    const made = routed(endpoint, route)
    yield* storage
      .commit({
        at: now,
        inserts: [EndpointKind.row(endpoint)],
        updates: [...taken, withRoutes(table, [...routes, route])],
        counters: [{ key: counterOf(account), add: 1n, max: endpointsOfAccountMax }],
        ...begun(key, endpointId, snapshotOf(made))
      })
      .pipe(
        keyTaken,
        refusedFor("StaleVersion", "LimitExceeded"),
        Effect.catchTag("LimitExceeded", accountIsFull)
      )
    return made
  })

  const rotating = Effect.fnUntraced(function* (
    { endpoint, route }: FoundEndpoint,
    { grace, key }: { readonly grace: Duration.Duration; readonly key?: IdempotencyKey }
  ) {
    const now = yield* time.now
    const { id, previous: _, sealedSecret, ...rest } = endpoint.value
    const secret = Redacted.make(yield* secrets.webhookSecret)
    const until = DateTime.addDuration(now, grace)
    const next = new Endpoint({
      ...rest,
      id,
      sealedSecret: yield* secrets.seal(secret, sealPlace(id)),
      ...(Duration.isZero(grace) ? {} : { previous: { sealedSecret, until } })
    })
    const made = routed(next, route)
    yield* storage
      .commit({
        at: now,
        updates: [Kind.update(EndpointKind, endpoint, next)],
        ...begun(key, id, snapshotOf(made))
      })
      .pipe(keyTaken, refusedFor("StaleVersion"))
    return made
  })
  return { inserting, rotating }
})

/** What is decided once on what was read, of an endpoint and its route. */
const makeChanges = Effect.gen(function* () {
  const storage = yield* Storage
  const time = yield* ServiceTime

  const takenOver = makeTakenOver(storage)

  const changing = Effect.fnUntraced(function* (
    { endpoint, route, table }: FoundEndpoint,
    { enabled, events, url }: EndpointChange
  ) {
    const now = yield* time.now
    const moved = url === undefined ? endpoint.value : movedTo(endpoint.value, url)
    const next = enabled === undefined ? moved : (enabled ? switchedOn : switchedOff)(moved, now)
    const nextRoute = {
      ...route,
      ...present({ events, enabled })
    }
    // What is the same is not written: each write of a table makes events be routed anew.
    const updates = [
      ...(Equal.equals(nextRoute, route)
        ? []
        : [
            ...(yield* takenOver(table.value.account)),
            withRoutes(table, replaced(table.value, nextRoute))
          ]),
      ...(next === endpoint.value ? [] : [Kind.update(EndpointKind, endpoint, next)])
    ]
    if (updates.length === 0) return routed(next, nextRoute)
    const isRecovering = next.recovery !== undefined && next.recovery !== endpoint.value.recovery
    yield* storage
      .commit({
        at: now,
        updates,
        // Both rows are one thing to whoever changes it.
        expects: [
          Kind.expectation(RoutingTableKind, table),
          Kind.expectation(EndpointKind, endpoint)
        ].filter(({ id }) => updates.every(({ row }) => row.id !== id)),
        jobs: isRecovering ? [recoveryOf(next, now)] : []
      })
      .pipe(refusedFor("StaleVersion"))
    return routed(next, nextRoute)
  })

  const removing = Effect.fnUntraced(function* ({ endpoint, route, table }: FoundEndpoint) {
    const taken = yield* takenOver(table.value.account)
    yield* storage
      .commit({
        at: yield* time.now,
        updates: [
          ...taken,
          withRoutes(
            table,
            table.value.routes.filter((other) => other !== route)
          ),
          Kind.update(EndpointKind, endpoint, removed(endpoint.value))
        ],
        counters: [{ key: counterOf(table.value.account), add: -1n }]
      })
      .pipe(refusedFor("StaleVersion"))
  })
  return { changing, removing }
})

/** Counts the endpoints of an account. Those of the time before are not in it. */
const counterOf = (account: AccountId): string => `webhook_endpoints/${account}`

const accountIsFull = () =>
  new TooManyEndpoints({ of: "account", max: Number(endpointsOfAccountMax) })

const withRoutes = (table: Kind.Versioned<RoutingTable>, routes: ReadonlyArray<Route>) =>
  Kind.update(RoutingTableKind, table, rerouted(table.value, routes))

const replaced = ({ routes }: RoutingTable, next: Route): ReadonlyArray<Route> =>
  routes.map((route) => (route.endpoint === next.endpoint ? next : route))

const opened = (
  account: AccountId,
  request: NewEndpoint,
  made: { readonly id: EndpointId; readonly sealedSecret: string; readonly now: DateTime.Utc }
): Endpoint =>
  new Endpoint({
    id: made.id,
    account,
    wallet: request.wallet,
    ...present({ subAccount: request.subAccount }),
    url: request.url,
    sealedSecret: made.sealedSecret,
    enabled: true,
    createdAt: made.now
  })

const routeOf = (endpoint: Endpoint, request: NewEndpoint): Route => ({
  endpoint: endpoint.id,
  wallet: endpoint.wallet,
  enabled: endpoint.enabled,
  ...present({ events: request.events })
})
