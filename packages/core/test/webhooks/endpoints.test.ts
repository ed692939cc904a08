import { assert, describe, it } from "@effect/vitest"
import type { Answer, Journey, ReceivedEvent, Tenant, WithId } from "@pagora/testkit"
import { hookUrl, journey, RecordingTransport, TestPagora } from "@pagora/testkit"
import { DateTime, Effect } from "effect"
import { createHmac } from "node:crypto"
import type { UnitId, WriteId } from "../../src/kernel/Ids.ts"
import type { Centavos } from "../../src/kernel/Money.ts"
import * as MergedUnit from "../../src/units/MergedUnit.ts"
import { StorageDriver } from "../../src/ports/StorageDriver.ts"
import { codeOf, noon, random, world, Written } from "../world/ServiceWorld.test-data.ts"

const root = "/webhook-endpoints"
const path = <const Rest extends string = "">(endpoint: WithId, rest?: Rest) =>
  `${root}/${endpoint.id}${rest ?? ""}` as `/webhook-endpoints/${string}${Rest}`

const make = (shop: Tenant, body: unknown = { url: hookUrl }, headers = {}) =>
  shop.call("POST", root, { body, headers })

const made = (shop: Tenant, body?: unknown, headers = {}) =>
  Effect.map(make(shop, body, headers), (answer) => {
    assert.strictEqual(answer.status, 201, answer.text)
    return answer.json
  })

const dataOf = <Row>({ json }: Answer<{ readonly data: ReadonlyArray<Row> }>) => json.data

const happens = (story: Journey) =>
  Effect.gen(function* () {
    yield* story.expire(yield* story.charge())
    yield* story.drain
  })

const mac = (secret: unknown, body: string) =>
  `sha256=${createHmac("sha256", String(secret)).update(body).digest("hex")}`

