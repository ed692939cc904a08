import { assert, describe, it } from "@effect/vitest"
import type { RateLimits } from "@pagora/core"
import { defaultRateLimits, memory, RateLimiter, StorageDriver } from "@pagora/core"
import { layerPagora, RecordingTransport, TestPagora } from "@pagora/testkit"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const limited = (rateLimits: RateLimits) =>
  layerPagora(Layer.fresh(memory()), Layer.fresh(RecordingTransport.layer), { rateLimits })

const perMinute = (requests: number) => ({ requests, seconds: 60 })

/** A tenant and a token of its own, so that calls of `api` count nothing but themselves. */
const shop = Effect.fnUntraced(function* () {
  const pagora = yield* TestPagora
  const tenant = yield* pagora.tenant()
  const auth = yield* pagora.api("POST", "/auth", {
    body: { client_id: tenant.clientId, client_secret: tenant.clientSecret }
  })
  const headers = { authorization: `Bearer ${auth.json.access_token}` }
  return { ...tenant, headers, get: () => pagora.api("GET", "/account", { headers }) }
})

describe("rate limits of a credential", () => {
  it.effect("are told on every answer, and end in 429 with Retry-After and the envelope", () =>
    Effect.gen(function* () {
      const { get } = yield* shop()
      const first = yield* get()
      assert.strictEqual(first.status, 200)
      assert.strictEqual(first.headers.get("ratelimit-policy"), '"default";q=3;w=60')
      assert.strictEqual(first.headers.get("ratelimit"), '"default";r=2;t=20')
      yield* get()
      const last = yield* get()
      assert.strictEqual(last.status, 200)
      assert.strictEqual(last.headers.get("ratelimit"), '"default";r=0;t=60')
      const refused = yield* get()
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.headers.get("retry-after"), "20")
      assert.strictEqual(refused.json.error, "TooManyRequests")
      assert.deepStrictEqual(refused.json.details, {
        code: "RATE_LIMITED",
        policy: "default",
        retryAfterSeconds: 20
      })
    }).pipe(Effect.provide(limited({ general: perMinute(3) })))
  )

  it.effect("are kept again after as long as Retry-After says, and not a moment before", () =>
    Effect.gen(function* () {
      const { get } = yield* shop()
      yield* Effect.repeat(get(), { times: 2 })
      assert.strictEqual((yield* get()).status, 429)
      yield* TestClock.adjust("19999 millis")
      const last = yield* get()
      assert.strictEqual(last.status, 429)
      assert.isTrue(last.json.message?.endsWith("Try again in 1 second."), last.json.message)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* get()).status, 200)
      assert.strictEqual((yield* get()).status, 429)
    }).pipe(Effect.provide(limited({ general: perMinute(3) })))
  )

  it.effect("belong to one credential each", () =>
    Effect.gen(function* () {
      const one = yield* shop()
      const other = yield* shop()
      assert.strictEqual((yield* one.get()).status, 200)
      assert.strictEqual((yield* one.get()).status, 429)
      assert.strictEqual((yield* other.get()).status, 200)
    }).pipe(Effect.provide(limited({ general: perMinute(1) })))
  )

  it.effect(
    "come after 401 and before 403: a stranger takes nothing, one who may not still counts",
    () =>
      Effect.gen(function* () {
        const { api, tenant } = yield* TestPagora
        const { call } = yield* tenant({ permissions: ["PIX:WRITE"] })
        const stranger = yield* api("GET", "/account", { headers: { authorization: "Bearer no" } })
        assert.strictEqual(stranger.status, 401)
        assert.isNull(stranger.headers.get("ratelimit"))
        const forbidden = yield* call("GET", "/account")
        assert.strictEqual(forbidden.status, 403)
        assert.strictEqual(forbidden.headers.get("ratelimit"), '"default";r=0;t=60')
        assert.strictEqual((yield* call("GET", "/account")).status, 429)
      }).pipe(Effect.provide(limited({ general: perMinute(1) })))
  )

  it.effect("of an endpoint stand beside the general one, and a refusal takes from neither", () =>
    Effect.gen(function* () {
      const { api } = yield* TestPagora
      const { get, headers } = yield* shop()
      const create = () => api("POST", "/pix", { headers, body: { amount: 1 } })
      const first = yield* create()
      assert.strictEqual(
        first.headers.get("ratelimit-policy"),
        '"default";q=10;w=60, "pix";q=1;w=60'
      )
      const refused = yield* create()
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.headers.get("ratelimit"), '"default";r=9;t=6, "pix";r=0;t=60')
      assert.strictEqual((yield* get()).headers.get("ratelimit"), '"default";r=8;t=12')
    }).pipe(
      Effect.provide(limited({ general: perMinute(10), endpoints: { "POST /pix": perMinute(1) } }))
    )
  )

  it.effect("that are off say nothing", () =>
    Effect.gen(function* () {
      const { get } = yield* shop()
      const answer = yield* get()
      assert.isNull(answer.headers.get("ratelimit"))
      assert.isNull(answer.headers.get("ratelimit-policy"))
    }).pipe(Effect.provide(limited({})))
  )
})

