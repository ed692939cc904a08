import { assert, describe, it } from "@effect/vitest"
import type { PagoraClient, PromiseClientOptions } from "@pagora/core/client"
import { createClient, PagoraApiError, PagoraConnectionError } from "@pagora/core/client"
import type { Journey } from "@pagora/testkit"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../../src/app/Api.ts"
import { baseUrl, broken, halfOf, json, network } from "./ClientWorld.test-data.ts"
import { world } from "../world/ServiceWorld.test-data.ts"

const start = Effect.fnUntraced(function* (options: Partial<PromiseClientOptions> = {}) {
  const story: Journey = yield* journey({ subAccountAccess: true })
  const wire = yield* network
  const { clientId, clientSecret } = story.shop
  const client = createClient({ baseUrl, clientId, clientSecret, fetch: wire.fetch, ...options })
  return { story, wire, client }
})

const asked = <A>(call: () => Promise<A>) => Effect.promise(call)

/** The error that a call ends in. */
const failing = (call: () => Promise<unknown>) =>
  Effect.promise(() =>
    call().then(
      (value): never => assert.fail(`It was answered: ${JSON.stringify(value)}`),
      (error: unknown) => error
    )
  )

const apiError = (call: () => Promise<unknown>) =>
  Effect.map(failing(call), (error) => {
    assert.instanceOf(error, PagoraApiError)
    return error as PagoraApiError
  })

const pix = { pixKey: "ana@example.com", pixKeyType: "email", amount: 10 } as const

const chargeCount = (client: PagoraClient) =>
  asked(async () => (await client.transactions.list({ type: "payment" })).data.length)

