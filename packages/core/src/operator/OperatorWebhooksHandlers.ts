import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Account } from "../accounts/Account.ts"
import { Accounts } from "../accounts/Accounts.ts"
import { walletOf } from "../accounts/ActingWallet.ts"
import { BadRequest, refuse } from "../http/ErrorEnvelope.ts"
import { accountOf, notFound } from "../http/InAccount.ts"
import { ours } from "../http/Ours.ts"
import { payload } from "../http/Payload.ts"
import { isUuid } from "../kernel/Ids.ts"
import type { Endpoint } from "../webhooks/Endpoint.ts"
import type { UrlRefused } from "../webhooks/Endpoints.ts"
import { Endpoints } from "../webhooks/Endpoints.ts"
import { NewEndpointPayload, OperatorApi } from "./OperatorApi.ts"

export const OperatorWebhooksHandlers = HttpApiBuilder.group(
  OperatorApi,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const endpoints = yield* Endpoints

    const create = Effect.fnUntraced(function* (id: string) {
      const account = yield* accountOf(accounts, id)
      const request = yield* payload(NewEndpointPayload)
      const events = request.events === undefined ? {} : { events: request.events }
      const acting = yield* accounts.acting(account, request.subAccount).pipe(
        Effect.catchTag("SubAccountNotFound", ({ reference }) =>
          notFound("sub-account", reference)
        ),
        ours
      )
      const subAccount =
        acting.subAccount === undefined ? {} : { subAccount: acting.subAccount.value.reference }
      const { endpoint, secret } = yield* endpoints
        .create(account.value.id, {
          url: request.url,
          wallet: walletOf(acting),
          ...subAccount,
          ...events
        })
        .pipe(
          Effect.catchTag("UrlRefused", refusedUrl),
          Effect.catchTag("TooManyEndpoints", ({ max }) => refuse(BadRequest, tooMany(max))),
          ours
        )
      return { ...fields(endpoint), ...events, secret: Redacted.value(secret) }
    })

    const list = Effect.fnUntraced(function* (id: string) {
      const { value: account } = yield* accountOf(accounts, id)
      const found = yield* ours(endpoints.list(account))
      return {
        data: found.map((endpoint) => ({ ...fields(endpoint), ...eventsOf(account, endpoint) }))
      }
    })

    const remove = Effect.fnUntraced(function* (id: string, endpointId: string) {
      const account = yield* accountOf(accounts, id)
      if (!isUuid(endpointId)) return yield* notFound("webhook endpoint", endpointId)
      yield* endpoints.remove(account.value.id, endpointId).pipe(
        Effect.catchTag("EndpointNotFound", () => notFound("webhook endpoint", endpointId)),
        ours
      )
    })

    return handlers
      .handleRaw("create", ({ params }) => create(params.id))
      .handle("list", ({ params }) => list(params.id))
      .handle("remove", ({ params }) => remove(params.id, params.endpointId))
  })
)

const fields = ({ createdAt, enabled, id, subAccount, url }: Endpoint) => ({
  id,
  url,
  subAccount: subAccount ?? null,
  enabled,
  createdAt
})

const eventsOf = (account: Account, endpoint: Endpoint) => {
  const events = account.routes.find((route) => route.endpoint === endpoint.id)?.events
  return events === undefined ? {} : { events }
}

const urlRules: Readonly<Record<UrlRefused["reason"], string>> = {
  scheme: "webhooks are sent by https only.",
  port: "webhooks are sent to port 443 only.",
  address: "webhooks are sent to public addresses only.",
  url: "send a complete URL without credentials, such as https://example.com/hooks/pagora."
}

const refusedUrl = ({ reason }: UrlRefused) =>
  refuse(BadRequest, { message: `url: ${urlRules[reason]}`, code: "URL_REFUSED" })

const tooMany = (max: number) => ({
  message: `A wallet has at most ${max} webhook endpoints. Remove one first.`,
  code: "TOO_MANY_ENDPOINTS"
})
