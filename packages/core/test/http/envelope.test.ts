import { assert, describe, it } from "@effect/vitest"
import type { Answer } from "@pagora/testkit"
import { journey, layerPagora, RecordingTransport, TestPagora } from "@pagora/testkit"
import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { StorageError } from "../../src/units/Refused.ts"
import { StorageDriver } from "../../src/ports/StorageDriver.ts"
import { layerMemory } from "../../src/storage-memory/StorageMemory.ts"
import { codeOf, noon, random, world, Written } from "../world/ServiceWorld.test-data.ts"

const assertEnvelope = (answer: Answer<unknown>, status: number, error: string) => {
  assert.strictEqual(answer.status, status)
  const { details, ...rest } = answer.json
  assert.deepStrictEqual(Object.keys(rest).toSorted(), [
    "error",
    "message",
    "statusCode",
    "timestamp",
    "traceId"
  ])
  assert.strictEqual(rest.statusCode, status)
  assert.strictEqual(rest.error, error)
  assert.isAbove(String(rest.message).length, 10)
  assert.strictEqual(rest.timestamp, "2026-11-21T12:00:00.000Z")
  assert.match(String(rest.traceId), /^[0-9a-f]{32}$/)
  if (details !== undefined)
    assert.strictEqual(Object.prototype.toString.call(details), "[object Object]")
  assert.strictEqual(answer.headers.get("content-type"), "application/json")
  assert.strictEqual(answer.headers.get("cache-control"), "no-store")
  assert.strictEqual(answer.headers.get("x-content-type-options"), "nosniff")
}

describe("a path that does not exist", () => {
  it.effect("is 404 in the envelope, with or without a token", () =>
    Effect.gen(function* () {
      const { api } = yield* TestPagora
      const { shop } = yield* journey()
      for (const path of [
        "/",
        "/nothing",
        "/pix/1",
        "/transaction",
        "/transactions/a/b/",
        "/transaction/",
        "/transactions/a/b",
        "/Account",
        "//account",
        "/PIX",
        "/v2/account",
        "/%61ccount/x",
        "/operator/v1/audit",
        "/health"
      ]) {
        for (const answer of [yield* api("GET", path), yield* shop.call("GET", path)]) {
          assertEnvelope(answer, 404, "NotFound")
          assert.strictEqual(codeOf(answer), "ROUTE_NOT_FOUND", path)
        }
      }
    }).pipe(Effect.provide(world))
  )
})

describe("a method that a path does not take", () => {
  it.effect.each([
    ["/pix", "POST"],
    ["/auth", "POST"],
    ["/account", "GET, HEAD"],
    ["/transactions/x", "GET, HEAD"]
  ] as const)("of %s is 405 and names those it takes", ([path, allowed]) =>
    Effect.gen(function* () {
      const { api } = yield* TestPagora
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        if (allowed.split(", ").includes(method)) continue
        const answer = yield* api(method, path)
        assertEnvelope(answer, 405, "MethodNotAllowed")
        assert.strictEqual(answer.headers.get("allow"), allowed)
        assert.strictEqual(codeOf(answer), "METHOD_NOT_ALLOWED")
      }
    }).pipe(Effect.provide(world))
  )
})

