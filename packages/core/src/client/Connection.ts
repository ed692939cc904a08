import { Effect, Random, Result } from "effect"
import type { HttpClientResponse } from "effect/http"
import { HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { CurrentSettings } from "./CallSettings.ts"
import type { ClientOptions } from "./ClientOptions.ts"
import { retriesDefault, timeoutMillisDefault } from "./ClientOptions.ts"
import type { TryOutcome } from "./Retries.ts"
import { waitBeforeNext } from "./Retries.ts"
import type { Execute } from "./Tokens.ts"
import type { AuthenticationRefused, TokenUnavailable } from "./Tokens.ts"
import { makeTokens } from "./Tokens.ts"

/** What a call can end in beside an answer. */
export type ConnectionFailure =
  | AuthenticationRefused
  | TokenUnavailable
  | HttpClientError.HttpClientError

/** Sends requests by their path: with a token, an Idempotency-Key, and again where that is safe and can help. */
export type Connection = HttpClient.HttpClient.With<ConnectionFailure>

export const connect = Effect.fnUntraced(function* (
  options: ClientOptions
): Effect.fn.Return<Connection, never, HttpClient.HttpClient> {
  const http = yield* HttpClient.HttpClient
  const { retries = retriesDefault, timeoutMillis = timeoutMillisDefault } = options

  /** One try. The body belongs to it: an answer whose end is lost is no answer. */
  const execute: Execute = (request) =>
    http.execute(HttpClientRequest.prependUrl(request, options.baseUrl)).pipe(
      Effect.tap((response) => response.text),
      Effect.timeoutOrElse({
        duration: timeoutMillis,
        orElse: () => Effect.fail(timedOut(request, timeoutMillis))
      })
    )

  const tokens = makeTokens(execute, options)

  const tryOnce = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
    const token = yield* tokens.current
    const response = yield* execute(HttpClientRequest.bearerToken(request, token))
    if (response.status !== 401) return response
    // It was refused before anything was done, so that even a POST may be made again.
    const another = yield* tokens.after(token)
    return yield* execute(HttpClientRequest.bearerToken(request, another))
  })

  const send = Effect.fnUntraced(function* (bare: HttpClientRequest.HttpClientRequest) {
    // A URL would read these as another path, which could be another endpoint.
    if (/(?:^|\/)\.{0,2}(?:\/|$)/.test(bare.url.slice(1)))
      return yield* Effect.die(new TypeError("An id is empty, or it is no id."))
    const request = yield* prepared(bare, options)
    const isRepeatable = request.method === "GET" || "idempotency-key" in request.headers
    for (let tries = 1; ; tries++) {
      const result = yield* Effect.result(tryOnce(request))
      if (!isRepeatable || tries > retries) return yield* Effect.fromResult(result)
      const outcome = yield* outcomeOf(result)
      const wait = outcome && waitBeforeNext(outcome, tries, yield* Random.next)
      if (wait === undefined) return yield* Effect.fromResult(result)
      yield* Effect.sleep(wait)
    }
  })

  return HttpClient.makeWith<ConnectionFailure, never, ConnectionFailure, never>(
    Effect.flatMap(send),
    Effect.succeed
  )
})

const timedOut = (request: HttpClientRequest.HttpClientRequest, millis: number) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({
      request,
      description: `No answer within ${millis} milliseconds`
    })
  })

const prepared = (
  bare: HttpClientRequest.HttpClientRequest,
  { subAccount: usual }: ClientOptions
): Effect.Effect<HttpClientRequest.HttpClientRequest> =>
  Effect.map(CurrentSettings, ({ idempotencyKey, subAccount = usual }) =>
    HttpClientRequest.setHeaders(bare, {
      accept: "application/json",
      ...(subAccount === undefined ? {} : { "x-sub-account": subAccount }),
      // Made up once for all tries: that is what makes a repeat safe.
      ...(bare.method === "POST"
        ? { "idempotency-key": idempotencyKey ?? crypto.randomUUID() }
        : {})
    })
  )

/** Undefined for a failure that was there before anything was sent. */
const outcomeOf = (
  result: Result.Result<HttpClientResponse.HttpClientResponse, ConnectionFailure>
): Effect.Effect<TryOutcome | undefined> => {
  if (Result.isSuccess(result)) return answered(result.success)
  const { failure } = result
  if (failure._tag !== "HttpClientError") {
    const { retryAfter, status } = failure
    return Effect.succeed({ _tag: "Answered", status, retryAfter })
  }
  const { _tag } = failure.reason
  return Effect.succeed(
    _tag === "TransportError" || _tag === "DecodeError" ? { _tag: "Lost" } : undefined
  )
}

const answered = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<TryOutcome> =>
  response.json.pipe(
    Effect.map(
      (json) => (json as { readonly details?: { readonly code?: unknown } }).details?.code
    ),
    Effect.catchCause(() => Effect.succeed(undefined)),
    Effect.map((code) => ({
      _tag: "Answered",
      status: response.status,
      code: typeof code === "string" ? code : undefined,
      retryAfter: response.headers["retry-after"]
    }))
  )
