import { Context, DateTime, Duration, Effect, Layer, Redacted, Schema } from "effect"
import type { Account, Route } from "../accounts/Account.ts"
import { Account as AccountModel, AccountKind } from "../accounts/Account.ts"
import type { EndpointId, UnitId, Uuid, WalletId } from "../kernel/Ids.ts"
import { isUuid } from "../kernel/Ids.ts"
import { decideAgain, refusedFor } from "../ports/DecideAgain.ts"
import type { IdempotencyKey, IdempotencyKeyTaken } from "../ports/Idempotency.ts"
import { begun, keyTaken } from "../ports/Idempotency.ts"
import { Ids } from "../ports/Ids.ts"
import * as Kind from "../ports/Kind.ts"
import type { StorageError } from "../ports/Refused.ts"
import { Secrets } from "../ports/Secrets.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { Storage } from "../ports/Storage.ts"
import { WebhookTransport } from "../ports/WebhookTransport.ts"
import { Endpoint, EndpointKind, sealPlace } from "./Endpoint.ts"
import { movedTo, removed, switchedOff, switchedOn } from "./EndpointHealth.ts"
import type { EventType } from "./EventTypes.ts"
import type { RoutedEndpoint } from "./RoutedEndpoint.ts"
import { routed, routeTo, snapshotOf } from "./RoutedEndpoint.ts"
import { recoveryOf } from "./Redeliveries.ts"

/** Endpoints of one wallet. */
const endpointsMax = 10

export class EndpointNotFound extends Schema.TaggedError<EndpointNotFound>()("EndpointNotFound", {
  id: Schema.String
}) {}

/** Nothing is sent to such an address. */
export class UrlRefused extends Schema.TaggedError<UrlRefused>()("UrlRefused", {
  reason: Schema.Literals(["scheme", "port", "address", "url"])
}) {}