describe("the envelope of errors", () => {
  it.effect("has the same fields for every status, and only those", () =>
    Effect.gen(function* () {
      const { api, operator, sandbox } = yield* TestPagora
      const { shop } = yield* journey({ permissions: ["PIX:WRITE"] })
      assertEnvelope(yield* shop.call("POST", "/pix", { body: {} }), 400, "BadRequest")
      assertEnvelope(yield* shop.call("POST", "/pix", { body: "{" }), 400, "BadRequest")
      const stranger = yield* api("GET", "/account")
      assertEnvelope(stranger, 401, "Unauthorized")
      assert.strictEqual(stranger.headers.get("www-authenticate"), "Bearer")
      assertEnvelope(yield* shop.call("GET", "/account"), 403, "Forbidden")
      const project = { body: { amount: 1, projectId: random.uuid } }
      assertEnvelope(yield* shop.call("POST", "/pix", project), 404, "NotFound")
      const large = { body: "x".repeat(70_000) }
      assertEnvelope(yield* shop.call("POST", "/pix", large), 413, "PayloadTooLarge")
      const text = { body: "x", headers: { "content-type": "text/plain" } }
      assertEnvelope(yield* shop.call("POST", "/pix", text), 415, "UnsupportedMediaType")
      const noKey = { headers: { authorization: "" } }
      assertEnvelope(yield* operator("GET", "/audit", noKey), 401, "Unauthorized")
      assertEnvelope(yield* operator("GET", `/accounts/${random.uuid}`), 404, "NotFound")
      assertEnvelope(yield* operator("GET", "/accounts/x"), 404, "NotFound")
      assertEnvelope(yield* sandbox("POST", `/charges/${random.uuid}/pay`), 404, "NotFound")
    }).pipe(Effect.provide(world))
  )

  it.effect("is stamped with business time", () =>
    Effect.gen(function* () {
      const { api, sandbox } = yield* TestPagora
      yield* sandbox("POST", "/clock/advance", { body: { seconds: 3_600 } })
      const answer = yield* api("GET", "/nothing")
      assert.strictEqual(answer.json.timestamp, "2026-11-21T13:00:00.000Z")
    }).pipe(Effect.provide(world))
  )

  it.effect("carries the trace of a well-formed traceparent, and one of its own otherwise", () =>
    Effect.gen(function* () {
      const { api } = yield* TestPagora
      const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
      const asked = (traceparent: string) =>
        Effect.map(api("GET", "/account", { headers: { traceparent } }), ({ json }) =>
          String(json.traceId)
        )
      assert.strictEqual(yield* asked(`00-${trace}-00f067aa0ba902b7-01`), trace)
      for (const header of [
        "",
        trace,
        `00-${trace.toUpperCase()}-00f067aa0ba902b7-01`,
        `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
        `00-${trace}-00f067aa0ba902b7-01-more`,
        `ff-${trace}-00f067aa0ba902b7-01`,
        `00-${trace}"},"x":{"-00f067aa0ba902b7-01`
      ]) {
        const own = yield* asked(header)
        assert.match(own, /^[0-9a-f]{32}$/)
        assert.notStrictEqual(own, trace)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("does not repeat what was sent at any length", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const path = yield* shop.call("GET", `/${"x".repeat(60_000)}`)
      assert.isBelow(path.text.length, 1_000)
      const type = { body: "x", headers: { "content-type": `text/${"x".repeat(10_000)}` } }
      assert.isBelow((yield* shop.call("POST", "/pix", type)).text.length, 1_000)
      const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, n]))
      const fields = yield* shop.call("POST", "/pix", {
        body: { amount: "x".repeat(50_000), metadata: many }
      })
      assert.strictEqual(fields.status, 400)
      assert.isBelow(fields.text.length, 2_000)
    }).pipe(Effect.provide(world))
  )
})

describe("the order of checks", () => {
  const send = (
    shop: { readonly call: TestPagora["Service"]["api"] },
    body: string,
    headers: Readonly<Record<string, string>> = {}
  ) =>
    Effect.map(shop.call("POST", "/pix", { body, headers }), ({ status, json }) => [
      status,
      String(json.details?.code)
    ])

  it.effect(
    "route, then size, type and form of the body, then token, permission, sub-account, fields, references",
    () =>
      Effect.gen(function* () {
        const { api } = yield* TestPagora
        const nobody = { call: api }
        const { shop: reader } = yield* journey({ permissions: ["ACCOUNT:READ"] })
        const { shop: single } = yield* journey()
        const { shop: main } = yield* journey({ subAccountAccess: true })
        const bad = { authorization: "Bearer x" }
        const text = { "content-type": "text/plain" }
        const before = (yield* Written).units.length

        assert.strictEqual((yield* api("POST", "/nothing", { body: "{" })).status, 404)
        assert.strictEqual((yield* api("PUT", "/pix", { body: "{" })).status, 405)
        assert.deepStrictEqual(yield* send(nobody, "x".repeat(70_000), { ...bad, ...text }), [
          413,
          "PAYLOAD_TOO_LARGE"
        ])
        assert.deepStrictEqual(yield* send(nobody, "{", { ...bad, ...text }), [
          415,
          "UNSUPPORTED_MEDIA_TYPE"
        ])
        assert.deepStrictEqual(yield* send(nobody, "{", bad), [400, "MALFORMED_JSON"])
        assert.deepStrictEqual(yield* send(nobody, "{}", { ...bad, "x-sub-account": "!" }), [
          401,
          "TOKEN_INVALID"
        ])
        assert.deepStrictEqual(yield* send(reader, "{}", { "x-sub-account": "!" }), [
          403,
          "PERMISSION_DENIED"
        ])
        assert.deepStrictEqual(yield* send(single, "{}", { "x-sub-account": "!" }), [
          400,
          "SUB_ACCOUNT_INVALID_REFERENCE"
        ])
        assert.deepStrictEqual(yield* send(single, "{}", { "x-sub-account": "loja-1" }), [
          403,
          "SUB_ACCOUNT_FORBIDDEN"
        ])
        assert.deepStrictEqual(yield* send(main, "{}", { "x-sub-account": "loja-1" }), [
          404,
          "SUB_ACCOUNT_NOT_FOUND"
        ])
        assert.deepStrictEqual(yield* send(main, `{"amount":0,"projectId":"${random.uuid}"}`), [
          400,
          "VALIDATION_ERROR"
        ])
        assert.deepStrictEqual(yield* send(main, `{"amount":1,"projectId":"${random.uuid}"}`), [
          404,
          "PROJECT_NOT_FOUND"
        ])
        assert.strictEqual((yield* Written).units.length, before)
      }).pipe(Effect.provide(world))
  )

  it.effect("references come before the rules of the business", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.change({ status: "suspended", limits: { charge: { max: 1 } } })
      assert.deepStrictEqual(yield* send(story.shop, `{"amount":2,"projectId":"${random.uuid}"}`), [
        404,
        "PROJECT_NOT_FOUND"
      ])
      assert.deepStrictEqual(
        yield* send(story.shop, `{"amount":2,"pspCredentialId":"${random.uuid}"}`),
        [404, "PSP_CREDENTIAL_NOT_FOUND"]
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("a broken body is told on a GET too, before the token is looked at", () =>
    Effect.gen(function* () {
      const { api } = yield* TestPagora
      const answer = yield* api("GET", "/account", { headers: { "content-length": "70000" } })
      assert.strictEqual(answer.status, 413)
    }).pipe(Effect.provide(world))
  )
})

type Part = "rows" | "look" | "wallets" | "write" | "resolveWrite" | "facts" | "audit"
const parts: ReadonlyArray<Part> = ["rows", "look", "wallets", "write", "facts", "audit"]

/** A storage that breaks on demand, in all that it does or in parts, telling what nobody outside may read. */
const breaking = (
  how: Effect.Effect<never, StorageError>,
  which: ReadonlyArray<Part> = parts,
  isHit: () => boolean = () => true
) => {
  let isBroken = false
  const layer = Layer.effect(
    StorageDriver,
    Effect.gen(function* () {
      const driver = Context.get(yield* Layer.build(Layer.fresh(layerMemory)), StorageDriver)
      const spoil = <A>(part: Part, effect: Effect.Effect<A, StorageError>) =>
        Effect.suspend(() => (isBroken && which.includes(part) && isHit() ? how : effect))
      return {
        ...driver,
        rows: (table, ids) => spoil("rows", driver.rows(table, ids)),
        look: (questions) => spoil("look", driver.look(questions)),
        wallets: (ids) => spoil("wallets", driver.wallets(ids)),
        write: (unit) => spoil("write", driver.write(unit)),
        facts: (keys) => spoil("facts", driver.facts(keys)),
        resolveWrite: (id) => spoil("resolveWrite", driver.resolveWrite(id)),
        audit: {
          ...driver.audit,
          stretch: (page) => spoil("audit", driver.audit.stretch(page))
        }
      } satisfies StorageDriver["Service"]
    })
  )
  const transport = RecordingTransport.layer
  const service = layerPagora(layer, transport).pipe(Layer.provideMerge(transport))
  const set = (broken: boolean) => Effect.sync(() => void (isBroken = broken))
  return { service, breakNow: set(true), mendNow: set(false) }
}

const secret = "SELECT password FROM users WHERE cpf = '12345678909'"

describe("a fault of ours", () => {
  it.effect("is 500 with a trace id and not a word about it", () => {
    const { breakNow, service } = breaking(Effect.die(new Error(secret)))
    return Effect.gen(function* () {
      const { asks, auth } = yield* asking
      yield* breakNow
      for (const answer of yield* asks) {
        assert.strictEqual(answer.status, 500)
        assert.deepStrictEqual(Object.keys(answer.json).toSorted(), [
          "error",
          "message",
          "statusCode",
          "timestamp",
          "traceId"
        ])
        assert.strictEqual(answer.json.error, "InternalError")
        assert.notMatch(answer.text, words)
      }
      const answer = yield* auth
      assert.strictEqual(answer.status, 500)
      assert.deepStrictEqual(Object.keys(answer.json).toSorted(), ["error", "message"])
      assert.notMatch(answer.text, words)
    }).pipe(Effect.provide(service))
  })
})

/** Requests of every API, reading and writing. */
const asking = Effect.gen(function* () {
  yield* TestClock.setTime(noon)
  const { api, operator, tenant } = yield* TestPagora
  const shop = yield* tenant()
  const body = { client_id: shop.clientId, client_secret: shop.clientSecret }
  const token = (yield* api("POST", "/auth", { body })).json.access_token
  const headers = { authorization: `Bearer ${token}` }
  return {
    shop,
    headers,
    asks: Effect.all([
      api("GET", "/account", { headers }),
      api("GET", `/transactions/${random.uuid}`, { headers }),
      api("POST", "/pix", { headers, body: { amount: 1 } }),
      operator("GET", "/audit"),
      operator("POST", "/accounts", { body: { name: "x" } })
    ]),
    auth: api("POST", "/auth", { body })
  }
})
/** Of real time. */
const aMoment = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 50)))
const words = /SELECT|12345678909|Storage:|Error:|\.ts/

describe("a storage that is away", () => {
  it.effect.each(["Unavailable", "Closed", "Overloaded", "Contended"] as const)(
    "(%s) is 503 STORAGE_UNAVAILABLE with Retry-After: nothing was done",
    (reason) => {
      const { breakNow, service } = breaking(
        Effect.fail(new StorageError({ reason, cause: new Error(secret) }))
      )
      return Effect.gen(function* () {
        const { asks, auth } = yield* asking
        yield* breakNow
        for (const answer of yield* asks) {
          assertEnvelope(answer, 503, "ServiceUnavailable")
          assert.strictEqual(codeOf(answer), "STORAGE_UNAVAILABLE")
          assert.match(String(answer.json.message), /nothing was done\. Send the request again/)
          assert.strictEqual(answer.headers.get("retry-after"), "1")
          assert.notMatch(answer.text, words)
        }
        const answer = yield* auth
        assert.strictEqual(answer.status, 503)
        assert.deepStrictEqual(Object.keys(answer.json).toSorted(), ["error", "message"])
        assert.strictEqual(answer.json.error, "Service Unavailable")
        assert.strictEqual(answer.headers.get("retry-after"), "1")
        assert.notMatch(answer.text, words)
      }).pipe(Effect.provide(service))
    }
  )

  it.effect("is 503 OUTCOME_UNKNOWN where a write may be in, and says what to do", () => {
    const unknown = Effect.fail(new StorageError({ reason: "OutcomeUnknown", cause: secret }))
    // The write is lost, and nobody can be asked what became of it.
    let isLost = false
    const { breakNow, service } = breaking(
      unknown,
      ["write", "resolveWrite"],
      () => (isLost = true)
    )
    return Effect.gen(function* () {
      const { api } = yield* TestPagora
      const { headers } = yield* asking
      yield* breakNow
      const key = { "idempotency-key": "a-key-of-mine" }
      const ask = { headers: { ...headers, ...key }, body: { amount: 1 } }
      // The storage is asked for some seconds what became of the write.
      const told = (asked: { readonly headers: Record<string, string>; readonly body: object }) =>
        Effect.gen(function* () {
          isLost = false
          const running = yield* Effect.forkChild(api("POST", "/pix", asked))
          // Until it is written all takes real time.
          yield* Effect.repeat(aMoment, { until: () => isLost })
          yield* Effect.replicateEffect(TestClock.adjust("1 second"), 20, { discard: true })
          return yield* Fiber.join(running)
        })
      const withKey = yield* told(ask)
      assert.strictEqual(withKey.status, 503)
      assert.strictEqual(codeOf(withKey), "OUTCOME_UNKNOWN")
      assert.match(String(withKey.json.message), /again with the same Idempotency-Key/)
      assert.strictEqual(withKey.headers.get("retry-after"), "1")
      const without = yield* told({ headers, body: { amount: 1 } })
      assert.strictEqual(codeOf(without), "OUTCOME_UNKNOWN")
      assert.match(String(without.json.message), /had no Idempotency-Key: look .*externalReference/)
    }).pipe(Effect.provide(service))
  })

  it.effect("after the intent was stored is 503 OUTCOME_UNKNOWN too, and the key goes on", () => {
    // The intent, the sandbox PSP's own book, and then what came of it.
    let writes = 0
    const away = Effect.fail(new StorageError({ reason: "Unavailable" }))
    const { breakNow, mendNow, service } = breaking(away, ["write"], () => ++writes > 2)
    return Effect.gen(function* () {
      const { api } = yield* TestPagora
      const { headers } = yield* asking
      const key = { "idempotency-key": "a-key-of-mine" }
      const ask = api("POST", "/pix", { headers: { ...headers, ...key }, body: { amount: 1 } })
      yield* breakNow
      const told = yield* ask
      assert.strictEqual(codeOf(told), "OUTCOME_UNKNOWN")
      yield* mendNow
      // Whoever asked has the intent for itself for a while.
      const early = yield* Effect.forkChild(ask)
      while (early.pollUnsafe() === undefined) {
        yield* TestClock.adjust("1 second")
        yield* aMoment
      }
      assert.strictEqual(codeOf(yield* Fiber.join(early)), "IDEMPOTENCY_KEY_IN_USE")
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual((yield* ask).status, 201)
    }).pipe(Effect.provide(service))
  })

  it.effect(
    "and does not answer at all is given up after 10 s, and what asks a PSP after 25 s",
    () => {
      const { breakNow, service } = breaking(Effect.never)
      return Effect.gen(function* () {
        const { api, operator } = yield* TestPagora
        const { auth, headers } = yield* asking
        yield* breakNow
        const asks = {
          read: api("GET", "/account", { headers }),
          operator: operator("GET", `/accounts/${random.uuid}`),
          auth
        }
        for (const ask of Object.values(asks)) {
          const running = yield* Effect.forkChild(ask)
          yield* TestClock.adjust("9900 millis")
          assert.isUndefined(running.pollUnsafe())
          yield* TestClock.adjust("100 millis")
          const answer = yield* Fiber.join(running)
          assert.strictEqual(answer.status, 503)
          assert.strictEqual(answer.headers.get("retry-after"), "1")
        }
        const charge = yield* Effect.forkChild(
          api("POST", "/pix", { headers, body: { amount: 1 } })
        )
        yield* TestClock.adjust("24900 millis")
        assert.isUndefined(charge.pollUnsafe())
        yield* TestClock.adjust("100 millis")
        assert.strictEqual(codeOf(yield* Fiber.join(charge)), "STORAGE_UNAVAILABLE")
      }).pipe(Effect.provide(service))
    }
  )

  it.effect("in the middle of a write leaves its outcome unknown when it is given up", () => {
    const { breakNow, service } = breaking(Effect.never, ["write"])
    return Effect.gen(function* () {
      const { operator } = yield* TestPagora
      yield* breakNow
      const asked = yield* Effect.forkChild(operator("POST", "/accounts", { body: { name: "x" } }))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(codeOf(yield* Fiber.join(asked)), "OUTCOME_UNKNOWN")
    }).pipe(Effect.provide(service))
  })
})
