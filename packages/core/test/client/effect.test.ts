import { assert, describe, it } from "@effect/vitest"
import type { ClientOptions } from "@pagora/core/client/effect"
import { makeClient, NotFound, withSettings } from "@pagora/core/client/effect"
import { journey } from "@pagora/testkit"
import { Cause, Clock, DateTime, Effect, Exit, Fiber } from "effect"
import { FetchHttpClient, HttpClientError } from "effect/http"
import { TestClock } from "effect/testing"
import type { Centavos } from "../../src/kernel/Money.ts"
import { baseUrl, broken, json, network } from "./ClientWorld.test-data.ts"
import { world } from "../world/ServiceWorld.test-data.ts"

const brl = (centavos: bigint) => centavos as Centavos

const start = Effect.fnUntraced(function* (options: Partial<ClientOptions> = {}) {
  const story = yield* journey({ subAccountAccess: true })
  const wire = yield* network
  const { clientId, clientSecret } = story.shop
  const client = yield* makeClient({ baseUrl, clientId, clientSecret, ...options }).pipe(
    Effect.provide(FetchHttpClient.layer)
  )
  const over = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provideService(effect, FetchHttpClient.Fetch, wire.fetch)
  return { story, wire, client, over }
})

/** Time passes slowly enough that no answer is late. */
const aging = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const fiber = yield* Effect.forkChild(effect)
  for (let steps = 0; fiber.pollUnsafe() === undefined && steps < 100; steps++) {
    for (let turns = 0; turns < 30; turns++) {
      yield* Effect.promise(() => new Promise((done) => setImmediate(done)))
    }
    if (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("250 millis")
  }
  return yield* Fiber.join(fiber)
})