export class TooManyEndpoints extends Schema.TaggedError<TooManyEndpoints>()("TooManyEndpoints", {
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

/** Whose endpoints somebody may see: those of an account, or of one wallet of it. */
export interface EndpointScope {
  readonly account?: Uuid
  readonly wallet?: WalletId
}

/** An endpoint with the account as it routes events there. */
export interface FoundEndpoint {
  readonly account: Kind.Versioned<Account>
  readonly endpoint: Kind.Versioned<Endpoint>
  readonly route: Route
}

/** Where accounts want their events sent. */
export class Endpoints extends Context.Service<
  Endpoints,
  {
    readonly create: (
      account: Uuid,
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
      account: Account,
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
      const storage = yield* Storage
      const secrets = yield* Secrets
      const transport = yield* WebhookTransport
      const find = findEndpoint(storage)

      const checkUrl = (url: string | undefined) => {
        const refusal = url === undefined ? undefined : transport.refusal(url)
        return refusal === undefined ? Effect.void : new UrlRefused({ reason: refusal })
      }
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
        list: (account, wallet) => {
          const routes = account.routes.filter(
            (route) => wallet === undefined || route.wallet === wallet
          )
          const found = storage.findMany(
            EndpointKind,
            routes.map((route) => route.endpoint)
          )
          return Effect.map(found, (endpoints) =>
            endpoints.map(({ value }) => routed(value, routeTo(account, value.id)))
          )
        },
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

/** Finds an endpoint that is still routed to; outside the scope there is none. */
export const findEndpoint = (storage: Storage["Service"]) =>
  Effect.fnUntraced(function* (
    scope: EndpointScope,
    id: string
  ): Effect.fn.Return<FoundEndpoint, EndpointNotFound | StorageError> {
    const endpoint = isUuid(id) ? yield* storage.find(EndpointKind, id) : undefined
    if (endpoint === undefined || !isWithin(scope, endpoint.value)) {
      return yield* new EndpointNotFound({ id })
    }
    const account = yield* storage.find(AccountKind, endpoint.value.account)
    const route = account && routeTo(account.value, id)
    if (account === undefined || route === undefined) return yield* new EndpointNotFound({ id })
    return { account, endpoint, route }
  })

const isWithin = ({ account, wallet }: EndpointScope, endpoint: Endpoint): boolean =>
  (account === undefined || endpoint.account === account) &&
  (wallet === undefined || endpoint.wallet === wallet)

/** What is decided once on what was read, where a secret is made. */
const makeSecretDecisions = Effect.gen(function* () {
  const storage = yield* Storage
  const secrets = yield* Secrets
  const ids = yield* Ids
  const time = yield* ServiceTime

  const inserting = Effect.fnUntraced(function* (
    id: Uuid,
    request: NewEndpoint,
    {
      key,
      secret
    }: { readonly secret: Redacted.Redacted; readonly key: IdempotencyKey | undefined }
  ) {
    const account = yield* storage.find(AccountKind, id)
    if (account === undefined) return yield* Effect.die(new Error(`Account ${id} is gone.`))
    if (isFull(account.value, request)) return yield* new TooManyEndpoints({ max: endpointsMax })
    const now = yield* time.now
    const endpointId = yield* ids.next<EndpointId>()
    const sealedSecret = yield* secrets.seal(secret, sealPlace(endpointId))
    const endpoint = opened(account.value, request, { id: endpointId, sealedSecret, now })
    const route = routeOf(endpoint, request)
    const made = routed(endpoint, route)
    yield* storage
      .commit({
        id: yield* ids.next<UnitId>(),
        at: now,
        inserts: [EndpointKind.row(endpoint)],
        updates: [rerouted(account, [...account.value.routes, route], now)],
        ...begun(key, endpointId, snapshotOf(made))
      })
      .pipe(keyTaken, refusedFor("StaleVersion"))
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
        id: yield* ids.next<UnitId>(),
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
  const ids = yield* Ids
  const time = yield* ServiceTime

  const changing = Effect.fnUntraced(function* (
    { account, endpoint, route }: FoundEndpoint,
    { enabled, events, url }: EndpointChange
  ) {
    const now = yield* time.now
    const moved = url === undefined ? endpoint.value : movedTo(endpoint.value, url)
    const next = enabled === undefined ? moved : (enabled ? switchedOn : switchedOff)(moved, now)
    const nextRoute = {
      ...route,
      ...(events === undefined ? {} : { events }),
      ...(enabled === undefined ? {} : { enabled })
    }
    const routes = account.value.routes.map((other) => (other === route ? nextRoute : other))
    const isRecovering = next.recovery !== undefined && next.recovery !== endpoint.value.recovery
    yield* storage
      .commit({
        id: yield* ids.next<UnitId>(),
        at: now,
        updates: [rerouted(account, routes, now), Kind.update(EndpointKind, endpoint, next)],
        jobs: isRecovering ? [recoveryOf(next, now)] : []
      })
      .pipe(refusedFor("StaleVersion"))
    return routed(next, nextRoute)
  })

  const removing = Effect.fnUntraced(function* ({ account, endpoint, route }: FoundEndpoint) {
    const now = yield* time.now
    const routes = account.value.routes.filter((other) => other !== route)
    yield* storage
      .commit({
        id: yield* ids.next<UnitId>(),
        at: now,
        updates: [
          rerouted(account, routes, now),
          Kind.update(EndpointKind, endpoint, removed(endpoint.value))
        ]
      })
      .pipe(refusedFor("StaleVersion"))
  })
  return { changing, removing }
})

const isFull = ({ routes }: Account, { wallet }: NewEndpoint): boolean =>
  routes.filter((route) => route.wallet === wallet).length >= endpointsMax

const opened = (
  account: Account,
  request: NewEndpoint,
  made: { readonly id: EndpointId; readonly sealedSecret: string; readonly now: DateTime.Utc }
): Endpoint =>
  new Endpoint({
    id: made.id,
    account: account.id,
    wallet: request.wallet,
    ...(request.subAccount === undefined ? {} : { subAccount: request.subAccount }),
    url: request.url,
    sealedSecret: made.sealedSecret,
    enabled: true,
    createdAt: made.now
  })

const routeOf = (endpoint: Endpoint, request: NewEndpoint): Route => ({
  endpoint: endpoint.id,
  wallet: endpoint.wallet,
  enabled: endpoint.enabled,
  ...(request.events === undefined ? {} : { events: request.events })
})

/** Routes stand in the account's row, so that every decision about events rests on its version. */
const rerouted = (account: Kind.Versioned<Account>, routes: Account["routes"], now: DateTime.Utc) =>
  Kind.update(AccountKind, account, new AccountModel({ ...account.value, routes, updatedAt: now }))
