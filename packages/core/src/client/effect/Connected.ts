import { Clock, Effect, Random } from "effect"
import type { HttpClientResponse } from "effect/http"
import { HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import type { ClientOptions } from "../ClientOptions.ts"
import { timeoutMillisDefault } from "../ClientOptions.ts"
import type { RawAnswer, Surroundings } from "../Connection.ts"
import { connect } from "../Connection.ts"
import { NoToken } from "../Tokens.ts"
import { CurrentSettings } from "./CurrentSettings.ts"
import type { AuthenticationRefused, TokenUnavailable } from "./TokenErrors.ts"
import { tokenErrorOf } from "./TokenErrors.ts"

/** What a call can end in beside an answer. */
type ConnectionFailure = AuthenticationRefused | TokenUnavailable | HttpClientError.HttpClientError

interface ReadAnswer extends RawAnswer {
  readonly response: HttpClientResponse.HttpClientResponse
}

/** The connection as an `HttpClient` that takes paths. Clock, chance, client and spans are those of who calls. */
export const connected = Effect.fnUntraced(function* (
  options: ClientOptions
): Effect.fn.Return<HttpClient.HttpClient.With<ConnectionFailure>, never, HttpClient.HttpClient> {
  const http = yield* HttpClient.HttpClient
  const connection = connect(options)
  const { timeoutMillis = timeoutMillisDefault } = options

  const read = (
    request: HttpClientRequest.HttpClientRequest
  ): Effect.Effect<ReadAnswer, HttpClientError.HttpClientError> =>
    http.execute(HttpClientRequest.prependUrl(request, options.baseUrl)).pipe(
      Effect.flatMap((response) =>
        Effect.map(response.text, (text) => ({
          response,
          text,
          status: response.status,
          retryAfter: response.headers["retry-after"]
        }))
      ),
      Effect.timeoutOrElse({
        duration: timeoutMillis,
        orElse: () => Effect.fail(timedOut(request, timeoutMillis))
      })
    )

  const send = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
    // A URL would read these as another path, which could be another endpoint.
    if (/(?:^|\/)\.{0,2}(?:\/|$)/.test(request.url.slice(1)))
      return yield* Effect.die(new TypeError("An id is empty, or it is no id."))
    const context = yield* Effect.context<never>()
    const clock = yield* Clock.Clock
    const random = yield* Random.Random
    const settings = yield* CurrentSettings
    const { response } = yield* Effect.tryPromise({
      try: (signal) => {
        const run = <A, E>(effect: Effect.Effect<A, E>) =>
          Effect.runPromiseWith(context)(effect, { signal })
        const around: Surroundings = {
          authorize: (body) => run(read(tokenRequest(body))),
          isLost,
          monotonicMillis: () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6,
          random: () => random.nextDoubleUnsafe(),
          sleep: (millis) => run(Effect.sleep(millis)),
          signal
        }
        const sendable = {
          method: request.method,
          send: (headers: Readonly<Record<string, string>>) =>
            run(read(HttpClientRequest.setHeaders(request, headers)))
        }
        return connection(sendable, settings, around)
      },
      catch: (failure) => failure
    }).pipe(Effect.catch(known))
    return response
  })

  return HttpClient.makeWith<ConnectionFailure, never, ConnectionFailure, never>(
    Effect.flatMap(send),
    Effect.succeed
  )
})

const tokenRequest = (body: string) =>
  HttpClientRequest.post("/auth").pipe(HttpClientRequest.bodyText(body, "application/json"))

const timedOut = (request: HttpClientRequest.HttpClientRequest, millis: number) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({
      request,
      description: `No answer within ${millis} milliseconds`
    })
  })

const isLost = (failure: unknown): boolean =>
  HttpClientError.isHttpClientError(failure) &&
  (failure.reason._tag === "TransportError" || failure.reason._tag === "DecodeError")

const known = (failure: unknown): Effect.Effect<never, ConnectionFailure> =>
  failure instanceof NoToken
    ? Effect.fail(tokenErrorOf(failure))
    : HttpClientError.isHttpClientError(failure)
      ? Effect.fail(failure)
      : Effect.die(failure)
