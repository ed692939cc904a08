import { assert, describe, it } from "@effect/vitest"
import { HealthChecks } from "@pagora/core"
import type { Answer } from "@pagora/testkit"
import { expecting, journey, TestPagora } from "@pagora/testkit"
import type { FaultyProxy } from "@pagora/testkit/postgres"
import { Context, Effect, Fiber } from "effect"
import { aDatabase, faultyProxy } from "./FreshDatabase.test-data.ts"
import { driverOf, processAt, quietly, timed } from "./Processes.test-data.ts"

const aProxy = Effect.flatMap(aDatabase, ({ url }) => faultyProxy(url))

/** The whole service behind a proxy, and the story of one shop in it. */
const behind = Effect.fnUntraced(function* ({ url }: FaultyProxy) {
  const world = yield* processAt(url)
  const story = yield* Effect.provideContext(journey(), world)
  const { api } = Context.get(world, TestPagora)
  const { clientId, clientSecret } = story.shop
  const body = { client_id: clientId, client_secret: clientSecret }
  const token = (yield* api("POST", "/auth", { body })).json.access_token
  /** With the token of before. */
  const call = (method: string, path: string, request: { body?: object; headers?: object } = {}) =>
    api(method, path, {
      ...request,
      headers: { authorization: `Bearer ${token}`, ...request.headers }
    })
  return { call, story, world }
})

/** Every connection of the pool is open: a list is a statement of its own, which goes out with no other. */
const warmed = (call: Effect.Success<ReturnType<typeof behind>>["call"]) =>
  Effect.all(
    Array.from({ length: 8 }, () => call("GET", "/transactions")),
    { concurrency: "unbounded" }
  )

const codeOf = ({ json }: Answer<unknown>) => String(json.details?.code)

/** Milliseconds that a machine with other work may take beyond what is promised. */
const slack = 3_000

describe("a database that is away", () => {
  it.live(
    "answers nothing: requests get 503 in time, health does, and all goes on when it is back",
    () =>
      Effect.gen(function* () {
        const proxy = yield* aProxy
        const { call, story, world } = yield* behind(proxy)
        yield* Effect.flatMap(story.adjust({ amount: 100, reason: "a start" }), expecting(201))
        yield* warmed(call)
        proxy.blackHole("lost")
        const headers = { "idempotency-key": "of-the-black-hole" }
        const body = { amount: 1, pixKey: "ana@example.com", pixKeyType: "email" }
        const [[read, readTook], [write, writeTook], [health, healthTook]] = yield* Effect.all(
          [
            timed(call("GET", "/account")),
            timed(call("POST", "/withdrawals", { body, headers })),
            timed(
              Effect.provideContext(
                Effect.flatMap(HealthChecks, ({ check }) => check),
                world
              )
            )
          ],
          { concurrency: "unbounded" }
        ).pipe(Effect.timeout("50 seconds"))
        assert.deepStrictEqual([read.status, codeOf(read)], [503, "STORAGE_UNAVAILABLE"])
        assert.strictEqual(write.status, 503)
        assert.strictEqual(write.headers.get("retry-after"), "1")
        assert.isBelow(readTook, 10_000 + slack)
        assert.isBelow(writeTook, 10_000 + slack)
        assert.isFalse(health.ready)
        assert.isBelow(healthTook, 2_000 + slack)
        proxy.heal()
        const [again, againTook] = yield* timed(
          Effect.repeat(call("POST", "/withdrawals", { body, headers }), {
            until: ({ status }) => status === 201,
            times: 100
          })
        )
        assert.strictEqual(again.status, 201, again.text)
        assert.isBelow(againTook, 10_000 + slack)
        assert.strictEqual((yield* story.figures).held, 100)
        yield* story.audit
      }).pipe(quietly),
    120_000
  )

  it.live(
    "fails over without a word: requests succeed about five seconds later",
    () =>
      Effect.gen(function* () {
        const proxy = yield* aProxy
        const { call } = yield* behind(proxy)
        yield* warmed(call)
        // The connections are dead from now on; new ones are answered.
        proxy.blackHole("lost")
        proxy.heal()
        const asks = Array.from({ length: 12 }, (_, index) =>
          index % 2 === 0
            ? call("GET", "/account")
            : call("POST", "/pix", {
                body: { amount: 1 },
                headers: { "idempotency-key": `fail-over-${index}` }
              })
        )
        const [answers, took] = yield* timed(Effect.all(asks, { concurrency: "unbounded" }))
        assert.isBelow(took, 6_000 + slack)
        for (const { status } of answers) assert.include([200, 201, 503], status)
        assert.isAbove(answers.filter(({ status }) => status < 300).length, 0)
        const [after, afterTook] = yield* timed(call("GET", "/account"))
        assert.strictEqual(after.status, 200, after.text)
        assert.isBelow(afterTook, slack)
      }).pipe(quietly),
    120_000
  )

  it.live(
    "costs one request five seconds when its connections are dead, not one request for each",
    () =>
      Effect.gen(function* () {
        const proxy = yield* aProxy
        const { call } = yield* behind(proxy)
        yield* warmed(call)
        const connections = proxy.connections()
        proxy.blackHole("lost")
        proxy.heal()
        const [answers, took] = yield* timed(Effect.replicateEffect(call("GET", "/account"), 4))
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          [200, 200, 200, 200]
        )
        assert.isAbove(connections, 2)
        assert.isBelow(took, 6_000 + slack)
      }).pipe(quietly),
    120_000
  )

  it.live(
    "is waited for by a start, for as long as it was told",
    () =>
      Effect.gen(function* () {
        const proxy = yield* aProxy
        proxy.setAway(true)
        const start = (startTimeout: number) => driverOf({ url: proxy.url, startTimeout })
        const [refused, took] = yield* timed(Effect.flip(start(1_000)))
        assert.match(refused.message, /^PostgreSQL cannot be reached: /)
        assert.isBelow(took, 1_500 + slack)
        const starting = yield* Effect.forkChild(start(60_000))
        yield* Effect.sleep("1 second")
        assert.isUndefined(starting.pollUnsafe())
        proxy.setAway(false)
        const driver = yield* Fiber.join(starting)
        assert.deepStrictEqual(yield* driver.wallets([]), [])
      }).pipe(quietly),
    120_000
  )
})