describe("the rate limit of POST /auth", () => {
  it.effect("counts the attempts of one client, right or wrong, and refuses with two fields", () =>
    Effect.gen(function* () {
      const { api } = yield* TestPagora
      const one = yield* shop()
      const other = yield* shop()
      const attempt = (client_id: string, client_secret: string) =>
        api("POST", "/auth", { body: { client_id, client_secret } })
      assert.strictEqual((yield* attempt(one.clientId, "wrong")).status, 401)
      const refused = yield* attempt(one.clientId, one.clientSecret)
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.headers.get("retry-after"), "30")
      assert.deepStrictEqual(Object.keys(refused.json), ["error", "message"])
      assert.strictEqual((yield* attempt(other.clientId, other.clientSecret)).status, 200)
    }).pipe(Effect.provide(limited({ auth: perMinute(2) })))
  )
})

describe("the rate limit of an address at POST /auth", () => {
  const body = (client_id: string, client_secret = "wrong") => ({ client_id, client_secret })

  it.effect("ends the attempts of one address under ever new names, and of no other", () =>
    Effect.gen(function* () {
      const { api, tenant } = yield* TestPagora
      const { clientId, clientSecret } = yield* tenant()
      const from = (address: string, client_id: string, secret?: string) =>
        api("POST", "/auth", { from: address, body: body(client_id, secret) })
      const guesses = [crypto.randomUUID(), "no-uuid", clientId]
      for (const [index, guess] of guesses.entries()) {
        const { headers, status } = yield* from("203.0.113.9", guess)
        assert.strictEqual(status, 401)
        assert.include(headers.get("ratelimit") ?? "", `"auth-address";r=${2 - index}`)
      }
      const refused = yield* from("203.0.113.9", crypto.randomUUID())
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.headers.get("retry-after"), "20")
      assert.deepStrictEqual(Object.keys(refused.json), ["error", "message"])
      assert.strictEqual((yield* from("203.0.113.9", clientId, clientSecret)).status, 429)
      assert.strictEqual((yield* from("203.0.113.10", clientId, clientSecret)).status, 200)
      // Of IPv6 everybody has a whole network.
      for (const last of ["1", "2", "3"])
        assert.strictEqual((yield* from(`2001:db8::${last}`, crypto.randomUUID())).status, 401)
      assert.strictEqual((yield* from("2001:db8::4", clientId, clientSecret)).status, 429)
      assert.strictEqual((yield* from("2001:db8:0:1::4", clientId, clientSecret)).status, 200)
    }).pipe(Effect.provide(limited({ authAddress: perMinute(3) })))
  )

  it.effect("is on by default", () =>
    Effect.sync(() => assert.deepStrictEqual(defaultRateLimits.authAddress, perMinute(600)))
  )
})

describe("a refusal of POST /auth", () => {
  it.effect("costs the same reads for a client that is known, unknown, or no client at all", () => {
    const reads: Array<string> = []
    const counting = Layer.effect(
      StorageDriver,
      Effect.map(StorageDriver, (driver) =>
        StorageDriver.of({
          ...driver,
          look: (questions) => {
            reads.push(...questions.map((one) => (one._tag === "Row" ? one.table : one._tag)))
            return driver.look(questions)
          }
        })
      )
    ).pipe(Layer.provide(Layer.fresh(memory())))
    return Effect.gen(function* () {
      const { api, tenant } = yield* TestPagora
      const { clientId } = yield* tenant()
      for (const client_id of [clientId, crypto.randomUUID(), "no-uuid"]) {
        reads.length = 0
        const { status } = yield* api("POST", "/auth", {
          body: { client_id, client_secret: "wrong" }
        })
        assert.strictEqual(status, 401)
        assert.deepStrictEqual(reads, ["registry"], client_id)
      }
    }).pipe(Effect.provide(layerPagora(counting, Layer.fresh(RecordingTransport.layer))))
  })
})

describe("RateLimiter.layerMemory", () => {
  const take = (key: string) => [{ name: "default", limit: perMinute(1), key }]

  it.effect("forgets the bucket that was used longest ago when too many are kept", () =>
    Effect.gen(function* () {
      const limiter = yield* RateLimiter
      const isGranted = (key: string) =>
        Effect.map(limiter.take(take(key)), ([state]) => state?.retrySeconds === 0)
      assert.isTrue(yield* isGranted("first"))
      assert.isTrue(yield* isGranted("second"))
      assert.isFalse(yield* isGranted("first"))
      for (let n = 0; n < 99_999; n++) yield* limiter.take(take(`crowd ${n}`))
      assert.isFalse(yield* isGranted("first"))
      assert.isTrue(yield* isGranted("second"))
    }).pipe(Effect.provide(RateLimiter.layerMemory({ general: perMinute(1) })))
  )
})
