import { assert, describe, it } from "@effect/vitest"
import type { Answer, Tenant } from "@pagora/testkit"
import { TestPagora } from "@pagora/testkit"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { random, utf8, world, Written } from "../world/ServiceWorld.test-data.ts"

const authWith = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(TestPagora, (pagora) => pagora.api("POST", "/auth", { body, headers }))

const keysOf = (answer: Answer<unknown>) => Object.keys(answer.json).toSorted()

const pairOf = ({ clientId, clientSecret }: Tenant) => ({
  client_id: clientId,
  client_secret: clientSecret
})

const claimsOf = (token: string): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString())

describe("POST /auth", () => {
  it.effect("answers 200 with a Bearer token for 300 seconds and nothing else", () =>
    Effect.gen(function* () {
      const shop = yield* (yield* TestPagora).tenant()
      const answer = yield* authWith(pairOf(shop))
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(keysOf(answer), ["access_token", "expires_in", "token_type"])
      assert.strictEqual(answer.json.token_type, "Bearer")
      assert.strictEqual(answer.json.expires_in, 300)
      assert.strictEqual(answer.headers.get("content-type"), "application/json")
      assert.strictEqual(answer.headers.get("cache-control"), "no-store")
      const claims = claimsOf(answer.json.access_token)
      assert.strictEqual(claims["sub"], shop.clientId)
      assert.strictEqual(Number(claims["exp"]) - Number(claims["iat"]), 300)
      assert.notInclude(answer.text, shop.clientSecret)
    }).pipe(Effect.provide(world))
  )

  it.effect("gives a token that is good for 299,999 ms and not for 300,000", () =>
    Effect.gen(function* () {
      const { api, tenant } = yield* TestPagora
      const { json } = yield* authWith(pairOf(yield* tenant()))
      const headers = { authorization: `Bearer ${json.access_token}` }
      yield* TestClock.adjust(299_999)
      assert.strictEqual((yield* api("GET", "/account", { headers })).status, 200)
      yield* TestClock.adjust(1)
      const late = yield* api("GET", "/account", { headers })
      assert.strictEqual(late.status, 401)
      assert.strictEqual(late.json.details?.code, "TOKEN_EXPIRED")
    }).pipe(Effect.provide(world))
  )

  it.effect("counts the lifetime by business time", () =>
    Effect.gen(function* () {
      const { api, sandbox, tenant } = yield* TestPagora
      yield* TestClock.adjust(999)
      const { json } = yield* authWith(pairOf(yield* tenant()))
      const headers = { authorization: `Bearer ${json.access_token}` }
      yield* sandbox("POST", "/clock/advance", { body: { seconds: 299 } })
      assert.strictEqual((yield* api("GET", "/account", { headers })).status, 200)
      yield* sandbox("POST", "/clock/advance", { body: { seconds: 1 } })
      assert.strictEqual((yield* api("GET", "/account", { headers })).status, 401)
    }).pipe(Effect.provide(world))
  )

  it.effect("never gives the same token twice", () =>
    Effect.gen(function* () {
      const pair = pairOf(yield* (yield* TestPagora).tenant())
      const answers = yield* Effect.replicateEffect(authWith(pair), 5)
      assert.strictEqual(new Set(answers.map(({ text }) => text)).size, 5)
    }).pipe(Effect.provide(world))
  )
})

const incomplete: ReadonlyArray<readonly [name: string, body: unknown]> = [
  ["no body", undefined],
  ["an empty object", {}],
  ["no client_id", { client_secret: "s" }],
  ["no client_secret", { client_id: "c" }],
  ["an empty client_id", { client_id: "", client_secret: "s" }],
  ["an empty client_secret", { client_id: "c", client_secret: "" }],
  ["a number as client_id", { client_id: 1, client_secret: "s" }],
  ["null as client_secret", { client_id: "c", client_secret: null }],
  ["lists", { client_id: ["c"], client_secret: ["s"] }],
  ["a list as body", "[]"],
  ["a text as body", '"client_id"'],
  ["null as body", "null"],
  ["broken JSON", '{"client_id":'],
  ["a client_id twice", '{"client_id":"a","client_id":"b","client_secret":"s"}'],
  ["a NUL in client_id", '{"client_id":"a\\u0000","client_secret":"s"}'],
  ["half a surrogate pair", '{"client_id":"\\ud800","client_secret":"s"}'],
  ["a byte order mark", '\ufeff{"client_id":"a","client_secret":"s"}'],
  ["100,000 levels", "[".repeat(30_000) + "]".repeat(30_000)],
  ["malformed UTF-8", new Uint8Array([0x7b, 0xff, 0x7d])]
]

