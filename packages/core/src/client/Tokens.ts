import { Clock, Effect, Schema, Semaphore } from "effect"
import type { HttpClientError, HttpClientResponse } from "effect/http"
import { HttpClientRequest } from "effect/http"

/** `POST /auth` says that the credential is wrong. */
export class AuthenticationRefused extends Schema.TaggedError<AuthenticationRefused>()(
  "AuthenticationRefused",
  {
    status: Schema.Int,
    message: Schema.String,
    retryAfter: Schema.optionalKey(Schema.String)
  }
) {}

/** `POST /auth` gave no token, which says nothing of the credential: the service cannot answer now, or it is not there. */
export class TokenUnavailable extends Schema.TaggedError<TokenUnavailable>()("TokenUnavailable", {
  status: Schema.Int,
  /** As elsewhere: `RATE_LIMITED`, the name of the error, or `UNEXPECTED_ANSWER` for what is no answer of this service. */
  code: Schema.String,
  message: Schema.String,
  retryAfter: Schema.optionalKey(Schema.String)
}) {}

export type Execute = (
  request: HttpClientRequest.HttpClientRequest
) => Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

type TokenFailure = AuthenticationRefused | TokenUnavailable | HttpClientError.HttpClientError

/** Bearer tokens, fetched when one is needed and shared by all calls. */
export interface Tokens {
  readonly current: Effect.Effect<string, TokenFailure>
  /** Another token than this one, which the service does not take any more. */
  readonly after: (refused: string) => Effect.Effect<string, TokenFailure>
}

/** Seconds before its end from which a token is not used any more: a request may take a while to arrive. */
const marginSeconds = 30

const Granted = Schema.Struct({ access_token: Schema.String, expires_in: Schema.Finite })
const Refused = Schema.Struct({ error: Schema.String, message: Schema.String })

export const makeTokens = (
  execute: Execute,
  credential: { readonly clientId: string; readonly clientSecret: string }
): Tokens => {
  /** By the monotonic clock: that of the machine may be set meanwhile. */
  let cached: { readonly token: string; readonly freshUntil: bigint } | undefined
  const turn = Semaphore.makeUnsafe(1)

  const request = HttpClientRequest.post("/auth").pipe(
    HttpClientRequest.bodyJsonUnsafe({
      client_id: credential.clientId,
      client_secret: credential.clientSecret
    })
  )

  const fetched = Effect.gen(function* () {
    const asked = yield* Clock.monotonicTimeNanos
    const response = yield* execute(request)
    const granted = yield* bodyAs(Granted, response)
    if (response.status !== 200 || granted === undefined) {
      return yield* refusal(response)
    }
    const lasts = Math.max(0, granted.expires_in - marginSeconds)
    cached = {
      token: granted.access_token,
      freshUntil: asked + BigInt(Math.floor(lasts * 1_000)) * 1_000_000n
    }
    return granted.access_token
  })

  /** One at a time: those who waited for it use what the first one fetched. */
  const tokenUnless = (isStale: (token: string) => boolean) =>
    turn.withPermit(
      Effect.flatMap(Clock.monotonicTimeNanos, (now) =>
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

/** Statuses that say what is wrong with what was sent, which is the credential. */
const wrong = new Set([400, 401])

const refusal = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  const { status } = response
  const told = yield* bodyAs(Refused, response)
  const retryAfter = response.headers["retry-after"]
  const later = retryAfter === undefined ? {} : { retryAfter }
  if (told === undefined || status < 400 || status === 404)
    return yield* new TokenUnavailable({
      status,
      code: "UNEXPECTED_ANSWER",
      message: `The answer of POST /auth with status ${status} is not one of this service. Check baseUrl and what stands before it.`,
      ...later
    })
  return wrong.has(status)
    ? yield* new AuthenticationRefused({ status, message: told.message, ...later })
    : yield* new TokenUnavailable({
        status,
        // The errors of POST /auth have names and no codes.
        code: status === 429 ? "RATE_LIMITED" : told.error.replaceAll(" ", ""),
        message: told.message,
        ...later
      })
})
