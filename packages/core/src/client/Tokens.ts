import { Clock, Effect, Schema, Semaphore } from "effect"
import type { HttpClientError, HttpClientResponse } from "effect/http"
import { HttpClientRequest } from "effect/http"

/** `POST /auth` gave no token: the credential is wrong (401), or the service cannot answer now. */
export class AuthenticationRefused extends Schema.TaggedError<AuthenticationRefused>()(
  "AuthenticationRefused",
  {
    status: Schema.Int,
    message: Schema.String,
    retryAfter: Schema.optionalKey(Schema.String)
  }
) {}

export type Execute = (
  request: HttpClientRequest.HttpClientRequest
) => Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

type TokenFailure = AuthenticationRefused | HttpClientError.HttpClientError

/** Bearer tokens, fetched when one is needed and shared by all calls. */
export interface Tokens {
  readonly current: Effect.Effect<string, TokenFailure>
  /** Another token than this one, which the service does not take any more. */
  readonly after: (refused: string) => Effect.Effect<string, TokenFailure>
}

/** Seconds before its end from which a token is not used any more: a request may take a while to arrive. */
const marginSeconds = 30

const Granted = Schema.Struct({ access_token: Schema.String, expires_in: Schema.Finite })
const Refused = Schema.Struct({ message: Schema.String })

export const makeTokens = (
  execute: Execute,
  credential: { readonly clientId: string; readonly clientSecret: string }
): Tokens => {
  let cached: { readonly token: string; readonly freshUntil: number } | undefined
  const turn = Semaphore.makeUnsafe(1)

  const request = HttpClientRequest.post("/auth").pipe(
    HttpClientRequest.bodyJsonUnsafe({
      client_id: credential.clientId,
      client_secret: credential.clientSecret
    })
  )

  const fetched = Effect.gen(function* () {
    const asked = yield* Clock.currentTimeMillis
    const response = yield* execute(request)
    const granted = yield* bodyAs(Granted, response)
    if (response.status !== 200 || granted === undefined) {
      return yield* refusal(response)
    }
    const lasts = Math.max(0, granted.expires_in - marginSeconds)
    cached = { token: granted.access_token, freshUntil: asked + lasts * 1000 }
    return granted.access_token
  })

  /** One at a time: those who waited for it use what the first one fetched. */
  const tokenUnless = (isStale: (token: string) => boolean) =>
    turn.withPermit(
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        cached !== undefined && now < cached.freshUntil && !isStale(cached.token)
          ? Effect.succeed(cached.token)
          : fetched
      )
    )

  return {
    current: tokenUnless(() => false),
    after: (refused) => tokenUnless((token) => token === refused)
  }
}

const bodyAs = <A, E>(
  schema: Schema.Codec<A, E>,
  response: HttpClientResponse.HttpClientResponse
): Effect.Effect<A | undefined> =>
  response.json.pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(schema)),
    Effect.catch(() => Effect.succeed(undefined))
  )

const refusal = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  const told = yield* bodyAs(Refused, response)
  const retryAfter = response.headers["retry-after"]
  return yield* new AuthenticationRefused({
    status: response.status,
    message: told?.message ?? "The answer of POST /auth is not one of this service. Check baseUrl.",
    ...(retryAfter === undefined ? {} : { retryAfter })
  })
})
