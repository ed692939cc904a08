import { Clock, Context, Effect, Layer } from "effect"

/** So many requests in so many seconds, refilled evenly: a bucket of tokens. */
export interface RateLimit {
  readonly requests: number
  readonly seconds: number
}

/** What is limited; a limit that is not there is off. */
export interface RateLimits {
  /** Every request of a credential. */
  readonly general?: RateLimit
  /** `POST /auth`, for each client_id and address. */
  readonly auth?: RateLimit
  /** Beside it: `POST /auth` of one address, whatever client_id it names. */
  readonly authAddress?: RateLimit
  /** Beside `general`: requests of a credential to one endpoint, by method and path (`POST /withdrawals`). */
  readonly endpoints?: Readonly<Record<string, RateLimit>>
}

/** What a production deployment starts from (decisions 0028 and 0082). */
export const defaultRateLimits: RateLimits = {
  general: { requests: 600, seconds: 60 },
  auth: { requests: 60, seconds: 60 },
  authAddress: { requests: 600, seconds: 60 },
  endpoints: { "POST /withdrawals": { requests: 120, seconds: 60 } }
}

/** A token wanted from one bucket. */
export interface RateLimitTake {
  /** The name of the limit, as callers see it. */
  readonly name: string
  readonly limit: RateLimit
  /** Whose bucket it is. */
  readonly key: string
}

/** A bucket after a take. */
export interface RateLimitState extends RateLimitTake {
  /** Whole tokens that are left. */
  readonly remaining: number
  /** Seconds until the bucket is full. */
  readonly resetSeconds: number
  /** Seconds until a token is there; 0 when one was. */
  readonly retrySeconds: number
}

/** Buckets kept at once; beyond them the one that was used longest ago is forgotten, which makes it full again. */
const bucketsMax = 100_000

interface Bucket {
  readonly tokens: number
  readonly atMillis: number
}

/**
 * Limits how often callers may ask. Off unless a deployment provides a layer; one that runs in several processes
 * brings a store that they share. It goes by real time, whatever the time of the business does.
 */
export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    readonly limits: RateLimits
    /** Takes a token from each bucket when all have one, and from none otherwise. */
    readonly take: (
      takes: ReadonlyArray<RateLimitTake>
    ) => Effect.Effect<ReadonlyArray<RateLimitState>>
  }
>()("@pagora/core/http/RateLimiter") {
  /** Nothing is limited. */
  static readonly layerOff: Layer.Layer<RateLimiter> = Layer.succeed(RateLimiter, {
    limits: {},
    take: () => Effect.succeed([])
  })

  /** Buckets of this process. */
  static readonly layerMemory = (
    limits: RateLimits = defaultRateLimits
  ): Layer.Layer<RateLimiter> =>
    Layer.sync(RateLimiter, () => {
      const buckets = new Map<string, Bucket>()
      return RateLimiter.of({
        limits,
        take: (takes) =>
          Effect.map(Clock.monotonicTimeNanos, (nanos) =>
            takeAll(buckets, takes, Number(nanos / 1_000_000n))
          )
      })
    })
}

const nameOf = ({ key, name }: RateLimitTake): string => `${name} ${key}`

const takeAll = (
  buckets: Map<string, Bucket>,
  takes: ReadonlyArray<RateLimitTake>,
  atMillis: number
): ReadonlyArray<RateLimitState> => {
  const filled = takes.map((take) => ({ take, tokens: tokensAt(buckets, take, atMillis) }))
  const isGranted = filled.every(({ tokens }) => tokens >= 1)
  return filled.map(({ take, tokens }) => {
    const left = isGranted ? tokens - 1 : tokens
    const name = nameOf(take)
    // Last in the order of the map, which is the order in which buckets are forgotten.
    buckets.delete(name)
    buckets.set(name, { tokens: left, atMillis })
    if (buckets.size > bucketsMax) forgetOldest(buckets)
    const secondsFor = (wanted: number) =>
      Math.max(0, Math.ceil(((wanted - left) * take.limit.seconds) / take.limit.requests))
    return {
      ...take,
      remaining: Math.floor(left),
      resetSeconds: secondsFor(take.limit.requests),
      retrySeconds: tokens >= 1 ? 0 : Math.max(1, secondsFor(1))
    }
  })
}

const tokensAt = (
  buckets: ReadonlyMap<string, Bucket>,
  take: RateLimitTake,
  atMillis: number
): number => {
  const { requests, seconds } = take.limit
  const bucket = buckets.get(nameOf(take))
  if (bucket === undefined) return requests
  const earned = ((atMillis - bucket.atMillis) / 1000) * (requests / seconds)
  return Math.min(requests, bucket.tokens + earned)
}

const forgetOldest = (buckets: Map<string, Bucket>): void => {
  for (const oldest of buckets.keys()) {
    buckets.delete(oldest)
    return
  }
}
