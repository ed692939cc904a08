import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ChangesNothing } from "../http/ChangesNothing.ts"
import { TwoFieldErrors } from "../http/ErrorEnvelope.ts"

const twoFields = <Name extends string>(name: Name) => ({
  error: Schema.Literal(name),
  message: Schema.String
})

/** Errors of `POST /auth` have two fields only (spec, Errors). */
export class AuthBadRequest extends Schema.Error<AuthBadRequest>("AuthBadRequest")(
  twoFields("Bad Request"),
  {
    httpApiStatus: 400
  }
) {}

export class AuthUnauthorized extends Schema.Error<AuthUnauthorized>("AuthUnauthorized")(
  twoFields("Unauthorized"),
  {
    httpApiStatus: 401
  }
) {}

class AuthRequestTimeout extends Schema.Error<AuthRequestTimeout>("AuthRequestTimeout")(
  twoFields("Request Timeout"),
  { httpApiStatus: 408 }
) {}

export class AuthPayloadTooLarge extends Schema.Error<AuthPayloadTooLarge>("AuthPayloadTooLarge")(
  twoFields("Payload Too Large"),
  { httpApiStatus: 413 }
) {}

export class AuthUnsupportedMediaType extends Schema.Error<AuthUnsupportedMediaType>(
  "AuthUnsupportedMediaType"
)(twoFields("Unsupported Media Type"), { httpApiStatus: 415 }) {}

export class AuthTooManyRequests extends Schema.Error<AuthTooManyRequests>("AuthTooManyRequests")(
  twoFields("Too Many Requests"),
  { httpApiStatus: 429 }
) {}

export class AuthInternalError extends Schema.Error<AuthInternalError>("AuthInternalError")(
  twoFields("Internal Server Error"),
  { httpApiStatus: 500 }
) {}

export class AuthServiceUnavailable extends Schema.Error<AuthServiceUnavailable>(
  "AuthServiceUnavailable"
)(twoFields("Service Unavailable"), { httpApiStatus: 503 }) {}

export const AuthPayload = Schema.Struct({ client_id: Schema.String, client_secret: Schema.String })

export const TokenResponse = Schema.Struct({
  access_token: Schema.String,
  token_type: Schema.Literal("Bearer"),
  expires_in: Schema.Int
})

export class AuthApi extends HttpApiGroup.make("auth").add(
  HttpApiEndpoint.post("token", "/auth", {
    payload: AuthPayload,
    success: TokenResponse,
    error: [
      AuthBadRequest,
      AuthUnauthorized,
      AuthRequestTimeout,
      AuthPayloadTooLarge,
      AuthUnsupportedMediaType,
      AuthTooManyRequests,
      AuthInternalError,
      AuthServiceUnavailable
    ]
  })
    .annotate(TwoFieldErrors, true)
    .annotate(ChangesNothing, true)
) {}