describe("createClient", () => {
  it("has a method for every endpoint of the tenants", () => {
    const client = createClient({ baseUrl, clientId: "a", clientSecret: "b" })
    const methods = client as unknown as Record<string, Record<string, unknown> | undefined>
    const missing: Array<string> = []
    HttpApi.reflect(Api, {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint, group }) => {
        if (["auth", "contract", "psp-inbox"].includes(group.identifier)) return
        if (typeof methods[group.identifier]?.[endpoint.identifier] !== "function") {
          missing.push(`${group.identifier}.${endpoint.identifier}`)
        }
      }
    })
    assert.deepStrictEqual(missing, [])
  })

  it.effect("manages webhook endpoints", () =>
    Effect.gen(function* () {
      const { webhookEndpoints } = (yield* start()).client
      const made = yield* asked(() =>
        webhookEndpoints.create({ url: "https://shop.example.com/hook" })
      )
      const { id, secret } = made
      assert.match(secret, /^whsec_/)
      const changed = yield* asked(() =>
        webhookEndpoints.change(id, { events: ["payment_completed"] })
      )
      assert.deepStrictEqual(changed.events, ["payment_completed"])
      const rotated = yield* asked(() => webhookEndpoints.rotateSecret(id))
      assert.notStrictEqual(rotated.secret, secret)
      const test = yield* asked(() => webhookEndpoints.test(id))
      yield* asked(() => webhookEndpoints.resend(id, test.id))
      const recovery = yield* asked(() => webhookEndpoints.recover(id, { since: "2026-11-21" }))
      assert.strictEqual(recovery.endpointId, id)
      const log = yield* asked(() => webhookEndpoints.deliveries(id))
      assert.deepStrictEqual(
        log.data.map(({ event }) => event),
        ["webhook_test", "webhook_test"]
      )
      assert.strictEqual((yield* asked(() => webhookEndpoints.get(id))).id, id)
      yield* asked(() => webhookEndpoints.remove(id))
      assert.deepStrictEqual((yield* asked(() => webhookEndpoints.list())).data, [])
    }).pipe(Effect.provide(world))
  )

  it.effect("does everything that a shop can do, in the JSON of the wire", () =>
    Effect.gen(function* () {
      const { client, story } = yield* start()
      yield* asked(() => client.subAccounts.create({ reference: "loja-1", name: "Loja 1" }))
      const project = yield* asked(() =>
        client.projects.create({ name: "Verão", color: "#00FF00" })
      )
      const charge = yield* asked(() =>
        client.charges.create({
          amount: 37.05,
          description: "Pedido 7",
          projectId: project.id,
          externalReference: "pedido 7/ä",
          metadata: { itens: [1, 2.5], nome: "São João" },
          split: [{ subAccount: "loja-1", amount: 7.05 }]
        })
      )
      assert.strictEqual(charge.amount, 37.05)
      assert.strictEqual(charge.createdAt, "2026-11-21T12:00:00.000Z")
      yield* story.pay(charge)
      const found = yield* asked(() => client.transactions.find("pedido 7/ä"))
      assert.strictEqual(found.id, charge.id)
      assert.strictEqual(found.status, "completed")
      assert.deepStrictEqual(found.metadata, { itens: [1, 2.5], nome: "São João" })
      const sub = yield* asked(() => client.accounts.get({ subAccount: "loja-1" }))
      assert.deepStrictEqual(sub.balance.available, { amount: 705, amountFormatted: 7.05 })
      const transfer = yield* asked(() =>
        client.transfers.create({ from: "loja-1", to: "principal", amount: 7.05 })
      )
      assert.strictEqual(transfer.amount, 7.05)
      const unpaid = yield* asked(() => client.charges.create({ amount: 1 }))
      const cancelled = yield* asked(() => client.charges.cancel(unpaid.id))
      assert.strictEqual(cancelled.status, "cancelled")
      const other = yield* asked(() => client.charges.create({ amount: 5 }))
      yield* story.pay(other)
      const refund = yield* asked(() => client.refunds.request(other.id))
      assert.strictEqual(refund.originalTransactionId, other.id)
      const withdrawal = yield* asked(() => client.withdrawals.create(pix))
      const again = yield* asked(() => client.withdrawals.find(withdrawal.id))
      assert.strictEqual(again.id, withdrawal.id)
      const projects = yield* asked(() =>
        client.projects.list({ page: 1, limit: 10, sortBy: "name" })
      )
      assert.strictEqual(projects.total, 1)
      const page = yield* asked(() =>
        client.transactions.list({ type: "payment", from: "2026-11-21", limit: 2 })
      )
      assert.strictEqual(page.data.length, 2)
      assert.isString(page.nextCursor)
      const blocks = yield* asked(() => client.balanceBlocks.list({ status: "approved" }))
      assert.deepStrictEqual(blocks, { items: [], total: 0 })
      const subs = yield* asked(() => client.subAccounts.list())
      assert.deepStrictEqual(
        subs.data.map(({ reference }) => reference),
        ["loja-1"]
      )
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("acts on the sub-account of the client, or on that of the call", () =>
    Effect.gen(function* () {
      const { client, wire } = yield* start({ subAccount: "loja-1" })
      yield* asked(() => client.subAccounts.create({ reference: "loja-1", name: "Loja 1" }))
      const sub = yield* asked(() => client.accounts.get())
      const main = yield* asked(() => client.accounts.get({ subAccount: "principal" }))
      assert.notStrictEqual(sub.account.id, main.account.id)
      assert.deepStrictEqual(
        wire.sent("/account").map(({ headers }) => headers["x-sub-account"]),
        ["loja-1", "principal"]
      )
    }).pipe(Effect.provide(world))
  )
})

describe("a refusal", () => {
  it.effect(
    "is an error with status, code, message, details and traceId, and is not asked again",
    () =>
      Effect.gen(function* () {
        const { client, wire } = yield* start()
        const error = yield* apiError(() => client.transactions.find("nobody"))
        assert.strictEqual(error.status, 404)
        assert.strictEqual(error.code, "TRANSACTION_NOT_FOUND")
        assert.strictEqual(error.details["id"], "nobody")
        assert.match(error.traceId ?? "", /^[0-9a-f]{32}$/)
        assert.isNotEmpty(error.message)
        const empty = yield* apiError(() => client.withdrawals.create(pix))
        assert.strictEqual(empty.code, "INSUFFICIENT_BALANCE")
        const wrong = yield* apiError(() => client.charges.create({ amount: 0 }))
        assert.strictEqual(wrong.status, 400)
        assert.strictEqual(wire.seen.length, 4)
      }).pipe(Effect.provide(world))
  )

  it.effect("of the credential says so, once, and not the secret", () =>
    Effect.gen(function* () {
      const { client, wire } = yield* start({ clientSecret: "wrong-secret" })
      const error = yield* apiError(() => client.accounts.get())
      assert.strictEqual(error.status, 401)
      assert.strictEqual(error.code, "AUTHENTICATION_REFUSED")
      assert.notInclude(error.message, "wrong-secret")
      assert.strictEqual(wire.seen.length, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("of a token that is not the credential's fault says whose it is", () =>
    Effect.gen(function* () {
      const { client, wire } = yield* start({ retries: 0 })
      const twoFields = (status: number, error: string) => () =>
        Promise.resolve(json(status, { error, message: "Told." }))
      const cases = [
        [401, "AUTHENTICATION_REFUSED", twoFields(401, "Unauthorized")],
        [400, "AUTHENTICATION_REFUSED", twoFields(400, "Bad Request")],
        [429, "RATE_LIMITED", twoFields(429, "Too Many Requests")],
        [500, "InternalServerError", twoFields(500, "Internal Server Error")],
        [503, "ServiceUnavailable", twoFields(503, "Service Unavailable")],
        [404, "UNEXPECTED_ANSWER", async () => json(404, { error: "Not Found", message: "x" })],
        [404, "UNEXPECTED_ANSWER", async () => new Response("Cannot POST /auth", { status: 404 })],
        [401, "UNEXPECTED_ANSWER", async () => new Response("Who are you?", { status: 401 })],
        [200, "UNEXPECTED_ANSWER", async () => new Response("hello")]
      ] as const
      for (const [status, code, way] of cases) {
        wire.onEvery(way)
        const error = yield* apiError(() => client.accounts.get())
        assert.deepStrictEqual([error.status, error.code], [status, code])
        assert.strictEqual(error.message === "Told.", code !== "UNEXPECTED_ANSWER")
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("that comes from something else than the service is told as that", () =>
    Effect.gen(function* () {
      const { client, wire } = yield* start({ retries: 0 })
      for (const [status, body] of [
        [502, "<html>Bad Gateway</html>"],
        [200, "hello"],
        [302, ""]
      ] as const) {
        wire.onCalls(async () => new Response(body, { status }))
        const error = yield* apiError(() => client.accounts.get())
        assert.strictEqual(error.status, status)
        assert.strictEqual(error.code, "UNEXPECTED_ANSWER")
      }
      assert.isTrue(wire.seen.every(({ redirect }) => redirect === "manual"))
    }).pipe(Effect.provide(world))
  )
})

describe("a lost answer", () => {
  it.effect("of a charge is asked for again, and makes one charge", () =>
    Effect.gen(function* () {
      const { client, wire } = yield* start()
      wire.onCalls(async (_, serve) => {
        const answer = await serve()
        return wire.sent("/pix").length === 1 ? broken() : answer
      })
      const charge = yield* asked(() => client.charges.create({ amount: 10 }))
      const [first, second, ...more] = wire.sent("/pix")
      assert.deepStrictEqual(more, [])
      assert.strictEqual(first?.headers["idempotency-key"], second?.headers["idempotency-key"])
      assert.strictEqual(first?.body, second?.body)
      const found = yield* asked(() => client.transactions.list({ type: "payment" }))
      assert.deepStrictEqual(
        found.data.map(({ id }) => id),
        [charge.id]
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("of a withdrawal, whole or in part, debits once", () =>
    Effect.gen(function* () {
      const { client, story, wire } = yield* start()
      yield* story.fund(100)
      for (const lose of [broken, halfOf]) {
        const before = wire.sent("/withdrawals").length
        wire.onCalls(async (_, serve) => {
          const answer = await serve()
          return wire.sent("/withdrawals").length <= before + 2 ? lose(answer) : answer
        })
        const withdrawal = yield* asked(() => client.withdrawals.create(pix))
        assert.strictEqual(withdrawal.amount, 10)
        assert.strictEqual(wire.sent("/withdrawals").length, before + 3)
      }
      const { balance } = yield* asked(() => client.accounts.get())
      assert.strictEqual(balance.available.amountFormatted, 80)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("that stays lost is a PagoraConnectionError, whose key makes the same call safe", () =>
    Effect.gen(function* () {
      const { client, story, wire } = yield* start({ retries: 1 })
      yield* story.fund(100)
      wire.onCalls((_, serve) => serve().then(broken))
      const error = yield* failing(() => client.withdrawals.create(pix))
      assert.instanceOf(error, PagoraConnectionError)
      assert.match((error as Error).message, /^The connection failed \(POST .*baseUrl/)
      const { idempotencyKey = "" } = error as PagoraConnectionError
      const keys = wire.sent("/withdrawals").map(({ headers }) => headers["idempotency-key"])
      assert.deepStrictEqual(keys, [idempotencyKey, idempotencyKey])
      wire.onCalls((_, serve) => serve())
      const found = yield* asked(() => client.transactions.find(idempotencyKey))
      const again = yield* asked(() => client.withdrawals.create(pix, { idempotencyKey }))
      assert.isString(found.id)
      assert.strictEqual(again.amount, 10)
      const { balance } = yield* asked(() => client.accounts.get())
      assert.strictEqual(balance.available.amountFormatted, 90)
    }).pipe(Effect.provide(world))
  )

  it.effect("of two calls with a key of the caller's is one effect", () =>
    Effect.gen(function* () {
      const { client } = yield* start()
      const call = { idempotencyKey: "order-0001" }
      const first = yield* asked(() => client.charges.create({ amount: 10 }, call))
      const second = yield* asked(() => client.charges.create({ amount: 10 }, call))
      assert.strictEqual(second.id, first.id)
      const other = yield* apiError(() => client.charges.create({ amount: 11 }, call))
      assert.strictEqual(other.code, "IDEMPOTENCY_KEY_REUSED")
      assert.strictEqual(other.idempotencyKey, "order-0001")
      assert.strictEqual(yield* chargeCount(client), 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("is what no answer in time is, and the request is given up", () =>
    Effect.gen(function* () {
      const { client, wire } = yield* start({ retries: 1, timeoutMillis: 700 })
      let givenUp = 0
      wire.onCalls(
        (_, __, signal) =>
          new Promise((___, reject) => {
            signal?.addEventListener("abort", () => {
              givenUp++
              reject(new Error("aborted"))
            })
          })
      )
      const error = yield* failing(() => client.accounts.get())
      assert.instanceOf(error, PagoraConnectionError)
      assert.include((error as Error).message, "700 milliseconds")
      assert.strictEqual(givenUp, 2)
    }).pipe(Effect.provide(world))
  )

  it.effect("is what no answer in time is, of a fetch that cannot be given up too", () =>
    Effect.gen(function* () {
      const { client, wire } = yield* start({ retries: 0, timeoutMillis: 50 })
      wire.onCalls(() => new Promise(() => undefined))
      const error = yield* failing(() => client.accounts.get())
      assert.include((error as Error).message, "50 milliseconds (GET https://pagora.test/base/v2")
    }).pipe(Effect.provide(world))
  )

  it.effect("is not waited for after the caller gave the call up", () =>
    Effect.gen(function* () {
      const { client, wire } = yield* start()
      const caller = new AbortController()
      wire.onCalls(() => {
        caller.abort()
        return broken()
      })
      const { signal } = caller
      const error = yield* failing(() => client.charges.create({ amount: 10 }, { signal }))
      assert.instanceOf(error, PagoraConnectionError)
      assert.strictEqual((error as Error).cause, signal.reason)
      const [request, ...more] = wire.sent("/pix")
      assert.deepStrictEqual(more, [])
      const { idempotencyKey } = error as PagoraConnectionError
      assert.strictEqual(request?.headers["idempotency-key"], idempotencyKey)
    }).pipe(Effect.provide(world))
  )
})

describe("an answer that passes", () => {
  it.effect.each([
    json(429, { message: "Too many" }, { "retry-after": "0" }),
    json(503, {}),
    new Response("Bad Gateway", { status: 502 }),
    json(409, { details: { code: "IDEMPOTENCY_KEY_IN_USE" } })
  ])("is asked again, under the same key (%#)", (once) =>
    Effect.gen(function* () {
      const { client, wire } = yield* start()
      wire.onCalls((_, serve) =>
        wire.sent("/pix").length === 1 ? Promise.resolve(once.clone()) : serve()
      )
      yield* asked(() => client.charges.create({ amount: 10 }))
      assert.strictEqual(wire.sent("/pix").length, 2)
      assert.strictEqual(yield* chargeCount(client), 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("of POST /auth is asked again as well", () =>
    Effect.gen(function* () {
      const { client, wire } = yield* start()
      wire.onEvery((_, serve) =>
        wire.seen.length === 1 ? Promise.resolve(json(503, {})) : serve()
      )
      yield* asked(() => client.accounts.get())
      assert.strictEqual(wire.sent("/auth").length, 2)
    }).pipe(Effect.provide(world))
  )

  it.effect("but only after a long time is the caller's to wait for", () =>
    Effect.gen(function* () {
      const { client, wire } = yield* start()
      wire.onCalls(async () => json(429, { error: "TooManyRequests" }, { "retry-after": "31" }))
      const error = yield* apiError(() => client.accounts.get())
      assert.strictEqual(error.status, 429)
      assert.strictEqual(wire.sent("/account").length, 1)
    }).pipe(Effect.provide(world))
  )
})

describe("the token", () => {
  it.effect("is fetched once for all calls", () =>
    Effect.gen(function* () {
      const { client, wire } = yield* start()
      yield* asked(() => Promise.all(Array.from({ length: 10 }, () => client.accounts.get())))
      assert.strictEqual(wire.sent("/auth").length, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("that the service does not take any more is renewed once, even for a POST", () =>
    Effect.gen(function* () {
      const { client, wire } = yield* start()
      yield* asked(() => client.accounts.get())
      const [before] = wire.sent("/account")
      wire.onCalls((request, serve) =>
        request.headers["authorization"] === before?.headers["authorization"]
          ? Promise.resolve(json(401, { statusCode: 401, error: "Unauthorized" }))
          : serve()
      )
      yield* asked(() =>
        Promise.all(Array.from({ length: 5 }, () => client.charges.create({ amount: 10 })))
      )
      assert.strictEqual(wire.sent("/auth").length, 2)
      assert.strictEqual(yield* chargeCount(client), 5)
    }).pipe(Effect.provide(world))
  )

  it.effect("is fetched by the next who waits for it, where the first gives up", () =>
    Effect.gen(function* () {
      const { client, wire } = yield* start()
      const caller = new AbortController()
      wire.onEvery((request, serve) => {
        if (request.path !== "/auth" || wire.seen.length > 1) return serve()
        setImmediate(() => caller.abort())
        // It never answers, and does not hear that it was given up.
        return new Promise(() => undefined)
      })
      const first = client.accounts.get({ signal: caller.signal }).catch((error: unknown) => error)
      const second = client.accounts.get()
      assert.instanceOf(yield* asked(() => first), PagoraConnectionError)
      assert.strictEqual((yield* asked(() => second)).balance.available.amount, 0)
      assert.strictEqual(wire.sent("/auth").length, 2)
    }).pipe(Effect.provide(world))
  )

  it.effect("that is refused again and again ends in 401, not in a loop", () =>
    Effect.gen(function* () {
      const { client, wire } = yield* start()
      wire.onCalls(async () => json(401, { error: "Unauthorized", message: "No." }))
      const error = yield* apiError(() => client.accounts.get())
      assert.strictEqual(error.code, "Unauthorized")
      assert.strictEqual(wire.seen.length, 4)
    }).pipe(Effect.provide(world))
  )
})

describe("options that cannot work", () => {
  const good = { baseUrl, clientId: "a", clientSecret: "b" }
  it.each([
    { baseUrl: "pay.example.com" },
    { baseUrl: "" },
    { clientId: "" },
    { clientSecret: undefined as never },
    { timeoutMillis: 0 },
    { timeoutMillis: Number.NaN },
    { retries: -1 },
    { retries: 0.5 }
  ])("are refused at the start: %j", (bad) => {
    assert.throws(() => createClient({ ...good, ...bad }), TypeError)
  })

  it.each(["", ".", ".."])("nor is %j an id", (id) => {
    const client = createClient(good)
    assert.throws(() => client.transactions.find(id), TypeError)
    assert.throws(() => client.refunds.request(id), TypeError)
  })
})