describe("POST /auth refuses with two fields only", () => {
  it.effect.each(incomplete)("400 for %s", ([_, body]) =>
    Effect.gen(function* () {
      const answer = yield* authWith(body, { "content-type": "application/json" })
      assert.strictEqual(answer.status, 400)
      assert.deepStrictEqual(keysOf(answer), ["error", "message"])
      assert.strictEqual(answer.json.error, "Bad Request")
      assert.isAbove(String(answer.json.message).length, 10)
      assert.strictEqual((yield* Written).units.length, 0)
    }).pipe(Effect.provide(world))
  )

  it.effect("401, the same bytes for an unknown client, a wrong secret and a revoked one", () =>
    Effect.gen(function* () {
      const { operator, tenant } = yield* TestPagora
      const shop = yield* tenant()
      const revoked = yield* tenant()
      yield* operator("DELETE", `/accounts/${revoked.id}/credentials/${revoked.clientId}`)
      const { clientId, clientSecret } = shop
      const attempts = [
        { client_id: random.uuid, client_secret: clientSecret },
        { client_id: "nobody", client_secret: clientSecret },
        { client_id: clientId.toUpperCase(), client_secret: clientSecret },
        { client_id: shop.id, client_secret: clientSecret },
        { client_id: clientId, client_secret: "psk_wrong" },
        { client_id: clientId, client_secret: `${clientSecret} ` },
        { client_id: clientId, client_secret: clientSecret.slice(0, -1) },
        { client_id: clientId, client_secret: revoked.clientSecret },
        pairOf(revoked)
      ]
      const answers = yield* Effect.forEach(attempts, (body) => authWith(body))
      for (const answer of answers) {
        assert.strictEqual(answer.status, 401)
        assert.deepStrictEqual(keysOf(answer), ["error", "message"])
        assert.strictEqual(answer.json.error, "Unauthorized")
        assert.strictEqual(answer.text, answers[0]?.text)
        assert.deepStrictEqual([...answer.headers], [...(answers[0]?.headers ?? [])])
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("413 for more than 64 KiB and 415 for what is not JSON", () =>
    Effect.gen(function* () {
      const large = yield* authWith({ client_id: "c", client_secret: "s".repeat(65_536) })
      assert.strictEqual(large.status, 413)
      assert.deepStrictEqual(keysOf(large), ["error", "message"])
      const form = yield* authWith("client_id=c&client_secret=s", {
        "content-type": "application/x-www-form-urlencoded"
      })
      assert.strictEqual(form.status, 415)
      assert.deepStrictEqual(keysOf(form), ["error", "message"])
    }).pipe(Effect.provide(world))
  )

  it.effect("keeps the secret out of every refusal", () =>
    Effect.gen(function* () {
      const shop = yield* (yield* TestPagora).tenant()
      const { clientSecret } = shop
      const bodies = [
        { client_id: "nobody", client_secret: clientSecret },
        `{"client_secret":"${clientSecret}"`,
        `{"client_secret":"${clientSecret}","client_secret":"x"}`,
        utf8(`{"client_id":1,"client_secret":"${clientSecret}"}`)
      ]
      for (const body of bodies) {
        const answer = yield* authWith(body)
        assert.notInclude(answer.text, clientSecret)
        assert.isAtLeast(answer.status, 400)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("takes a body without a content type, and ignores what it does not know", () =>
    Effect.gen(function* () {
      const shop = yield* (yield* TestPagora).tenant()
      const body = JSON.stringify({ ...pairOf(shop), scope: "all", grant_type: { a: [1] } })
      assert.strictEqual((yield* authWith(utf8(body))).status, 200)
    }).pipe(Effect.provide(world))
  )

  it.effect("is not stopped by an Authorization or X-Sub-Account header", () =>
    Effect.gen(function* () {
      const shop = yield* (yield* TestPagora).tenant()
      const answer = yield* authWith(pairOf(shop), {
        authorization: "Bearer nonsense",
        "x-sub-account": "NOT A REFERENCE"
      })
      assert.strictEqual(answer.status, 200)
    }).pipe(Effect.provide(world))
  )
})
