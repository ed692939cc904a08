import { assert, describe, it } from "@effect/vitest"
import type { Answer } from "@pagora/testkit"
import { journey, TestPagora } from "@pagora/testkit"
import { Effect } from "effect"
import { hkdfSync } from "node:crypto"
import { permissions } from "../../src/auth/Credential.ts"
import { tricks } from "../../src/node/TokenTricks.test-data.ts"
import { codeOf, random, world, Written } from "../world/ServiceWorld.test-data.ts"

const endpoints = [
  { method: "POST", path: "/pix", permission: "PIX:WRITE", body: { amount: 1 }, status: 201 },
  {
    method: "GET",
    path: `/transactions/${random.uuid}`,
    permission: "TRANSACTION:READ",
    status: 404
  },
  { method: "GET", path: "/account", permission: "ACCOUNT:READ", status: 200 },
  { method: "GET", path: "/projects", permission: "PROJECT:READ", status: 200 },
  { method: "GET", path: "/sub-accounts", permission: "SUBACCOUNT:READ", status: 200 }
] as const

type Endpoint = (typeof endpoints)[number]

const optionsOf = (endpoint: Endpoint) => ("body" in endpoint ? { body: endpoint.body } : {})

const withToken = (endpoint: Endpoint, authorization: string | undefined) =>
  Effect.flatMap(TestPagora, ({ api }) =>
    api(endpoint.method, endpoint.path, {
      ...optionsOf(endpoint),
      ...(authorization === undefined ? {} : { headers: { authorization } })
    })
  )

const tokenOf = (shop: { readonly clientId: string; readonly clientSecret: string }) =>
  Effect.gen(function* () {
    const { api } = yield* TestPagora
    const body = { client_id: shop.clientId, client_secret: shop.clientSecret }
    return (yield* api("POST", "/auth", { body })).json.access_token
  })

const assertUnauthorized = (answer: Answer<unknown>, code: string) => {
  assert.strictEqual(answer.status, 401)
  assert.strictEqual(answer.json.error, "Unauthorized")
  assert.strictEqual(answer.json.statusCode, 401)
  assert.strictEqual(codeOf(answer), code)
}

const malformed: ReadonlyArray<readonly [value: string, code: string]> = [
  ["", "TOKEN_MISSING"],
  ["Bearer", "TOKEN_MISSING"],
  ["Bearer ", "TOKEN_MISSING"],
  ["Basic dXNlcjpwYXNz", "TOKEN_MISSING"],
  ["Bearer nonsense", "TOKEN_INVALID"],
  ["Bearer a.b.c", "TOKEN_INVALID"],
  ["Bearer ..", "TOKEN_INVALID"],
  ["Bearer null", "TOKEN_INVALID"],
  ["Bearer {}", "TOKEN_INVALID"],
  [`Bearer ${"a".repeat(5_000)}`, "TOKEN_INVALID"],
  [`Bearer ${"a.".repeat(100_000)}a`, "TOKEN_INVALID"]
]

