import { assert, describe, it } from "@effect/vitest"
import type { Answer } from "@pagora/testkit"
import { journey, layerPagora, RecordingTransport, TestPagora } from "@pagora/testkit"
import { Context, Effect, Layer } from "effect"
import { StorageError } from "../src/ports/Refused.ts"
import { StorageDriver } from "../src/ports/StorageDriver.ts"
import { layerMemory } from "../src/ports/StorageMemory.ts"
import { codeOf, random, world, Written } from "./ServiceWorld.test-data.ts"

const assertEnvelope = (answer: Answer, status: number, error: string) => {
  assert.strictEqual(answer.status, status)
  const { details, ...rest } = answer.json
  assert.deepStrictEqual(Object.keys(rest).toSorted(), [
    "error",
    "message",
    "statusCode",
    "timestamp",
    "traceId"
  ])
  assert.strictEqual(rest["statusCode"] as unknown, status)
  assert.strictEqual(rest["error"] as unknown, error)
  assert.isAbove(String(rest["message"]).length, 10)
  assert.strictEqual(String(rest["timestamp"]), "2026-11-21T12:00:00.000Z")
  assert.match(String(rest["traceId"]), /^[0-9a-f]{32}$/)
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
    ["/account", "GET"],
    ["/transactions/x", "GET"]
  ] as const)("of %s is 405 and names those it takes", ([path, allowed]) =>
    Effect.gen(function* () {
      const { api } = yield* TestPagora
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        if (method === allowed) continue
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
      assertEnvelope(yield* api("GET", "/account"), 401, "Unauthorized")
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
      assert.strictEqual(String(answer.json["timestamp"]), "2026-11-21T13:00:00.000Z")
    }).pipe(Effect.provide(world))
  )

  it.effect("carries the trace of a well-formed traceparent, and one of its own otherwise", () =>
    Effect.gen(function* () {
      const { api } = yield* TestPagora
      const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
      const asked = (traceparent: string) =>
        Effect.map(api("GET", "/account", { headers: { traceparent } }), ({ json }) =>
          String(json["traceId"])
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
      String(json["details"]?.["code"])
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

/** A storage that breaks on demand, telling what nobody outside may read. */
const breaking = (how: Effect.Effect<never, StorageError>) => {
  let isBroken = false
  const layer = Layer.effect(
    StorageDriver,
    Effect.gen(function* () {
      const driver = Context.get(yield* Layer.build(Layer.fresh(layerMemory)), StorageDriver)
      const spoil = <A>(effect: Effect.Effect<A, StorageError>) =>
        Effect.suspend(() => (isBroken ? how : effect))
      return {
        ...driver,
        rows: (table, ids) => spoil(driver.rows(table, ids)),
        resolve: (lookups) => spoil(driver.resolve(lookups)),
        wallets: (ids) => spoil(driver.wallets(ids)),
        write: (unit) => spoil(driver.write(unit)),
        facts: (keys) => spoil(driver.facts(keys)),
        audit: spoil(driver.audit)
      } satisfies StorageDriver["Service"]
    })
  )
  const transport = RecordingTransport.layer
  const service = layerPagora(layer, transport).pipe(Layer.provideMerge(transport))
  return { service, breakNow: Effect.sync(() => void (isBroken = true)) }
}

const secret = "SELECT password FROM users WHERE cpf = '12345678909'"

describe("a fault of ours", () => {
  it.effect.each([
    ["a defect", () => Effect.die(new Error(secret))],
    [
      "an unreachable database",
      () => Effect.fail(new StorageError({ reason: "Unavailable", cause: new Error(secret) }))
    ],
    [
      "an unknown outcome",
      () => Effect.fail(new StorageError({ reason: "OutcomeUnknown", cause: secret }))
    ],
    ["a closing storage", () => Effect.fail(new StorageError({ reason: "Closed" }))]
  ] as const)("%s is 500 with a trace id and not a word about it", ([_, how]) => {
    const { breakNow, service } = breaking(how())
    return Effect.gen(function* () {
      const { api, operator, tenant } = yield* TestPagora
      const shop = yield* tenant()
      const body = { client_id: shop.clientId, client_secret: shop.clientSecret }
      const token = String((yield* api("POST", "/auth", { body })).json["access_token"])
      const headers = { authorization: `Bearer ${token}` }
      yield* breakNow
      const answers = [
        yield* api("GET", "/account", { headers }),
        yield* api("GET", `/transactions/${random.uuid}`, { headers }),
        yield* api("POST", "/pix", { headers, body: { amount: 1 } }),
        yield* operator("GET", "/audit"),
        yield* operator("POST", "/accounts", { body: { name: "x" } })
      ]
      for (const answer of answers) {
        assert.strictEqual(answer.status, 500)
        assert.deepStrictEqual(Object.keys(answer.json).toSorted(), [
          "error",
          "message",
          "statusCode",
          "timestamp",
          "traceId"
        ])
        assert.strictEqual(String(answer.json["error"]), "InternalError")
        assert.notMatch(answer.text, /SELECT|12345678909|Storage|Error:|\.ts/)
      }
      const auth = yield* api("POST", "/auth", { body })
      assert.strictEqual(auth.status, 500)
      assert.deepStrictEqual(Object.keys(auth.json).toSorted(), ["error", "message"])
      assert.notMatch(auth.text, /SELECT|12345678909|Storage/)
    }).pipe(Effect.provide(service))
  })

  it.effect.each(["Overloaded", "Contended"] as const)(
    "%s is 429, and nothing was done",
    (reason) => {
      const { breakNow, service } = breaking(Effect.fail(new StorageError({ reason })))
      return Effect.gen(function* () {
        const { api, operator, tenant } = yield* TestPagora
        const shop = yield* tenant()
        const body = { client_id: shop.clientId, client_secret: shop.clientSecret }
        const token = String((yield* api("POST", "/auth", { body })).json["access_token"])
        const headers = { authorization: `Bearer ${token}` }
        yield* breakNow
        for (const answer of [
          yield* api("GET", "/account", { headers }),
          yield* api("GET", "/transactions/x", { headers }),
          yield* api("POST", "/pix", { headers, body: { amount: 1 } }),
          yield* operator("POST", "/accounts", { body: { name: "x" } })
        ]) {
          assert.strictEqual(answer.status, 429)
          assert.strictEqual(String(answer.json["error"]), "TooManyRequests")
          assert.strictEqual(codeOf(answer), "OVERLOADED")
        }
        const auth = yield* api("POST", "/auth", { body })
        assert.strictEqual(auth.status, 429)
        assert.deepStrictEqual(Object.keys(auth.json).toSorted(), ["error", "message"])
      }).pipe(Effect.provide(service))
    }
  )
})
