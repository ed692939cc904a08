import type { Exchanged, HttpRequest } from "@pagora/core/psp"
import { oneFlight } from "@pagora/core/psp"
import { Clock, Duration, Effect } from "effect"
import type { Redacted } from "effect"
import { monotonicMillis } from "../MonotonicMillis.ts"
import type { BankProfile, ScopeSet } from "../profiles/BankProfile.ts"
import type { NotDefinite } from "./Heard.ts"
import { makePace } from "./Pace.ts"
import { readToken, tokenRequest } from "./TokenWire.ts"

export interface Credentials {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted<string> | undefined
}

/** What a bank lets us in with. */
export interface Token {
  readonly _tag: "Token"
  readonly value: Redacted.Redacted<string>
  /** Until when it is gone by, on the monotonic clock. */
  readonly untilMillis: number
  /** What the bank says that it is good for, which may be less than was asked for. */
  readonly granted: string | undefined
}

/** There is no token, so the call that needs one does not leave: `NotNow` or `NotSent`, never in doubt. */
export type NoToken = Exclude<NotDefinite, { readonly _tag: "Unknown" }>

export interface Tokens {
  readonly get: (scope: ScopeSet) => Effect.Effect<Token | NoToken>
  /** The bank did not take this one: the next call asks for another. */
  readonly drop: (scope: ScopeSet, token: Token) => void
}

export interface TokenDoors {
  readonly profile: BankProfile
  readonly url: string
  readonly credentials: Credentials
  readonly send: (request: HttpRequest) => Effect.Effect<Exchanged>
}

/**
 * A token for each set of scopes where the bank gives them by scope, and one for all where it does not. Each is asked for once,
 * however many wait for it.
 */
export const makeTokens = ({ credentials, profile, send, url }: TokenDoors): Tokens => {
  const kept = new Map<string, Token>()
  const flights = new Map<string, Effect.Effect<Token | NoToken>>()
  const pace = makePace(profile.budget.tokensPerMinute)
  const keyOf = (scope: ScopeSet) => (profile.token.scope ? (profile.scopes[scope] ?? "") : "")

  const ask = (key: string): Effect.Effect<Token | NoToken> =>
    Effect.gen(function* () {
      const wait = pace.take("token", yield* monotonicMillis)
      if (wait > 0)
        return {
          _tag: "NotNow",
          detail: "too many requests for tokens",
          after: Duration.millis(wait)
        }
      const exchanged = yield* send(tokenRequest({ credentials, profile, url }, key))
      const now = yield* monotonicMillis
      const token = readToken(exchanged, {
        clientId: credentials.clientId,
        scopes: key,
        now,
        nowMillis: yield* Clock.currentTimeMillis,
        pauseSeconds: profile.budget.pauseSeconds
      })
      if (token._tag === "Token") kept.set(key, token)
      if (token._tag === "NotNow") pace.rest("token", now + Duration.toMillis(token.after))
      return token
    })

  return {
    get: (scope) =>
      Effect.flatMap(monotonicMillis, (now) => {
        const key = keyOf(scope)
        const token = kept.get(key)
        if (token !== undefined && now < token.untilMillis) return Effect.succeed(token)
        const flight = flights.get(key) ?? oneFlight(ask(key))
        flights.set(key, flight)
        return flight
      }),
    drop: (scope, token) => {
      if (kept.get(keyOf(scope)) === token) kept.delete(keyOf(scope))
    }
  }
}
