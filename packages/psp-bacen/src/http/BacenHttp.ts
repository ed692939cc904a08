import type { Exchanged, HttpRequest, Transport } from "@pagora/core/psp"
import { Clock, Duration, Effect, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import type { CertificateUnreadable } from "../certificates/Certificate.ts"
import type { CertificateKeeper } from "../certificates/CertificateKeeper.ts"
import type { CertificateFacts } from "../certificates/OpenCertificate.ts"
import { monotonicMillis } from "../MonotonicMillis.ts"
import type { BankHosts, BankProfile, ScopeSet } from "../profiles/BankProfile.ts"
import type { Patience } from "./Exchange.ts"
import { exchange } from "./Exchange.ts"
import type { Heard } from "./Heard.ts"
import { hear } from "./Heard.ts"
import { makePace } from "./Pace.ts"
import type { Credentials, NoToken, Token } from "./Tokens.ts"
import { makeTokens } from "./Tokens.ts"

/** A call of a bank's API. */
export interface BankCall {
  /** What it is, in a word: calls of one kind are paced together. */
  readonly kind: string
  readonly scope: ScopeSet
  readonly method: HttpRequest["method"]
  /** Below the bank's `api`. What is named in it is encoded by whoever makes it. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A bank's API over mutual TLS, with a token. Whatever goes wrong is told by `Heard`. */
export interface BacenHttp {
  readonly call: (call: BankCall) => Effect.Effect<Heard>
  /** The token for a set of scopes, to look at what was granted. */
  readonly token: (scope: ScopeSet) => Effect.Effect<Token | NoToken>
  readonly certificate: Effect.Effect<CertificateFacts | undefined, CertificateUnreadable>
}

export interface BacenHttpOptions {
  readonly profile: BankProfile
  readonly hosts: BankHosts
  readonly credentials: Credentials
  readonly keeper: CertificateKeeper
  /** Instead of connections that show the keeper's certificate. */
  readonly transport: Transport | undefined
  /** Instead of tokens that are asked for. */
  readonly fixedToken: Redacted.Redacted<string> | undefined
  readonly appKey: Redacted.Redacted<string> | undefined
  readonly account: string | undefined
}

/** Less than the 15 seconds after which Pagora takes an outcome for unknown, so that a look-up may follow. */
const patience: Patience = { connectMillis: 4_000, answerMillis: 10_000 }

export const makeBacenHttp = (options: BacenHttpOptions): BacenHttp => {
  const { credentials, hosts, keeper, profile } = options
  const { budget } = profile
  const pace = makePace(budget.callsPerMinute)

  const send = options.transport === undefined ? connected(keeper) : patient(options.transport)
  const tokens = makeTokens({ profile, url: hosts.token, credentials, send })
  const fixed = fixedTokenOf(options.fixedToken)
  const tokenFor = (scope: ScopeSet) =>
    fixed === undefined ? tokens.get(scope) : Effect.succeed(fixed)

  const withToken = (call: BankCall, token: Token): Effect.Effect<Heard> =>
    Effect.gen(function* () {
      const exchanged = yield* send(requestOf(call, token, options))
      if (exchanged._tag === "Lost") return { _tag: "Unknown", detail: exchanged.detail }
      if (exchanged._tag === "NotSent") return { _tag: "NotSent", detail: exchanged.detail }
      const nowMillis = yield* Clock.currentTimeMillis
      const heard = hear(exchanged, { pauseSeconds: budget.pauseSeconds, nowMillis })
      if (heard._tag === "NotNow")
        pace.rest(call.kind, (yield* monotonicMillis) + Duration.toMillis(heard.after))
      return heard
    })

  const call = (asked: BankCall): Effect.Effect<Heard> =>
    Effect.gen(function* () {
      const wait = pace.take(asked.kind, yield* monotonicMillis)
      if (wait > 0)
        return { _tag: "NotNow", detail: "the bank is left alone", after: Duration.millis(wait) }
      const token = yield* tokenFor(asked.scope)
      if (token._tag !== "Token") return token
      const heard = yield* withToken(asked, token)
      if (heard._tag !== "Denied" || token === fixed) return heard
      // Nothing was done; with another token it may be asked again, once.
      tokens.drop(asked.scope, token)
      const fresh = yield* tokens.get(asked.scope)
      return fresh._tag === "Token" ? yield* withToken(asked, fresh) : fresh
    })

  return { call, token: tokenFor, certificate: Effect.map(keeper.current, ({ facts }) => facts) }
}

/** Over connections of our own. */
const connected =
  (keeper: CertificateKeeper): Transport =>
  (request) =>
    keeper.current.pipe(
      Effect.flatMap(({ agent }) => exchange(agent, request, patience)),
      // Some banks say that they do not take a certificate, and some hang up.
      Effect.tap(({ _tag }) => (_tag === "Answered" ? Effect.void : keeper.doubt)),
      Effect.catchTag("CertificateUnreadable", ({ message }) =>
        Effect.succeed<Exchanged>({ _tag: "NotSent", detail: message })
      )
    )

/** Whoever brings it, it is waited for no longer. */
const patient =
  (transport: Transport): Transport =>
  (request) =>
    Effect.timeoutOrElse(transport(request), {
      duration: Duration.millis(patience.answerMillis),
      orElse: () => Effect.succeed<Exchanged>({ _tag: "Lost", detail: "no answer in time" })
    })

const fixedTokenOf = (value: Redacted.Redacted<string> | undefined): Token | undefined =>
  value === undefined
    ? undefined
    : { _tag: "Token", value, untilMillis: Number.POSITIVE_INFINITY, granted: undefined }

const requestOf = (
  { body, headers = {}, method, path, query = {} }: BankCall,
  token: Token,
  { account, appKey, credentials, hosts, profile }: BacenHttpOptions
): HttpRequest => {
  const { accountHeader, appKeyQuery, callIdHeader, clientIdHeader } = profile.extras
  const url = new URL(`${hosts.api}${path}`)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  if (appKeyQuery !== undefined && appKey !== undefined)
    url.searchParams.set(appKeyQuery, Redacted.value(appKey))
  return {
    method,
    url: url.href,
    headers: {
      accept: "application/json",
      "user-agent": "pagora",
      authorization: `Bearer ${Redacted.value(token.value)}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(clientIdHeader === undefined ? {} : { [clientIdHeader]: credentials.clientId }),
      ...(callIdHeader === undefined ? {} : { [callIdHeader]: randomUUID() }),
      ...(accountHeader === undefined || account === undefined ? {} : { [accountHeader]: account }),
      ...headers
    },
    body: body === undefined ? undefined : JSON.stringify(body)
  }
}
