import { Cause, Effect, Option, Redacted, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { handlersOf } from "../http/EndpointHandler.ts"
import { authCounter } from "../http/Limited.ts"
import type { BodyRefused } from "../http/StrictBody.ts"
import { unavailable } from "../http/Unavailable.ts"
import { notJson, readBody, tooLarge } from "../http/StrictBody.ts"
import { tenantApi } from "../http/TenantApi.ts"
import type { StorageError } from "../units/Refused.ts"
import { Auth, tokenLifetimeSeconds } from "./Auth.ts"
import {
  AuthBadRequest,
  AuthInternalError,
  AuthPayload,
  AuthPayloadTooLarge,
  AuthServiceUnavailable,
  AuthTooManyRequests,
  AuthUnauthorized,
  AuthUnsupportedMediaType,
  AuthApi
} from "./AuthApi.ts"
import type { TokenResponse } from "./AuthApi.ts"
import { safeCause } from "../telemetry/SafeCause.ts"

const decodePayload = Schema.decodeUnknownOption(AuthPayload)

export const AuthHandlers = handlersOf(
  tenantApi.add(AuthApi),
  "auth",
  Effect.fnUntraced(function* (handlers) {
    const auth = yield* Auth
    const tooOften = yield* authCounter

    const token = Effect.gen(function* () {
      const body = yield* Effect.mapError(readBody, bodyRefusal)
      const payload = decodePayload(body)
      if (
        Option.isNone(payload) ||
        payload.value.client_id === "" ||
        payload.value.client_secret === ""
      ) {
        return yield* badRequest("Send a JSON body with client_id and client_secret, both texts.")
      }
      const { client_id, client_secret } = payload.value
      const refused = yield* tooOften(client_id)
      if (refused !== undefined) return yield* tooMany(refused.message)
      const accessToken = yield* auth.exchange(client_id, Redacted.make(client_secret)).pipe(
        Effect.catchTag("InvalidCredentials", () =>
          Effect.fail(
            new AuthUnauthorized({
              error: "Unauthorized",
              message: "client_id or client_secret is not right."
            })
          )
        ),
        Effect.catchTag("StorageError", unreached)
      )
      // Written here: there is nothing in it to encode.
      return HttpServerResponse.jsonUnsafe({
        access_token: Redacted.value(accessToken),
        token_type: "Bearer",
        expires_in: tokenLifetimeSeconds
      } satisfies typeof TokenResponse.Encoded)
    })

    return handlers.handleRaw("token", () => Effect.catchCause(token, hideDefects))
  })
)

type AuthError =
  | AuthBadRequest
  | AuthUnauthorized
  | AuthPayloadTooLarge
  | AuthUnsupportedMediaType
  | AuthTooManyRequests
  | AuthInternalError
  | AuthServiceUnavailable

const badRequest = (message: string) => new AuthBadRequest({ error: "Bad Request", message })

const bodyRefusal = (refused: BodyRefused): AuthError => {
  switch (refused._tag) {
    case "TooLarge":
      return new AuthPayloadTooLarge({ error: "Payload Too Large", message: tooLarge.message })
    case "NotJson":
      return new AuthUnsupportedMediaType({
        error: "Unsupported Media Type",
        message: notJson(refused.type).message
      })
    case "Malformed":
      return badRequest(refused.refusal.message)
  }
}

const tooMany = (message: string) =>
  Effect.fail(new AuthTooManyRequests({ error: "Too Many Requests", message }))

const unreached = (error: StorageError) =>
  Effect.andThen(
    Effect.logWarning("POST /auth could not be answered.", safeCause(Cause.fail(error))),
    Effect.fail(
      new AuthServiceUnavailable({
        error: "Service Unavailable",
        message: unavailable(false, false).message
      })
    )
  )

/** Also what nobody foresaw has two fields here; the log has the rest. */
const hideDefects = (cause: Cause.Cause<AuthError>): Effect.Effect<never, AuthError> =>
  Cause.hasDies(cause)
    ? Effect.andThen(
        Effect.logError("POST /auth failed.", safeCause(cause)),
        Effect.fail(
          new AuthInternalError({
            error: "Internal Server Error",
            message: "Something went wrong on our side."
          })
        )
      )
    : Effect.failCause(cause)
