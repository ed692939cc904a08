import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Accounts } from "../accounts/Accounts.ts"
import { walletOf } from "../accounts/ActingWallet.ts"
import { accountOf, notFound } from "../http/InAccount.ts"
import { ours } from "../http/Ours.ts"
import { payload } from "../http/Payload.ts"
import { Deliveries } from "../webhooks/Deliveries.ts"
import { Endpoints } from "../webhooks/Endpoints.ts"
import type { RoutedEndpoint } from "../webhooks/RoutedEndpoint.ts"
import {
  deliveryFields,
  endpointFields,
  endpointGone,
  graceOf,
  noEndpoint,
  recoveryFields,
  refusedUrl,
  tooManyEndpoints
} from "../http/WebhookAnswers.ts"
import {
  EndpointChangePayload,
  RecoveryPayload,
  RotationPayload
} from "../webhooks/WebhookEndpointsApi.ts"
import { OperatorApi } from "./OperatorApi.ts"
import { OperatorNewEndpointPayload } from "./OperatorWebhooksApi.ts"

export const OperatorWebhooksHandlers = HttpApiBuilder.group(
  OperatorApi,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const { change, create, list, remove, rotate } = yield* makeEndpointHandlers
    const deliveries = yield* Deliveries

    const test = Effect.fnUntraced(function* (id: string, endpoint: string) {
      const { value: account } = yield* accountOf(accounts, id)
      const delivery = yield* deliveries
        .test({ account: account.id }, endpoint)
        .pipe(
          Effect.catchTags({ EndpointNotFound: noEndpoint, EndpointGone: endpointGone }),
          Effect.catchTag("IdempotencyKeyTaken", Effect.die),
          ours
        )
      return deliveryFields({ delivery, attempts: [] })
    })

    const recover = Effect.fnUntraced(function* (endpoint: string) {
      const { since } = yield* payload(RecoveryPayload)
      const recovery = yield* deliveries
        .recover({}, endpoint, { since })
        .pipe(
          Effect.catchTags({ EndpointNotFound: noEndpoint, EndpointGone: endpointGone }),
          Effect.catchTag("IdempotencyKeyTaken", Effect.die),
          ours
        )
      return recoveryFields(recovery)
    })

    return handlers
      .handleRaw("create", ({ params }) => create(params.id))
      .handle("list", ({ params }) => list(params.id))
      .handleRaw("change", ({ params }) => change(params.id, params.endpointId))
      .handle("remove", ({ params }) => remove(params.id, params.endpointId))
      .handleRaw("rotate", ({ params }) => rotate(params.id, params.endpointId))
      .handle("test", ({ params }) => test(params.id, params.endpointId))
      .handleRaw("recover", ({ params }) => recover(params.endpointId))
  })
)

/** What is done with the endpoints of an account. */
const makeEndpointHandlers = Effect.gen(function* () {
  const accounts = yield* Accounts
  const endpoints = yield* Endpoints

  const withSecret = (made: RoutedEndpoint) =>
    Effect.map(endpoints.reveal(made.endpoint), (secret) => ({
      ...endpointFields(made),
      secret: Redacted.value(secret)
    }))

  const create = Effect.fnUntraced(function* (id: string) {
    const account = yield* accountOf(accounts, id)
    const { subAccount: reference, ...request } = yield* payload(OperatorNewEndpointPayload)
    const acting = yield* accounts.acting(account, reference).pipe(
      Effect.catchTag("SubAccountNotFound", (unknown) =>
        notFound("sub-account", unknown.reference)
      ),
      ours
    )
    const subAccount =
      acting.subAccount === undefined ? {} : { subAccount: acting.subAccount.value.reference }
    const made = yield* endpoints
      .create(account.value.id, { ...request, ...subAccount, wallet: walletOf(acting) })
      .pipe(
        Effect.catchTags({ UrlRefused: refusedUrl, TooManyEndpoints: tooManyEndpoints }),
        Effect.catchTag("IdempotencyKeyTaken", Effect.die),
        ours
      )
    return yield* withSecret(made)
  })

  const list = Effect.fnUntraced(function* (id: string) {
    const { value: account } = yield* accountOf(accounts, id)
    const found = yield* ours(endpoints.list(account))
    return { data: found.map(endpointFields) }
  })

  const change = Effect.fnUntraced(function* (id: string, endpoint: string) {
    const { value: account } = yield* accountOf(accounts, id)
    const request = yield* payload(EndpointChangePayload)
    const changed = yield* endpoints
      .change({ account: account.id }, endpoint, request)
      .pipe(Effect.catchTags({ EndpointNotFound: noEndpoint, UrlRefused: refusedUrl }), ours)
    return endpointFields(changed)
  })

  const remove = Effect.fnUntraced(function* (id: string, endpoint: string) {
    const { value: account } = yield* accountOf(accounts, id)
    yield* endpoints
      .remove({ account: account.id }, endpoint)
      .pipe(Effect.catchTag("EndpointNotFound", noEndpoint), ours)
  })

  const rotate = Effect.fnUntraced(function* (id: string, endpoint: string) {
    const { value: account } = yield* accountOf(accounts, id)
    const { graceSeconds } = yield* payload(RotationPayload)
    const made = yield* endpoints
      .rotate({ account: account.id }, endpoint, { grace: graceOf(graceSeconds) })
      .pipe(
        Effect.catchTag("EndpointNotFound", noEndpoint),
        Effect.catchTag("IdempotencyKeyTaken", Effect.die),
        ours
      )
    return yield* withSecret(made)
  })
  return { change, create, list, remove, rotate }
})