/** Nobody but its owner learns a secret: it stands nowhere in what is stored. */
const assertUnwritten = (...secrets: ReadonlyArray<unknown>) =>
  Effect.map(Written, ({ units }) => {
    const all = JSON.stringify(units, (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value
    )
    for (const secret of secrets) assert.notInclude(all, String(secret))
  })

describe("a tenant's webhook endpoints", () => {
  it.effect(
    "are made, changed and given secrets whatever else a body says, as of all of a tenant's",
    () =>
      Effect.gen(function* () {
        const { shop } = yield* journey()
        const endpoint = yield* made(shop, { url: hookUrl, description: "ERP" })
        const changed = yield* shop.call("PATCH", path(endpoint), {
          body: { enabled: true, description: "ERP", secret: null }
        })
        assert.strictEqual(changed.status, 200, changed.text)
        assert.deepInclude(changed.json, { enabled: true, url: hookUrl })
        assert.notProperty(changed.json, "description")
        const rotated = yield* shop.call("POST", path(endpoint, "/rotate-secret"), {
          body: { graceSeconds: 60, why: "It leaked." }
        })
        assert.strictEqual(rotated.status, 201, rotated.text)
        const recovered = yield* shop.call("POST", path(endpoint, "/recover"), {
          body: { since: "2026-11-21T11:00:00.000Z", until: "2026-11-21T12:00:00.000Z" }
        })
        assert.strictEqual(recovered.status, 201, recovered.text)
      }).pipe(Effect.provide(world))
  )

  it.effect("are made, read, listed, changed and removed", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const { shop } = story
      const body = { url: hookUrl, events: ["payment_expired"] }
      const { secret, ...endpoint } = yield* made(shop, body)
      assert.match(secret, /^whsec_/)
      assert.deepStrictEqual(endpoint as unknown, {
        id: endpoint.id,
        url: hookUrl,
        subAccount: null,
        events: ["payment_expired"],
        enabled: true,
        createdAt: "2026-11-21T12:00:00.000Z"
      })
      assert.deepStrictEqual(dataOf(yield* shop.call("GET", root)) as unknown, [endpoint])
      assert.deepStrictEqual((yield* shop.call("GET", path(endpoint))).json, endpoint)
      yield* happens(story)
      const [request] = yield* story.received()
      assert.strictEqual(request?.headers["X-Service-Signature"], mac(secret, request?.body ?? ""))

      const url = "https://other.example.com/hook"
      const change = { url, events: ["payment_completed"] }
      const changed = yield* shop.call("PATCH", path(endpoint), { body: change })
      assert.strictEqual(changed.status, 200)
      assert.deepStrictEqual(changed.json, { ...endpoint, ...change })
      yield* happens(story)
      assert.strictEqual((yield* story.received(url)).length, 0)
      yield* story.pay(yield* story.charge())
      yield* story.drain
      assert.strictEqual((yield* story.received(url)).length, 1)

      assert.strictEqual((yield* shop.call("DELETE", path(endpoint))).status, 204)
      assert.strictEqual((yield* shop.call("GET", path(endpoint))).status, 404)
      assert.deepStrictEqual(dataOf(yield* shop.call("GET", root)), [])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  const refused: ReadonlyArray<readonly [string, unknown, string]> = [
    ["no url", {}, "VALIDATION_ERROR"],
    ["a url of another kind", { url: "ftp://shop.example.com/" }, "URL_REFUSED"],
    ["no events", { url: hookUrl, events: [] }, "VALIDATION_ERROR"],
    ["an unknown event", { url: hookUrl, events: ["webhook_test"] }, "VALIDATION_ERROR"]
  ]
  it.effect.each(refused)("refuses %s", ([, body, code]) =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const answer = yield* make(shop, body)
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(codeOf(answer), code)
    }).pipe(Effect.provide(world))
  )

  it.effect("are ten at most", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      yield* Effect.replicateEffect(made(shop), 10)
      assert.strictEqual(codeOf(yield* make(shop)), "TOO_MANY_ENDPOINTS")
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "are ten thousand at most in one account, and one that was removed counts no more",
    () =>
      Effect.gen(function* () {
        const { shop } = yield* journey()
        const { write } = yield* StorageDriver
        const first = yield* made(shop)
        const unit = {
          id: random.uuid as UnitId,
          at: DateTime.makeUnsafe(noon),
          counters: [{ key: `webhook_endpoints/${shop.id}`, add: 9_999n as Centavos }]
        }
        assert.isNull(
          yield* Effect.orDie(write(MergedUnit.merge([unit], random.otherUuid as WriteId)))
        )
        const refused = yield* make(shop)
        assert.strictEqual(codeOf(refused), "TOO_MANY_ENDPOINTS")
        assert.include(refused.text, "An account has at most 10000 webhook endpoints.")
        yield* shop.call("DELETE", path(first))
        yield* made(shop)
      }).pipe(Effect.provide(world))
  )

  it.effect("are another tenant's like ones that do not exist, by every path", () =>
    Effect.gen(function* () {
      const mine = yield* made((yield* journey()).shop)
      const { shop } = yield* journey()
      const none = { id: random.uuid }
      const calls: ReadonlyArray<readonly [string, string, unknown?]> = [
        ["GET", ""],
        ["PATCH", "", { enabled: false }],
        ["DELETE", ""],
        ["POST", "/rotate-secret", {}],
        ["POST", "/test"],
        ["POST", "/recover", { since: "2026-11-21" }],
        ["GET", "/deliveries"],
        ["POST", `/deliveries/${random.uuid}/resend`]
      ]
      for (const [method, rest, body] of calls) {
        const options = body === undefined ? {} : { body }
        const theirs = yield* shop.call(method, path(mine, rest), options)
        const unknown = yield* shop.call(method, path(none, rest), options)
        assert.strictEqual(theirs.status, 404, `${method} ${rest}`)
        const bare = ({ text }: Answer<unknown>, id: unknown) =>
          text.replaceAll(String(id), "…").replace(/"traceId":"[^"]+"/, "")
        assert.strictEqual(bare(theirs, mine.id), bare(unknown, random.uuid))
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("need WEBHOOK:READ to read and WEBHOOK:WRITE to write", () =>
    Effect.gen(function* () {
      const { shop: reader } = yield* journey({ permissions: ["WEBHOOK:READ"] })
      const { shop: writer } = yield* journey({ permissions: ["WEBHOOK:WRITE"] })
      const denied = yield* make(reader)
      assert.strictEqual(denied.status, 403)
      assert.strictEqual(codeOf(denied), "PERMISSION_DENIED")
      assert.strictEqual((yield* reader.call("GET", root)).status, 200)
      const endpoint = yield* made(writer)
      assert.strictEqual((yield* writer.call("GET", path(endpoint))).status, 403)
      assert.strictEqual((yield* writer.call("DELETE", path(endpoint))).status, 204)
    }).pipe(Effect.provide(world))
  )

  it.effect("of a sub-account are its own", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey({ subAccountAccess: true })
      const reference = "loja-2"
      yield* shop.call("POST", "/sub-accounts", { body: { reference, name: "Loja 2" } })
      const headers = { "x-sub-account": reference }
      const endpoint = yield* made(shop, undefined, headers)
      assert.strictEqual(endpoint.subAccount, reference)
      assert.strictEqual(dataOf(yield* shop.call("GET", root, { headers })).length, 1)
      assert.deepStrictEqual(dataOf(yield* shop.call("GET", root)), [])
      assert.strictEqual((yield* shop.call("GET", path(endpoint))).status, 404)
      assert.strictEqual((yield* shop.call("DELETE", path(endpoint), { headers })).status, 204)
    }).pipe(Effect.provide(world))
  )

  it.effect("made again with one key are one, with the same secret, stored sealed", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const headers = { "idempotency-key": "endpoint-0001" }
      const first = yield* make(shop, undefined, headers)
      const again = yield* make(shop, undefined, headers)
      assert.strictEqual(again.status, 201)
      assert.strictEqual(again.text, first.text)
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
      assert.strictEqual(dataOf(yield* shop.call("GET", root)).length, 1)
      yield* assertUnwritten(first.json.secret)
    }).pipe(Effect.provide(world))
  )
})

