import type { Effect, Redacted } from "effect"
import { Context, Schema } from "effect"

/** The claims of an access token (RFC 7519), times in whole seconds. */
export interface TokenClaims {
  readonly iss: string
  readonly aud: string
  /** The credential the token was issued to. */
  readonly sub: string
  readonly iat: number
  readonly exp: number
  readonly jti: string
}

/** The token is malformed, not ours, or was changed. Says no more, so that nobody can learn from it. */
export class TokenRefused extends Schema.TaggedError<TokenRefused>()("TokenRefused", {}) {}

/** A sealed value does not open: another key, another place, or changed bytes. */
export class SealBroken extends Schema.TaggedError<SealBroken>()("SealBroken", {}) {}

/**
 * Everything that needs a key or secure randomness. All keys are derived from the deployment's master secret
 * (HKDF, RFC 5869), each for one purpose; former master secrets still open and verify, the newest signs (decision 0015).
 */
export class Secrets extends Context.Service<
  Secrets,
  {
    readonly random: (bytes: number) => Effect.Effect<Uint8Array>
    /** So many random bytes as text: base64url without padding (RFC 4648). */
    readonly randomText: (bytes: number) => Effect.Effect<string>
    /** A fresh webhook signing secret: `whsec_` and the base64 of 32 random bytes (Standard Webhooks). */
    readonly webhookSecret: Effect.Effect<string>
    /** SHA-256 as lower-case hex. */
    readonly digest: (text: string) => Effect.Effect<string>
    /** HMAC-SHA-256 of a client secret under the deployment's pepper, with the number of the pepper in front. */
    readonly pepper: (secret: Redacted.Redacted) => Effect.Effect<string>
    /** Compares a client secret with a stored `pepper` value in constant time, under any pepper still known. */
    readonly matchesPepper: (secret: Redacted.Redacted, stored: string) => Effect.Effect<boolean>
    /** HMAC-SHA-256 of a text; a key that is a text counts by its UTF-8 bytes. */
    readonly hmac: (
      key: Redacted.Redacted<string | Uint8Array>,
      text: string
    ) => Effect.Effect<Uint8Array>
    /** AES-256-GCM under the deployment's data key; `place` is bound to the value, so it opens only there. */
    readonly seal: (plain: Redacted.Redacted, place: string) => Effect.Effect<string>
    readonly open: (sealed: string, place: string) => Effect.Effect<Redacted.Redacted, SealBroken>
    readonly signToken: (claims: TokenClaims) => Effect.Effect<Redacted.Redacted>
    /** Verifies signature and form; the times are the caller's to judge. */
    readonly verifyToken: (token: Redacted.Redacted) => Effect.Effect<TokenClaims, TokenRefused>
  }
>()("@pagora/core/ports/Secrets") {}
