import type { DateTime } from "effect"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import type { Account } from "../accounts/Account.ts"
import { Account as AccountModel, AccountKind } from "../accounts/Account.ts"
import type { EndpointId, UnitId, Uuid, WalletId } from "../kernel/Ids.ts"
import { decideAgain, refusedFor } from "../ports/DecideAgain.ts"
import { Ids } from "../ports/Ids.ts"
import * as Kind from "../ports/Kind.ts"
import type { StorageError } from "../ports/Refused.ts"
import { Secrets } from "../ports/Secrets.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { Storage } from "../ports/Storage.ts"
import { WebhookTransport } from "../ports/WebhookTransport.ts"
import { Endpoint, EndpointKind, sealPlace } from "./Endpoint.ts"
import type { EventType } from "./EventTypes.ts"

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

/** A fresh endpoint. Its signing secret can be read here once and never again. */
export interface CreatedEndpoint {
  readonly endpoint: Endpoint
  readonly secret: Redacted.Redacted
}

/** Where accounts want their events sent. */
export class Endpoints extends Context.Service<
  Endpoints,
  {
    readonly create: (
      account: Uuid,
      request: NewEndpoint
    ) => Effect.Effect<CreatedEndpoint, UrlRefused | TooManyEndpoints | StorageError>
    readonly list: (account: Account) => Effect.Effect<ReadonlyArray<Endpoint>, StorageError>
    /** The endpoint gets nothing more; deliveries that wait for it are cancelled. */
    readonly remove: (
      account: Uuid,
      id: Uuid
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
      const ids = yield* Ids
      const time = yield* ServiceTime
      const transport = yield* WebhookTransport

      const accountOf = Effect.fnUntraced(function* (id: Uuid) {
        const account = yield* storage.find(AccountKind, id)
        return account ?? (yield* Effect.die(new Error(`Account ${id} is gone.`)))
      })

      const insert = Effect.fnUntraced(function* (
        id: Uuid,
        request: NewEndpoint,
        secret: Redacted.Redacted
      ) {
        const account = yield* accountOf(id)
        if (isFull(account.value, request))
          return yield* new TooManyEndpoints({ max: endpointsMax })
        const now = yield* time.now
        const endpointId = yield* ids.next<EndpointId>()
        const sealedSecret = yield* secrets.seal(secret, sealPlace(endpointId))
        const endpoint = open(account.value, request, { id: endpointId, sealedSecret, now })
        const routes = [...account.value.routes, routeOf(endpoint, request)]
        yield* storage
          .commit({
            id: yield* ids.next<UnitId>(),
            at: now,
            inserts: [EndpointKind.row(endpoint)],
            updates: [rerouted(account, routes, now)]
          })
          .pipe(refusedFor("StaleVersion"))
        return endpoint
      })

      const create = Effect.fn("Endpoints.create")(function* (account: Uuid, request: NewEndpoint) {
        const refusal = transport.refusal(request.url)
        if (refusal !== undefined) return yield* new UrlRefused({ reason: refusal })
        const secret = Redacted.make(yield* secrets.webhookSecret)
        const endpoint = yield* decideAgain(insert(account, request, secret))
        return { endpoint, secret }
      })

      const list = ({ routes }: Account) => {
        const ids = routes.map((route) => route.endpoint)
        const found = storage.findMany(EndpointKind, ids)
        return Effect.map(found, (endpoints) => endpoints.map((entry) => entry.value))
      }

      const remove = Effect.fn("Endpoints.remove")(function* (accountId: Uuid, id: Uuid) {
        yield* decideAgain(
          Effect.gen(function* () {
            const account = yield* accountOf(accountId)
            const endpoint = yield* storage.find(EndpointKind, id)
            const isRouted = account.value.routes.some((route) => route.endpoint === id)
            if (endpoint === undefined || !isRouted) return yield* new EndpointNotFound({ id })
            const now = yield* time.now
            const routes = account.value.routes.filter((route) => route.endpoint !== id)
            yield* storage
              .commit({
                id: yield* ids.next<UnitId>(),
                at: now,
                updates: [
                  rerouted(account, routes, now),
                  Kind.update(EndpointKind, endpoint, disabled(endpoint.value))
                ]
              })
              .pipe(refusedFor("StaleVersion"))
          })
        )
      })
      return Endpoints.of({ create, list, remove })
    })
  )
}

const isFull = ({ routes }: Account, { wallet }: NewEndpoint): boolean =>
  routes.filter((route) => route.wallet === wallet).length >= endpointsMax

const disabled = (endpoint: Endpoint): Endpoint => new Endpoint({ ...endpoint, enabled: false })

const open = (
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

const routeOf = (endpoint: Endpoint, request: NewEndpoint): Account["routes"][number] => ({
  endpoint: endpoint.id,
  wallet: endpoint.wallet,
  enabled: endpoint.enabled,
  ...(request.events === undefined ? {} : { events: request.events })
})

/** Routes stand in the account's row, so that every decision about events rests on its version. */
const rerouted = (account: Kind.Versioned<Account>, routes: Account["routes"], now: DateTime.Utc) =>
  Kind.update(AccountKind, account, new AccountModel({ ...account.value, routes, updatedAt: now }))
