import { Context, Effect, Layer, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Accounts } from "../accounts/Accounts.ts"
import { Credential } from "../auth/Credential.ts"
import { CredentialId } from "../kernel/Ids.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import type { App } from "../http/App.ts"
import {
  Authorization,
  CurrentCaller,
  CurrentWallet,
  walletOf
} from "../admission/Authorization.ts"
import { accountOfPath } from "../admission/AccountOfPath.ts"

/** The account that a call of the program itself is for. No request can set it. */
const ActingFor = Context.Reference<string>("@pagora/core/app/ActingFor", {
  defaultValue: () => ""
})

/** No credential of anybody: the program may do everything in every account. */
const nobody = CredentialId.make("00000000-0000-7000-8000-000000000000")

/** Instead of a token: the account that the program names. No limits, no permissions, no addresses. */
export const inProcessAuthorization: Layer.Layer<Authorization, never, Accounts | ServiceTime> =
  Layer.effect(
    Authorization,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const time = yield* ServiceTime
      return Authorization.of({
        bearer: (httpEffect, { endpoint }) =>
          Effect.gen(function* () {
            const account = yield* accountOfPath(accounts, yield* ActingFor)
            const credential = new Credential({
              id: nobody,
              account: account.value.id,
              secretDigest: "",
              permissions: ["FULL_ACCESS"],
              subAccountAccess: true,
              status: "active",
              createdAt: account.value.createdAt
            })
            const caller = { account, credential }
            const acting = yield* walletOf(accounts, caller, endpoint.annotations)
            return yield* httpEffect.pipe(
              Effect.provideService(CurrentCaller, caller),
              Effect.provideService(CurrentWallet, acting)
            )
          }).pipe(Effect.provideService(ServiceTime, time))
      })
    })
  )

/** The in-process app as it answers calls of the program for one account. */
export const actingFor = (app: App, account: string): App =>
  Effect.provideService(app, ActingFor, account)

export interface CallOf {
  readonly request: Request
  /** Whose account, where the app is that of the program itself. */
  readonly account?: string
  /** The address that the request comes from, where the host knows it. */
  readonly remoteAddress?: string
}

/** Lets an app answer a request of the web platform. */
export const answerOf = (
  app: App,
  { account = "", remoteAddress, request }: CallOf
): Effect.Effect<Response> =>
  app.pipe(
    Effect.provideService(
      HttpServerRequest.HttpServerRequest,
      HttpServerRequest.fromWeb(request).modify({
        remoteAddress: Option.fromUndefinedOr(remoteAddress)
      })
    ),
    Effect.provideService(ActingFor, account),
    Effect.scoped,
    Effect.map((response) =>
      HttpServerResponse.toWeb(response, { withoutBody: request.method === "HEAD" })
    )
  )
