import { Effect, Redacted } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { Accounts } from "../accounts/Accounts.ts"
import { walletOf } from "../accounts/ActingWallet.ts"
import { replayable } from "../admission/ReplayableAnswer.ts"
import { idempotentForOperator } from "../admission/Idempotent.ts"
import { accountOfPath, notFound } from "../admission/AccountOfPath.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { exactPayload } from "../http/Payload.ts"
import { Deliveries, deliveryOf, recoveryFrom } from "../webhooks/Deliveries.ts"
import { Endpoints } from "../webhooks/Endpoints.ts"
import type { RoutedEndpoint } from "../webhooks/RoutedEndpoint.ts"
import { fromSnapshot } from "../webhooks/RoutedEndpoint.ts"
import {
  deliveryFields,
  endpointFields,
  endpointGone,
  graceOf,
  noEndpoint,
  recoveryFields,
  refusedUrl,
  tooManyEndpoints
} from "../webhooks/WebhooksWire.ts"
import {
  DeliveryResponse,
  EndpointChangePayload,
  RecoveryPayload,
  RecoveryResponse,
  RotationPayload,
  SecretEndpointResponse
} from "../webhooks/WebhookEndpointsApi.ts"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import type { IdempotencyKey } from "../units/Idempotency.ts"
import { OperatorApi } from "./OperatorApi.ts"
import { OperatorNewEndpointPayload } from "./OperatorWebhooksApi.ts"
import { present } from "../kernel/Present.ts"

export const OperatorWebhooksHandlers = handlersOf(
  OperatorApi,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const { change, list, remove } = yield* makeEndpointHandlers
    const { create, rotate } = yield* makeSecretPosts
    const { recover, test } = yield* makeSendingPosts

    return handlers
      .handleRaw("create", ({ params }) => create(params.id))
      .handle("list", ({ params }) => list(params.id))
      .handleRaw("change", ({ params }) => change(params.id, params.endpointId))
      .handle("remove", ({ params }) => remove(params.id, params.endpointId))
      .handleRaw("rotate", ({ params }) => rotate(params.id, params.endpointId))
      .handleRaw("test", ({ params }) => test(params.id, params.endpointId))
      .handleRaw("recover", ({ params }) => recover(params.endpointId))
  })
)

/** What reads and changes the endpoints of an account. */
const makeEndpointHandlers = Effect.gen(function* () {
  const accounts = yield* Accounts
  const endpoints = yield* Endpoints

  const list = Effect.fnUntraced(function* (id: string) {
    const { value: account } = yield* accountOfPath(accounts, id)
    const found = yield* orUnavailable(endpoints.list(account.id))
    return { data: found.map(endpointFields) }
  })

  const change = Effect.fnUntraced(function* (id: string, endpoint: string) {
    const { value: account } = yield* accountOfPath(accounts, id)
    const request = yield* exactPayload(EndpointChangePayload)
    const changed = yield* endpoints
      .change({ account: account.id }, endpoint, request)
      .pipe(
        Effect.catchTags({ EndpointNotFound: noEndpoint, UrlRefused: refusedUrl }),
        orUnavailable
      )
    return endpointFields(changed)
  })

  const remove = Effect.fnUntraced(function* (id: string, endpoint: string) {
    const { value: account } = yield* accountOfPath(accounts, id)
    yield* endpoints
      .remove({ account: account.id }, endpoint)
      .pipe(Effect.catchTag("EndpointNotFound", noEndpoint), orUnavailable)
  })
  return { change, list, remove }
})

/** What is done once for an Idempotency-Key, and answers with a secret. What is stored for it has the secret sealed. */
const makeSecretPosts = Effect.gen(function* () {
  const accounts = yield* Accounts
  const endpoints = yield* Endpoints
  const keys = yield* IdempotencyKeys

  const once = <E, R>(
    run: (key: IdempotencyKey | undefined) => Effect.Effect<RoutedEndpoint, E, R>
  ) =>
    Effect.gen(function* () {
      const answer = yield* idempotentForOperator(keys, { run, read: fromSnapshot })
      const secret = Redacted.value(yield* endpoints.reveal(answer.value.endpoint))
      const body = { ...endpointFields(answer.value), secret }
      return yield* replayable(SecretEndpointResponse, answer, body)
    })

  const created = Effect.fnUntraced(function* (id: string, key: IdempotencyKey | undefined) {
    const account = yield* accountOfPath(accounts, id)
    const { subAccount: reference, ...request } = yield* exactPayload(OperatorNewEndpointPayload)
    const acting = yield* accounts.acting(account, reference).pipe(
      Effect.catchTag("SubAccountNotFound", (unknown) =>
        notFound("sub-account", unknown.reference)
      ),
      orUnavailable
    )
    const subAccount = present({ subAccount: acting.subAccount?.value.reference })
    return yield* endpoints
      .create(account.value.id, { ...request, ...subAccount, wallet: walletOf(acting) }, key)
      .pipe(
        Effect.catchTags({ UrlRefused: refusedUrl, TooManyEndpoints: tooManyEndpoints }),
        orUnavailable
      )
  })

  const rotated = Effect.fnUntraced(function* (
    id: string,
    endpoint: string,
    key: IdempotencyKey | undefined
  ) {
    const { value: account } = yield* accountOfPath(accounts, id)
    const { graceSeconds } = yield* exactPayload(RotationPayload)
    return yield* endpoints
      .rotate({ account: account.id }, endpoint, {
        grace: graceOf(graceSeconds),
        ...present({ key })
      })
      .pipe(Effect.catchTag("EndpointNotFound", noEndpoint), orUnavailable)
  })

  return {
    create: (id: string) => once((key) => created(id, key)),
    rotate: (id: string, endpoint: string) => once((key) => rotated(id, endpoint, key))
  }
})

/** What is done once for an Idempotency-Key, and sends something. */
const makeSendingPosts = Effect.gen(function* () {
  const accounts = yield* Accounts
  const deliveries = yield* Deliveries
  const keys = yield* IdempotencyKeys

  const tested = Effect.fnUntraced(function* (
    id: string,
    endpoint: string,
    key: IdempotencyKey | undefined
  ) {
    const { value: account } = yield* accountOfPath(accounts, id)
    return yield* deliveries
      .test({ account: account.id }, endpoint, key)
      .pipe(
        Effect.catchTags({ EndpointNotFound: noEndpoint, EndpointGone: endpointGone }),
        orUnavailable
      )
  })

  const test = Effect.fnUntraced(function* (id: string, endpoint: string) {
    const answer = yield* idempotentForOperator(keys, {
      run: (key) => tested(id, endpoint, key),
      read: deliveryOf
    })
    const log = { delivery: answer.value, attempts: [] }
    return yield* replayable(DeliveryResponse, answer, deliveryFields(log))
  })

  const recover = Effect.fnUntraced(function* (endpoint: string) {
    const answer = yield* idempotentForOperator(keys, {
      run: (key) =>
        Effect.flatMap(exactPayload(RecoveryPayload), ({ since }) =>
          deliveries
            .recover({}, endpoint, { since, ...present({ key }) })
            .pipe(
              Effect.catchTags({ EndpointNotFound: noEndpoint, EndpointGone: endpointGone }),
              orUnavailable
            )
        ),
      read: recoveryFrom
    })
    return yield* replayable(RecoveryResponse, answer, recoveryFields(answer.value))
  })
  return { recover, test }
})
