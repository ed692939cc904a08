import { assert, describe, it } from "@effect/vitest"
import { memory, StorageDriver } from "@pagora/core"
import type { Answer, Tenant } from "@pagora/testkit"
import { expecting, layerPagora, RecordingTransport, TestPagora } from "@pagora/testkit"
import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

const asked = [
  "look",
  "rows",
  "idempotency",
  "wallets",
  "ledgerTxs",
  "list",
  "operations",
  "movements",
  "positions",
  "write",
  "facts"
] as const

/** A storage that takes a millisecond for everything, so that what is asked for in a row shows. */
const aSlowDriver = Effect.map(Layer.build(Layer.fresh(memory())), (context) => {
  const driver = Context.get(context, StorageDriver)
  type Method = (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>
  const slowly =
    (method: Method): Method =>
    (...args) =>
      Effect.andThen(Effect.sleep("1 millis"), method(...args))
  return StorageDriver.of({
    ...driver,
    ...Object.fromEntries(asked.map((name) => [name, slowly(driver[name] as Method)]))
  })
})

const aProcess = (driver: StorageDriver["Service"]) =>
  Layer.build(
    layerPagora(Layer.succeed(StorageDriver, driver), Layer.fresh(RecordingTransport.layer), {
      rateLimits: { general: { requests: 1_000, seconds: 60 } }
    })
  ).pipe(Effect.map((context) => Context.get(context, TestPagora)))

/** Runs something on a clock that goes on by a millisecond whenever nothing else does, and counts how many it took. */
const timed = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const fiber = yield* Effect.forkChild(effect)
  for (let trips = 0; trips < 1_000; trips++) {
    for (let turn = 0; turn < 50 && fiber.pollUnsafe() === undefined; turn++) yield* Effect.yieldNow
    if (fiber.pollUnsafe() !== undefined) return { trips, value: yield* Fiber.join(fiber) }
    yield* TestClock.adjust("1 millis")
  }
  return yield* Effect.die(new Error("It never ended."))
})
const done = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(timed(effect), ({ value }) => value)

/** A shop with a charge, a sub-account, and a token with which one process asks. */
const aShop = Effect.fnUntraced(function* (driver: StorageDriver["Service"]) {
  const pagora = yield* done(aProcess(driver))
  const shop: Tenant = yield* done(pagora.tenant({ subAccountAccess: true }))
  const auth = yield* done(
    pagora.api("POST", "/auth", {
      body: { client_id: shop.clientId, client_secret: shop.clientSecret }
    })
  )
  const token = { authorization: `Bearer ${auth.json.access_token}` }
  const call =
    (from: typeof pagora) =>
    (method: string, path: string, headers = {}, body?: unknown) =>
      from.api(method, path, { headers: { ...token, ...headers }, body })
  const here = call(pagora)
  const charge = yield* done(
    Effect.flatMap(
      here("POST", "/pix", {}, { amount: 10, externalReference: "pedido-1" }),
      expecting(201)
    )
  )
  const open = { reference: "loja-1", name: "Loja 1" }
  yield* done(Effect.flatMap(here("POST", "/sub-accounts", {}, open), expecting(201)))
  yield* done(here("GET", "/account", { "x-sub-account": "loja-1" }))
  return { pagora, shop, call, here, charge: String(charge["id"]) }
})