describe.each(endpoints)("$method $path", (endpoint) => {
  it.effect("answers 401 without a token", () =>
    Effect.gen(function* () {
      assertUnauthorized(yield* withToken(endpoint, undefined), "TOKEN_MISSING")
    }).pipe(Effect.provide(world))
  )

  it.effect("answers 401 to every malformed Authorization", () =>
    Effect.gen(function* () {
      for (const [value, code] of malformed) {
        const answer = yield* withToken(endpoint, value)
        assert.strictEqual(answer.status, 401, value.slice(0, 40))
        assert.strictEqual(codeOf(answer), code, value.slice(0, 40))
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("takes no token twice, cut, continued or beside another scheme", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf(yield* (yield* TestPagora).tenant())
      const values = [
        `Bearer ${token}, Bearer ${token}`,
        `Bearer ${token} ${token}`,
        `Bearer Bearer ${token}`,
        `Bearer ${token.slice(0, -1)}`,
        `Bearer ${token}=`,
        `Bearer ${token}.${token}`,
        `Bearer "${token}"`,
        `Basic ${token}`,
        token
      ]
      for (const value of values) {
        assert.strictEqual((yield* withToken(endpoint, value)).status, 401, value.slice(0, 20))
      }
      // RFC 9110, 11.1: the scheme's name counts in any case, and any number of spaces may follow it.
      for (const value of [`Bearer ${token}`, `bearer ${token}`, `BEARER   ${token}`]) {
        assert.strictEqual((yield* withToken(endpoint, value)).status, endpoint.status)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("answers 401 from the next request on after the credential was revoked", () =>
    Effect.gen(function* () {
      const { operator, tenant } = yield* TestPagora
      const shop = yield* tenant()
      const token = `Bearer ${yield* tokenOf(shop)}`
      assert.strictEqual((yield* withToken(endpoint, token)).status, endpoint.status)
      const path = `/accounts/${shop.id}/credentials/${shop.clientId}` as const
      assert.strictEqual((yield* operator("DELETE", path)).status, 204)
      assertUnauthorized(yield* withToken(endpoint, token), "TOKEN_INVALID")
    }).pipe(Effect.provide(world))
  )

  it.effect.each(permissions)("with only %s", (permission) =>
    Effect.gen(function* () {
      const shop = yield* (yield* TestPagora).tenant({ permissions: [permission] })
      const before = (yield* Written).units.length
      const answer = yield* shop.call(endpoint.method, endpoint.path, optionsOf(endpoint))
      if (permission === "FULL_ACCESS" || permission === endpoint.permission) {
        assert.strictEqual(answer.status, endpoint.status)
        return
      }
      assert.strictEqual(answer.status, 403)
      assert.strictEqual(answer.json.error, "Forbidden")
      assert.strictEqual(codeOf(answer), "PERMISSION_DENIED")
      assert.strictEqual(answer.json.details?.["permission"], endpoint.permission)
      assert.strictEqual((yield* Written).units.length, before)
    }).pipe(Effect.provide(world))
  )
})

describe("a forged token", () => {
  it.effect("is refused by every trick that we know, and nothing is written", () =>
    Effect.gen(function* () {
      const shop = yield* (yield* TestPagora).tenant()
      const token = yield* tokenOf(shop)
      const [header = "", payload = ""] = token.split(".")
      const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString())
      // The worst case: tokens that are signed with the right key and wrong in what they say.
      const master = "a master secret that is long enough for every test"
      const key = new Uint8Array(hkdfSync("sha256", master, "pagora", "pagora/v1/token", 32))
      const forged = tricks({ token, kid: read(header).kid, claims: read(payload), key })
      const before = (yield* Written).units.length
      assert.isAbove(forged.length, 40)
      for (const [name, trick] of forged) {
        // What a header cannot carry, and the space around its value, never gets this far.
        if (!/^[\x21-\x7e]+$/.test(trick)) continue
        const answer = yield* withToken(endpoints[0], `Bearer ${trick}`)
        assert.strictEqual(answer.status, 401, name)
        assert.strictEqual(codeOf(answer), "TOKEN_INVALID", name)
      }
      assert.strictEqual((yield* Written).units.length, before)
      assert.strictEqual((yield* withToken(endpoints[0], `Bearer ${token}`)).status, 201)
    }).pipe(Effect.provide(world))
  )

  it.effect("says no more about a token of another service than about nonsense", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf(yield* (yield* TestPagora).tenant())
      const [header = "", payload = "", signature = ""] = token.split(".")
      const changed = Buffer.from(payload, "base64url").toString().replace("pagora", "magora")
      const answers = [
        yield* withToken(
          endpoints[2],
          `Bearer ${header}.${Buffer.from(changed).toString("base64url")}.${signature}`
        ),
        yield* withToken(endpoints[2], "Bearer nonsense")
      ]
      const texts = answers.map(({ text }) => text.replace(/"traceId":"\w+"/, ""))
      assert.strictEqual(texts[0], texts[1])
    }).pipe(Effect.provide(world))
  )
})

describe("the operator's and the sandbox's API", () => {
  it.effect("open to the operator key only", () =>
    Effect.gen(function* () {
      const { api, operator, sandbox, tenant } = yield* TestPagora
      const shop = yield* tenant()
      const token = yield* tokenOf(shop)
      const before = (yield* Written).units.length
      for (const call of [operator, sandbox]) {
        const path = call === operator ? "/audit" : "/faults"
        assert.strictEqual((yield* call("GET", path)).status, 200)
        for (const authorization of [
          "",
          "Bearer ",
          "Bearer x",
          `Bearer ${token}`,
          "Basic b3BlcmF0b3I="
        ]) {
          const answer = yield* call("GET", path, { headers: { authorization } })
          assertUnauthorized(answer, "OPERATOR_KEY_INVALID")
        }
      }
      const change = { headers: { authorization: `Bearer ${token}` }, body: { name: "Mine" } }
      assert.strictEqual((yield* operator("POST", "/accounts", change)).status, 401)
      // The operator's routes are not part of what tenants see, nor is the operator one of them.
      assert.strictEqual((yield* api("GET", "/audit")).status, 404)
      const asTenant = { headers: { authorization: "Bearer operator-key-of-tests" } }
      assert.strictEqual((yield* api("GET", "/account", asTenant)).status, 401)
      assert.strictEqual((yield* Written).units.length, before)
    }).pipe(Effect.provide(world))
  )
})

describe("X-Sub-Account", () => {
  const on = (reference: string) => ({ headers: { "x-sub-account": reference } })

  it.effect("principal is the main account, for a credential with sub-account access", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey({ subAccountAccess: true })
      const answer = yield* shop.call("GET", "/account", on("principal"))
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.json.account?.id, shop.id)
    }).pipe(Effect.provide(world))
  )

  it.effect("is forbidden without sub-account access, whatever else the credential may do", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey({ permissions: ["FULL_ACCESS"], subAccountAccess: false })
      for (const reference of ["principal", "loja-1"]) {
        const answer = yield* shop.call("GET", "/account", on(reference))
        assert.strictEqual(answer.status, 403)
        assert.strictEqual(answer.json.error, "Forbidden")
        assert.strictEqual(codeOf(answer), "SUB_ACCOUNT_FORBIDDEN")
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("that does not exist is 404", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey({ subAccountAccess: true })
      const answer = yield* shop.call("POST", "/pix", { ...on("loja-1"), body: { amount: 1 } })
      assert.strictEqual(answer.status, 404)
      assert.strictEqual(codeOf(answer), "SUB_ACCOUNT_NOT_FOUND")
      assert.strictEqual(answer.json.details?.["id"], "loja-1")
    }).pipe(Effect.provide(world))
  )

  it.effect("that is no reference is 400, and never the first of a list", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey({ subAccountAccess: true })
      const bad = [
        "",
        "a",
        "A1",
        "Principal",
        "principal, loja",
        "loja,loja",
        "-a",
        "_a",
        "a b",
        "a.b",
        "a/b",
        "á1",
        "a".repeat(33)
      ]
      for (const reference of bad) {
        const answer = yield* shop.call("GET", "/account", on(reference))
        assert.strictEqual(answer.status, 400, reference)
        assert.strictEqual(codeOf(answer), "SUB_ACCOUNT_INVALID_REFERENCE", reference)
      }
    }).pipe(Effect.provide(world))
  )
})