describe("makeClient", () => {
  it.effect("takes and answers the values of the models", () =>
    Effect.gen(function* () {
      const { client, over, story } = yield* start()
      yield* Effect.gen(function* () {
        const { subAccounts, charges, transactions, accounts, refunds } = client
        yield* subAccounts.create({ payload: { reference: "loja-1", name: "Loja 1" } })
        const charge = yield* charges.create({
          payload: {
            amount: brl(3_705n),
            customer: { document: "52998224725" },
            metadata: '{"n":2.5}',
            split: [{ subAccount: "loja-1", amount: brl(705n) }]
          }
        })
        assert.strictEqual(charge.amount, 3_705n)
        assert.strictEqual(DateTime.formatIso(charge.createdAt), "2026-11-21T12:00:00.000Z")
        assert.deepStrictEqual(charge.split, [{ subAccount: "loja-1", amount: brl(705n) }])
        yield* story.pay(charge)
        const found = yield* transactions.find({ params: { id: charge.id } })
        assert.strictEqual(found.status, "completed")
        assert.deepStrictEqual(found.metadata, { n: 2.5 })
        const { balance } = yield* accounts.get({}).pipe(withSettings({ subAccount: "loja-1" }))
        assert.strictEqual(balance.available.amountFormatted, 705n)
        const page = yield* transactions.list({ query: { type: "payment", limit: 1 } })
        assert.strictEqual(page.data[0]?.id, charge.id)
        const other = yield* charges.create({ payload: { amount: brl(500n) } })
        yield* story.pay(other)
        const refund = yield* refunds.request({ params: { id: other.id }, payload: {} })
        assert.strictEqual(refund.originalTransactionId, other.id)
        const unpaid = yield* charges.create({ payload: { amount: brl(1n) } })
        const cancelled = yield* charges.cancel({ params: { id: unpaid.id } })
        assert.strictEqual(cancelled.status, "cancelled")
        const withdrawal = yield* client.withdrawals.create({
          payload: { pixKey: "ana@example.com", pixKeyType: "email", amount: brl(1_000n) }
        })
        const same = yield* client.withdrawals.find({ params: { id: withdrawal.id } })
        assert.strictEqual(same.amount, 1_000n)
        yield* client.transfers.create({ payload: { to: "loja-1", amount: brl(1n) } })
        yield* client.projects.create({ payload: { name: "Verão" } })
        const projects = yield* client.projects.list({ query: { page: 1, sortOrder: "desc" } })
        assert.strictEqual(projects.total, 1)
        assert.strictEqual((yield* client.balanceBlocks.list({ query: {} })).total, 0)
        assert.strictEqual((yield* subAccounts.list({})).data.length, 1)
        yield* story.audit
      }).pipe(over)
    }).pipe(Effect.provide(world))
  )

  it.effect("fails with an error of the refusal's class", () =>
    Effect.gen(function* () {
      const { client, over, wire } = yield* start()
      const error = yield* client.transactions
        .find({ params: { id: "nobody" } })
        .pipe(Effect.flip, over)
      assert.instanceOf(error, NotFound)
      assert.strictEqual((error as NotFound).details?.["id"], "nobody")
      assert.strictEqual(wire.seen.length, 2)
      const stranger = yield* start({ clientSecret: "wrong" })
      const status = yield* stranger.client.accounts.get({}).pipe(
        Effect.as(0),
        Effect.catchTag("AuthenticationRefused", (error) => Effect.succeed(error.status)),
        stranger.over
      )
      assert.strictEqual(status, 401)
    }).pipe(Effect.provide(world))
  )

  it.effect("sends no id that a URL reads as another path", () =>
    Effect.gen(function* () {
      const { client, over, wire } = yield* start()
      for (const id of ["", ".", ".."]) {
        const exit = yield* Effect.exit(over(client.transactions.find({ params: { id } })))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause), id)
      }
      assert.deepStrictEqual(wire.seen, [])
    }).pipe(Effect.provide(world))
  )

  it.effect("uses a token for 270 seconds of its 300, then fetches another", () =>
    Effect.gen(function* () {
      const { client, over, wire } = yield* start()
      const tokensAfter = (seconds: number) =>
        Effect.gen(function* () {
          yield* TestClock.adjust(`${seconds} seconds`)
          yield* over(client.accounts.get({}))
          return wire.sent("/auth").length
        })
      assert.strictEqual(yield* tokensAfter(0), 1)
      assert.strictEqual(yield* tokensAfter(269), 1)
      assert.strictEqual(yield* tokensAfter(1), 2)
      assert.strictEqual(yield* tokensAfter(269), 2)
      assert.isTrue(wire.sent("/account").every(({ headers }) => "authorization" in headers))
    }).pipe(Effect.provide(world))
  )

  it.effect("renews a token that ended by the service's clock", () =>
    Effect.gen(function* () {
      const { client, over, story, wire } = yield* start()
      yield* over(client.accounts.get({}))
      yield* story.advance("10 minutes")
      yield* over(client.charges.create({ payload: { amount: brl(1n) } }))
      assert.strictEqual(wire.sent("/pix").length, 2)
      assert.strictEqual(wire.sent("/auth").length, 2)
    }).pipe(Effect.provide(world))
  )

  it.effect("waits as long as Retry-After says", () =>
    Effect.gen(function* () {
      const { client, over, wire } = yield* start()
      wire.onCalls((_, serve) =>
        wire.sent("/account").length === 1
          ? Promise.resolve(json(429, {}, { "retry-after": "7" }))
          : serve()
      )
      const before = yield* Clock.currentTimeMillis
      yield* aging(over(client.accounts.get({})))
      const after = yield* Clock.currentTimeMillis
      assert.isAtLeast(after - before, 7_000)
      assert.strictEqual(wire.sent("/account").length, 2)
    }).pipe(Effect.provide(world))
  )

  it.effect("loses no answer twice: one withdrawal for all tries, and one for its key", () =>
    Effect.gen(function* () {
      const { client, over, story, wire } = yield* start({ retries: 2 })
      yield* story.fund(100)
      const withdraw = client.withdrawals
        .create({ payload: { pixKey: "a@b.co", pixKeyType: "email", amount: brl(1_000n) } })
        .pipe(withSettings({ idempotencyKey: "payout-0001" }), over)
      wire.onCalls((_, serve) => serve().then(broken))
      const error = yield* Effect.flip(aging(withdraw))
      assert.isTrue(HttpClientError.isHttpClientError(error))
      assert.strictEqual(wire.sent("/withdrawals").length, 3)
      wire.onCalls((_, serve) => serve())
      const withdrawal = yield* withdraw
      const found = yield* over(client.withdrawals.find({ params: { id: withdrawal.id } }))
      assert.strictEqual(found.amount, 1_000n)
      assert.strictEqual((yield* story.figures).available, 9_000)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("makes up a key for each POST that has none, the same for all its tries", () =>
    Effect.gen(function* () {
      const { client, over, wire } = yield* start()
      wire.onCalls(async (_, serve) => {
        const answer = await serve()
        return wire.sent("/pix").length % 2 === 1 ? broken() : answer
      })
      const create = over(client.charges.create({ payload: { amount: brl(1_000n) } }))
      const one = yield* aging(create)
      const other = yield* aging(create)
      assert.notStrictEqual(one.id, other.id)
      const keys = wire.sent("/pix").map(({ headers }) => headers["idempotency-key"])
      assert.deepStrictEqual(keys, [keys[0], keys[0], keys[2], keys[2]])
      assert.strictEqual(new Set(keys).size, 2)
      wire.onCalls((_, serve) => serve())
      const { data } = yield* over(client.transactions.list({ query: { type: "payment" } }))
      assert.sameMembers(
        data.map(({ id }) => id),
        [one.id, other.id]
      )
    }).pipe(Effect.provide(world))
  )
})
