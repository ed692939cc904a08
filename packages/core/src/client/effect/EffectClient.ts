import { Effect } from "effect"
import type { HttpClient } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { Api } from "../../app/Api.ts"
import { Authorization } from "../../admission/Authorization.ts"
import type { ClientOptions } from "../ClientOptions.ts"
import { checkOptions } from "../ClientOptions.ts"
import { connected } from "./Connected.ts"
import type { AuthenticationRefused, TokenUnavailable } from "./TokenErrors.ts"

/** What is not for tenants to call, or what the client does by itself. */
type NotCalled = "auth" | "contract" | "psp-inbox"

/**
 * The endpoints of the Api by group and name, their requests and answers as the models have them: amounts are
 * `Centavos`, times `DateTime.Utc`. Every refusal is an error of the
 * class of its status, such as `NotFound`, with its code in `details.code`.
 */
export type EffectClient = Omit<
  HttpApiClient.ForApi<typeof Api, AuthenticationRefused | TokenUnavailable>,
  NotCalled
>

/**
 * A client for Effect. It needs an `HttpClient`, such as `FetchHttpClient.layer`. Options that cannot work are a
 * defect.
 */
export const makeClient = Effect.fnUntraced(function* (
  options: ClientOptions
): Effect.fn.Return<EffectClient, never, HttpClient.HttpClient> {
  yield* Effect.sync(() => checkOptions(options))
  const httpClient = yield* connected(options)
  return yield* HttpApiClient.makeWith(Api, { httpClient }).pipe(Effect.provide(unchanged))
})

/** The connection brings the token, for this client and for the one of Promises. */
const unchanged = HttpApiMiddleware.layerClient(Authorization, ({ next, request }) => next(request))
