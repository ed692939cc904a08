import { Schema } from "effect"
import type { NoToken } from "../Tokens.ts"
import { present } from "../../kernel/Present.ts"

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

export const tokenErrorOf = ({
  code,
  isRefused,
  message,
  retryAfter,
  status
}: NoToken): AuthenticationRefused | TokenUnavailable => {
  const later = present({ retryAfter })
  return isRefused
    ? new AuthenticationRefused({ status, message, ...later })
    : new TokenUnavailable({ status, code, message, ...later })
}
