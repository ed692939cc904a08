import { Effect, Redacted } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { walletOf } from "../accounts/ActingWallet.ts"
import { replayable } from "../admission/ReplayableAnswer.ts"
import { CurrentWallet } from "../admission/Authorization.ts"
import { idempotent } from "../admission/Idempotent.ts"
import { notFound } from "../admission/AccountOfPath.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { payload } from "../http/Payload.ts"
import { tenantApi } from "../http/TenantApi.ts"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import type { DeliveryId } from "../kernel/Ids.ts"
import { isUuid } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import { Deliveries, deliveryOf, recoveryFrom } from "./Deliveries.ts"
import { Endpoints } from "./Endpoints.ts"
import type { RoutedEndpoint } from "./RoutedEndpoint.ts"
import { fromSnapshot, routed } from "./RoutedEndpoint.ts"
import {
  deliveryFields,
  deliveryPage,
  endpointFields,
  endpointGone,
  graceOf,
  logQuery,
  noEndpoint,
  recoveryFields,
  refusedUrl,
  tooManyEndpoints
} from "./WebhooksWire.ts"
import {
  DeliveryResponse,
  EndpointChangePayload,
  NewEndpointPayload,
  RecoveryPayload,
  RecoveryResponse,
  RotationPayload,
  SecretEndpointResponse,
  WebhookEndpointsApi
} from "./WebhookEndpointsApi.ts"

/** The wallet whose endpoints the request is about. */
const scope = Effect.map(CurrentWallet, (acting) => ({
  account: acting.account.value.id,
  wallet: walletOf(acting)
}))

export const WebhookEndpointsHandlers = handlersOf(
  tenantApi.add(WebhookEndpointsApi),
  "webhookEndpoints",
  Effect.fnUntraced(function* (handlers) {
    const endpoints = yield* Endpoints
    const secret = yield* makeSecretPosts
    const send = yield* makeSendingPosts
    const { change, deliveries, get, list } = yield* makeReads

    return handlers
      .handleRaw("create", () => secret.create)
      .handle("list", () => list)
      .handle("get", ({ params }) => get(params.id))
      .handleRaw("change", ({ params }) => change(params.id))
      .handle("remove", ({ params }) =>
        Effect.flatMap(scope, (within) =>
          endpoints
            .remove(within, params.id)
            .pipe(Effect.catchTag("EndpointNotFound", noEndpoint), orUnavailable)
        )
      )
      .handleRaw("rotateSecret", ({ params }) => secret.rotate(params.id))
      .handleRaw("test", ({ params }) => send.test(params.id))
      .handleRaw("recover", ({ params }) => send.recover(params.id))
      .handle("deliveries", ({ params, query }) => deliveries(params.id, query))
      .handleRaw("resend", ({ params }) => send.resend(params.id, params.deliveryId))
  })
)

/** What reads, and the change of an endpoint. */
const makeReads = Effect.gen(function* () {
  const endpoints = yield* Endpoints
  const log = yield* Deliveries

  const find = Effect.fnUntraced(function* (id: string) {
    const found = endpoints.find(yield* scope, id)
    return yield* found.pipe(Effect.catchTag("EndpointNotFound", noEndpoint), orUnavailable)
  })

  return {
    list: Effect.gen(function* () {
      const acting = yield* CurrentWallet
      const found = yield* orUnavailable(endpoints.list(acting.account.value.id, walletOf(acting)))
      return { data: found.map(endpointFields) }
    }),
    get: (id: string) =>
      Effect.map(find(id), ({ endpoint, route }) => endpointFields(routed(endpoint.value, route))),
    change: Effect.fnUntraced(function* (id: string) {
      const request = yield* payload(EndpointChangePayload)
      const changed = yield* endpoints
        .change(yield* scope, id, request)
        .pipe(
          Effect.catchTags({ EndpointNotFound: noEndpoint, UrlRefused: refusedUrl }),
          orUnavailable
        )
      return endpointFields(changed)
    }),
    deliveries: Effect.fnUntraced(function* (id: string, query: Parameters<typeof logQuery>[0]) {
      const narrowed = yield* logQuery(query)
      const { endpoint } = yield* find(id)
      const { account, id: endpointId } = endpoint.value
      return deliveryPage(
        yield* orUnavailable(log.list({ ...narrowed, account, endpoint: endpointId }))
      )
    })
  }
})

