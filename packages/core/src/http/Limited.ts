import { Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import type { CredentialId } from "../kernel/Ids.ts"
import { isUuid } from "../kernel/Ids.ts"
import type { IpBytes } from "../kernel/IpAddress.ts"
import type { RateLimit, RateLimitState, RateLimitTake } from "./RateLimiter.ts"
import { RateLimiter } from "./RateLimiter.ts"
import { addHeaders } from "./AnswerHeaders.ts"
import { secondsOf } from "./RetryAfter.ts"
import { clientAddress, proxiesOf, TrustedProxies } from "./ClientAddress.ts"

/** What to say to somebody who asks too often. */
export interface TooOften {
  readonly message: string
  readonly code: "RATE_LIMITED"
  readonly details: { readonly policy: string; readonly retryAfterSeconds: number }
}

/** The take from one limit, where it is on. */
const takeOf = (
  name: string,
  limit: RateLimit | undefined,
  key: string
): ReadonlyArray<RateLimitTake> => (limit === undefined ? [] : [{ name, limit, key }])

/**
 * Counts this request and puts the state of its limits into the headers of its answer (draft-ietf-httpapi-
 * ratelimit-headers); undefined when it may go on.
 */
const counted = (
  limiter: RateLimiter["Service"],
  takes: ReadonlyArray<RateLimitTake>
): Effect.Effect<TooOften | undefined> =>
  takes.length === 0 ? Effect.undefined : taken(limiter, takes)

const taken = Effect.fnUntraced(function* (
  limiter: RateLimiter["Service"],
  takes: ReadonlyArray<RateLimitTake>
): Effect.fn.Return<TooOften | undefined> {
  const states = yield* limiter.take(takes)
  yield* addHeaders({
    "ratelimit-policy": states
      .map(({ limit, name }) => `"${name}";q=${limit.requests};w=${limit.seconds}`)
      .join(", "),
    ratelimit: states
      .map(({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`)
      .join(", ")
  })
  const [worst] = states
    .filter(({ retrySeconds }) => retrySeconds > 0)
    .sort((one, other) => other.retrySeconds - one.retrySeconds)
  if (worst === undefined) return undefined
  yield* addHeaders({ "retry-after": String(worst.retrySeconds) })
  return tooOften(worst)
})

const tooOften = ({ limit, name, retrySeconds }: RateLimitState): TooOften => ({
  message: `Too many requests: ${limit.requests} in ${secondsOf(limit.seconds)} are allowed. Try again in ${secondsOf(retrySeconds)}.`,
  code: "RATE_LIMITED",
  details: { policy: name, retryAfterSeconds: retrySeconds }
})

/** Counts requests of credentials; `route` is the method and the path as the endpoint declares it. */
export const credentialCounter = Effect.map(
  RateLimiter,
  (limiter) => (credential: CredentialId, route: string) => {
    const { endpoints = {}, general } = limiter.limits
    return counted(limiter, [
      ...takeOf("default", general, credential),
      ...(endpoints[route] === undefined
        ? []
        : takeOf(route.replace(/^.*\//, ""), endpoints[route], credential))
    ])
  }
)

/**
 * Counts attempts of `POST /auth` by client and address, so that nobody else's attempts lock a client out, and all of an
 * address, so that nobody goes on under ever new names. Behind a trusted proxy the address is the one that it tells.
 */
export const authCounter = Effect.gen(function* () {
  const limiter = yield* RateLimiter
  const proxies = proxiesOf(yield* TrustedProxies)
  return Effect.fnUntraced(function* (clientId: string) {
    const { auth, authAddress } = limiter.limits
    if (auth === undefined && authAddress === undefined) return undefined
    const { headers, remoteAddress } = yield* HttpServerRequest.HttpServerRequest
    const socket = Option.getOrUndefined(remoteAddress)
    const address = clientAddress(socket, headers["x-forwarded-for"], proxies)
    // What cannot be a client needs no bucket of its own.
    const key = `${isUuid(clientId) ? clientId : "nobody"} ${address?.join(".") ?? ""}`
    return yield* counted(limiter, [
      ...takeOf("auth", auth, key),
      // A host that tells no address would put everybody into one bucket.
      ...(address === undefined ? [] : takeOf("auth-address", authAddress, subscriberOf(address)))
    ])
  })
})

/** Whoever has one address of IPv6 has all of its network of 64 bits. */
const subscriberOf = (address: IpBytes): string =>
  (address.length === 4 ? address : address.slice(0, 8)).join(".")