describe("a secret that is rotated", () => {
  const rotate = (shop: Tenant, endpoint: WithId, body: unknown = {}, headers = {}) =>
    shop.call("POST", path(endpoint, "/rotate-secret"), { body, headers })

  it.effect("signs beside the former one for a day, and then alone", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const endpoint = yield* made(story.shop)
      const answer = yield* rotate(story.shop, endpoint)
      assert.strictEqual(answer.status, 201)
      assert.strictEqual(answer.json.previousSecretUntil, "2026-11-22T12:00:00.000Z")
      const [former, secret] = [endpoint.secret, answer.json.secret]
      assert.notStrictEqual(former, secret)
      yield* happens(story)
      const [during] = yield* story.received()
      assert.strictEqual(during?.headers["X-Service-Signature"], mac(secret, during?.body ?? ""))
      assert.strictEqual(
        during?.headers["X-Service-Signature-Previous"],
        mac(former, during?.body ?? "")
      )
      assert.strictEqual(during?.headers["webhook-signature"]?.split(" ").length, 2)
      yield* story.advance("25 hours")
      yield* happens(story)
      const after = (yield* story.received()).at(-1)
      assert.strictEqual(after?.headers["X-Service-Signature"], mac(secret, after?.body ?? ""))
      assert.notProperty(after?.headers, "X-Service-Signature-Previous")
      assert.strictEqual(after?.headers["webhook-signature"]?.split(" ").length, 1)
      assert.notProperty((yield* story.shop.call("GET", path(endpoint))).json, "secret")
    }).pipe(Effect.provide(world))
  )

  it.effect("ends the former one at once with a grace of zero, and is the same for one key", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const endpoint = yield* made(story.shop)
      const headers = { "idempotency-key": "rotation-0001" }
      const first = yield* rotate(story.shop, endpoint, { graceSeconds: 0 }, headers)
      const again = yield* rotate(story.shop, endpoint, { graceSeconds: 0 }, headers)
      assert.strictEqual(again.text, first.text)
      assert.notProperty(first.json, "previousSecretUntil")
      yield* happens(story)
      const [request] = yield* story.received()
      assert.notProperty(request?.headers, "X-Service-Signature-Previous")
      const expected = mac(first.json.secret, request?.body ?? "")
      assert.strictEqual(request?.headers["X-Service-Signature"], expected)
      for (const graceSeconds of [-1, 1.5, 604_801, "60"]) {
        assert.strictEqual((yield* rotate(story.shop, endpoint, { graceSeconds })).status, 400)
      }
      yield* assertUnwritten(endpoint.secret, first.json.secret)
    }).pipe(Effect.provide(world))
  )
})