/** What is done once for an Idempotency-Key, and answers with a secret. */
const makeSecretPosts = Effect.gen(function* () {
  const endpoints = yield* Endpoints
  const keys = yield* IdempotencyKeys

  /** What was stored has the secret sealed: it is opened for the answer, also for one that is repeated. */
  const withSecret = (made: RoutedEndpoint) =>
    Effect.map(endpoints.reveal(made.endpoint), (secret) => ({
      ...endpointFields(made),
      secret: Redacted.value(secret)
    }))

  const create = Effect.gen(function* () {
    const { account, subAccount } = yield* CurrentWallet
    const { wallet } = yield* scope
    const owner = present({ subAccount: subAccount?.value.reference })
    const answer = yield* idempotent(keys, {
      run: (key) =>
        Effect.flatMap(payload(NewEndpointPayload), (request) =>
          endpoints
            .create(account.value.id, { ...request, ...owner, wallet }, key)
            .pipe(
              Effect.catchTags({ TooManyEndpoints: tooManyEndpoints, UrlRefused: refusedUrl }),
              orUnavailable
            )
        ),
      read: fromSnapshot
    })
    return yield* replayable(SecretEndpointResponse, answer, yield* withSecret(answer.value))
  })

  const rotate = Effect.fnUntraced(function* (id: string) {
    const within = yield* scope
    const answer = yield* idempotent(keys, {
      run: (key) =>
        Effect.flatMap(payload(RotationPayload), ({ graceSeconds }) =>
          endpoints
            .rotate(within, id, {
              grace: graceOf(graceSeconds),
              ...present({ key })
            })
            .pipe(Effect.catchTag("EndpointNotFound", noEndpoint), orUnavailable)
        ),
      read: fromSnapshot
    })
    return yield* replayable(SecretEndpointResponse, answer, yield* withSecret(answer.value))
  })

  return { create, rotate }
})

/** What is done once for an Idempotency-Key, and sends something. */
const makeSendingPosts = Effect.gen(function* () {
  const endpoints = yield* Endpoints
  const deliveries = yield* Deliveries
  const keys = yield* IdempotencyKeys

  const queued = { read: deliveryOf }
  const test = Effect.fnUntraced(function* (id: string) {
    const within = yield* scope
    const answer = yield* idempotent(keys, {
      run: (key) =>
        deliveries
          .test(within, id, key)
          .pipe(
            Effect.catchTags({ EndpointNotFound: noEndpoint, EndpointGone: endpointGone }),
            orUnavailable
          ),
      ...queued
    })
    const log = { delivery: answer.value, attempts: [] }
    return yield* replayable(DeliveryResponse, answer, deliveryFields(log))
  })

  const resend = Effect.fnUntraced(function* (id: string, delivery: string) {
    const within = yield* scope
    const run = (key: Parameters<typeof deliveries.resend>[2]) =>
      Effect.gen(function* () {
        yield* endpoints.find(within, id)
        if (!isUuid(delivery)) return yield* notFound("delivery", delivery)
        return yield* deliveries.resend({ ...within, endpoint: id }, delivery as DeliveryId, key)
      }).pipe(
        Effect.catchTags({
          EndpointNotFound: noEndpoint,
          EndpointGone: endpointGone,
          DeliveryNotFound: () => notFound("delivery", delivery)
        }),
        orUnavailable
      )
    const answer = yield* idempotent(keys, { run, ...queued })
    const log = { delivery: answer.value, attempts: [] }
    return yield* replayable(DeliveryResponse, answer, deliveryFields(log))
  })

  const recover = Effect.fnUntraced(function* (id: string) {
    const within = yield* scope
    const answer = yield* idempotent(keys, {
      run: (key) =>
        Effect.flatMap(payload(RecoveryPayload), ({ since }) =>
          deliveries
            .recover(within, id, { since, ...present({ key }) })
            .pipe(
              Effect.catchTags({ EndpointNotFound: noEndpoint, EndpointGone: endpointGone }),
              orUnavailable
            )
        ),
      read: recoveryFrom
    })
    return yield* replayable(RecoveryResponse, answer, recoveryFields(answer.value))
  })
  return { test, resend, recover }
})