describe("a caller whom this process has seen", () => {
  it.effect("waits once for the storage with every GET, and for one read before a write", () =>
    Effect.gen(function* () {
      const { charge, here, pagora, shop } = yield* aShop(yield* aSlowDriver)
      const inSubAccount = { "x-sub-account": "loja-1" }
      const trips = Effect.fnUntraced(function* (status: number, ask: Effect.Effect<Answer>) {
        const { trips, value } = yield* timed(ask)
        assert.strictEqual(value.status, status, value.text)
        return trips
      })
      assert.strictEqual(yield* trips(200, here("GET", `/transactions/${charge}`)), 1)
      assert.strictEqual(yield* trips(200, here("GET", "/transactions/pedido-1")), 1)
      assert.strictEqual(yield* trips(404, here("GET", "/transactions/pedido-2")), 1)
      assert.strictEqual(yield* trips(200, here("GET", "/transactions")), 1)
      assert.strictEqual(yield* trips(200, here("GET", "/account")), 1)
      assert.strictEqual(yield* trips(200, here("GET", "/account", inSubAccount)), 1)
      assert.strictEqual(yield* trips(404, here("GET", `/transactions/${charge}`, inSubAccount)), 1)
      const key = { "idempotency-key": "project-0001" }
      const project = { name: "Natal", slug: "natal" }
      assert.strictEqual(yield* trips(201, here("POST", "/projects", key, project)), 2)
      assert.strictEqual(yield* trips(201, here("POST", "/projects", key, project)), 1)
      const withdrawal = { pixKey: "52998224725", pixKeyType: "cpf", amount: 10 }
      const funds = { body: { amount: 100, reason: "funds" } }
      yield* done(pagora.operator("POST", `/accounts/${shop.id}/adjustments`, funds))
      const again = { "idempotency-key": "repasse-0001" }
      assert.strictEqual(yield* trips(201, here("POST", "/withdrawals", again, withdrawal)), 2)
    }).pipe(Effect.scoped)
  )

  it.effect("is asked about with each request, whichever process changed what he may do", () =>
    Effect.gen(function* () {
      const driver = yield* aSlowDriver
      const { call, charge, here, shop } = yield* aShop(driver)
      const other = yield* done(aProcess(driver))
      const status = (path: string, headers = {}) =>
        Effect.map(done(here("GET", path, headers)), (answer) => answer.status)
      const inSubAccount = { "x-sub-account": "loja-1" }
      assert.strictEqual(yield* status("/account", inSubAccount), 200)
      const suspend = { status: "suspended" }
      const path = `/accounts/${shop.id}/sub-accounts/loja-1` as const
      yield* done(Effect.flatMap(other.operator("PATCH", path, { body: suspend }), expecting(200)))
      assert.strictEqual(yield* status("/account", inSubAccount), 403)
      assert.strictEqual(yield* status("/account"), 200)

      const blocked = other.operator("PATCH", `/accounts/${shop.id}`, { body: suspend })
      yield* done(Effect.flatMap(blocked, expecting(200)))
      const told = yield* done(here("GET", "/account"))
      assert.strictEqual(told.json["account"]?.["status"] as unknown, "suspended")

      const there = call(other)
      const cancelled = yield* done(there("POST", `/pix/${charge}/cancel`))
      assert.strictEqual(cancelled.status, 200, cancelled.text)
      const shown = yield* done(here("GET", `/transactions/${charge}`))
      assert.strictEqual(shown.json["status"] as unknown, "cancelled")

      const revoke = other.operator("DELETE", `/accounts/${shop.id}/credentials/${shop.clientId}`)
      yield* done(Effect.flatMap(revoke, expecting(204)))
      assert.isNotNull(shown.headers.get("ratelimit"))
      const refused = yield* done(here("GET", "/account"))
      assert.strictEqual(refused.status, 401)
      assert.isNull(refused.headers.get("ratelimit"))
    }).pipe(Effect.scoped)
  )

  it.effect("and who may not do what he asks for is asked about, and nothing else", () =>
    Effect.gen(function* () {
      const driver = yield* aSlowDriver
      const reads: Array<string> = []
      const watched = (name: "idempotency" | "wallets") => ({
        [name]: (...args: ReadonlyArray<never>) => {
          reads.push(name)
          return (driver[name] as (...args: ReadonlyArray<never>) => unknown)(...args)
        }
      })
      const pagora = yield* done(
        aProcess(
          StorageDriver.of({ ...driver, ...watched("idempotency"), ...watched("wallets") } as never)
        )
      )
      const shop: Tenant = yield* done(pagora.tenant({ permissions: ["TRANSACTION:READ"] }))
      const withdraw = shop.call("POST", "/withdrawals", {
        headers: { "idempotency-key": "repasse-0001" },
        body: { pixKey: "52998224725", pixKeyType: "cpf", amount: 10 }
      })
      // By the second one this process knows him.
      assert.strictEqual((yield* done(withdraw)).status, 403)
      reads.length = 0
      assert.strictEqual((yield* done(withdraw)).status, 403)
      assert.deepStrictEqual(reads, [])
    }).pipe(Effect.scoped)
  )
})