describe("a test event", () => {
  it.effect("says that it is one, goes to its endpoint alone, and is logged", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const { shop } = story
      yield* made(shop, { url: "https://other.example.com/hook" })
      const endpoint = yield* made(shop, { url: hookUrl, events: ["refund_completed"] })
      const answer = yield* shop.call("POST", path(endpoint, "/test"))
      assert.strictEqual(answer.status, 201)
      assert.strictEqual(answer.json.status, "queued")
      yield* story.drain
      const [request, ...more] = yield* story.received()
      assert.deepStrictEqual(more, [])
      assert.strictEqual(request?.url, hookUrl)
      assert.strictEqual(request?.headers["X-Service-Event"], "webhook_test")
      assert.strictEqual(request?.headers["X-Service-Webhook-ID"], answer.json.id)
      const event = JSON.parse(request?.body ?? "") as ReceivedEvent
      assert.match(event.eventId, /^webhook_test_[0-9a-f-]{36}$/)
      assert.deepStrictEqual(event as unknown, {
        event: "webhook_test",
        eventId: event.eventId,
        timestamp: new Date(noon).toISOString(),
        subAccount: null,
        data: {
          endpointId: endpoint.id,
          message: "This is a test. Nothing happened, and no money moved."
        }
      })
      const [delivery] = dataOf(yield* shop.call("GET", path(endpoint, "/deliveries")))
      assert.strictEqual(delivery?.status, "delivered")
    }).pipe(Effect.provide(world))
  )

  it.effect("is sent once for one key, and not where nothing is sent", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const endpoint = yield* made(story.shop)
      const options = { headers: { "idempotency-key": "test-event-1" } }
      const first = yield* story.shop.call("POST", path(endpoint, "/test"), options)
      const again = yield* story.shop.call("POST", path(endpoint, "/test"), options)
      assert.strictEqual(again.text, first.text)
      yield* story.drain
      assert.strictEqual((yield* story.received()).length, 1)
      yield* story.shop.call("PATCH", path(endpoint), { body: { enabled: false } })
      const refusal = yield* story.shop.call("POST", path(endpoint, "/test"))
      assert.strictEqual(refusal.status, 409)
      assert.strictEqual(codeOf(refusal), "ENDPOINT_GONE")
    }).pipe(Effect.provide(world))
  )
})

describe("a tenant's deliveries", () => {
  it.effect("are those of the endpoint, and can be resent once for one key", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const { shop } = story
      const endpoint = yield* made(shop)
      const other = yield* made(shop, { url: "https://other.example.com/hook" })
      yield* happens(story)
      const page = yield* shop.call("GET", path(endpoint, "/deliveries?status=delivered"))
      const [delivery, ...more] = dataOf(page)
      assert.deepStrictEqual(more, [])
      assert.isNull(page.json.nextCursor)
      const resend = (at: WithId) =>
        shop.call("POST", path(at, `/deliveries/${String(delivery?.id)}/resend`), {
          headers: { "idempotency-key": "resend-0001" }
        })
      assert.strictEqual((yield* resend(other)).status, 404)
      const first = yield* resend(endpoint)
      assert.strictEqual(first.status, 201)
      assert.strictEqual((yield* resend(endpoint)).text, first.text)
      yield* story.drain
      assert.strictEqual((yield* story.received(hookUrl)).length, 2)
    }).pipe(Effect.provide(world))
  )

  it.effect("that were given up are recovered on request, once for one key", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const endpoint = yield* made(story.shop)
      const { answerBy } = yield* RecordingTransport
      yield* answerBy(() => RecordingTransport.answered(500))
      yield* happens(story)
      yield* Effect.replicateEffect(story.advance("30 seconds"), 5)
      yield* answerBy(() => RecordingTransport.answered(200))
      const options = {
        body: { since: "2026-11-21" },
        headers: { "idempotency-key": "recover-01" }
      }
      const first = yield* story.shop.call("POST", path(endpoint, "/recover"), options)
      assert.strictEqual(first.status, 201)
      yield* story.drain
      const again = yield* story.shop.call("POST", path(endpoint, "/recover"), options)
      assert.strictEqual(again.text, first.text)
      yield* story.drain
      assert.strictEqual((yield* story.received()).length, 6)
      const bad = { body: { since: "yesterday" } }
      assert.strictEqual(
        (yield* story.shop.call("POST", path(endpoint, "/recover"), bad)).status,
        400
      )
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("the operator's endpoints of an account", () => {
  it.effect("are changed, tested and given new secrets; another account's are not found", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const neighbour = yield* journey()
      const { operator } = yield* TestPagora
      const endpoint = yield* story.endpoint()
      const at = <const Rest extends string>(shop: Tenant, rest: Rest) =>
        `/accounts/${shop.id}/webhook-endpoints/${endpoint.id}${rest}` as const
      const body = { url: "https://other.example.com/hook" }
      const changed = yield* operator("PATCH", at(story.shop, ""), { body })
      assert.strictEqual(changed.json.url, body.url)
      assert.strictEqual((yield* operator("POST", at(story.shop, "/test"))).status, 201)
      const rotated = yield* operator("POST", at(story.shop, "/rotate-secret"))
      assert.strictEqual(rotated.status, 201)
      assert.match(rotated.json.secret, /^whsec_/)
      yield* story.drain
      assert.strictEqual((yield* story.received(body.url)).length, 1)
      const { shop } = neighbour
      assert.strictEqual((yield* operator("PATCH", at(shop, ""), { body })).status, 404)
      assert.strictEqual((yield* operator("POST", at(shop, "/test"))).status, 404)
      assert.strictEqual((yield* operator("POST", at(shop, "/rotate-secret"))).status, 404)
    }).pipe(Effect.provide(world))
  )
})
