import { assert, describe, it } from "@effect/vitest"
import { journey, TestPagora } from "@pagora/testkit"
import { Effect } from "effect"
import { isUuid } from "../../src/kernel/Ids.ts"
import { codeOf, random, world, Written } from "../world/ServiceWorld.test-data.ts"

const operator = <const Method extends string, const Path extends string>(
  method: Method,
  path: Path,
  body?: unknown
) =>
  Effect.flatMap(TestPagora, (pagora) =>
    pagora.operator(method, path, body === undefined ? {} : { body })
  )

describe("the operator's accounts", () => {
  it.effect("are made with what was given, and shown without what is nobody's business", () =>
    Effect.gen(function* () {
      const body = {
        name: "Loja Azul",
        document: "11.222.333/0001-81",
        fees: { payment: { fixed: 0.5, percent: 0.99, min: 0.6, max: 10 } },
        policy: { blockCnpjPayers: true },
        limits: { charge: { min: 1, max: 5_000 } }
      }
      const made = yield* operator("POST", "/accounts", body)
      assert.strictEqual(made.status, 201)
      assert.isTrue(isUuid(made.json.id))
      const shown = yield* operator("GET", `/accounts/${made.json.id}`)
      assert.strictEqual(shown.status, 200)
      assert.deepStrictEqual(shown.json, {
        id: made.json.id,
        name: "Loja Azul",
        document: "11222333000181",
        status: "approved",
        fees: body.fees,
        policy: { blockCnpjPayers: true, onUnknownPayer: "accept" },
        limits: body.limits,
        createdAt: "2026-11-21T12:00:00.000Z",
        updatedAt: "2026-11-21T12:00:00.000Z"
      })
      assert.deepStrictEqual(made.json, shown.json)
    }).pipe(Effect.provide(world))
  )

  it.effect.each([
    {},
    { name: "" },
    { name: "n".repeat(256) },
    { name: "x", document: "123" },
    { name: "x", fees: { payment: { percent: 100.01 } } },
    { name: "x", fees: { payment: { percent: -1 } } },
    { name: "x", fees: { payment: { fixed: -1 } } },
    { name: "x", fees: { payment: { fixed: 0.001 } } },
    { name: "x", fees: { payment: { fixed: "1" } } },
    { name: "x", fees: { payment: { min: 5, max: 1 } } },
    { name: "x", limits: { charge: { min: 5, max: 1 } } },
    { name: "x", policy: { blockCnpjPayers: "yes" } },
    { name: "x", policy: { onUnknownPayer: "keep" } },
    { name: "x", limits: { charge: { min: -1 } } }
  ])("%j is refused, and nothing is written", (body) =>
    Effect.gen(function* () {
      const answer = yield* operator("POST", "/accounts", body)
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(codeOf(answer), "VALIDATION_ERROR")
      assert.strictEqual((yield* Written).units.length, 0)
    }).pipe(Effect.provide(world))
  )

  it.effect("that do not exist are 404 on every path below them", () =>
    Effect.gen(function* () {
      for (const id of [random.uuid, "x", "%00"]) {
        for (const [method, path, body] of [
          ["GET", "", undefined],
          ["PATCH", "", {}],
          ["GET", "/balances", undefined],
          ["POST", "/adjustments", { amount: 1, reason: "x" }],
          ["POST", "/credentials", { permissions: ["FULL_ACCESS"] }],
          ["DELETE", `/credentials/${random.otherUuid}`, undefined],
          ["POST", "/webhook-endpoints", { url: "https://example.com/hook" }],
          ["GET", "/webhook-endpoints", undefined],
          ["DELETE", `/webhook-endpoints/${random.otherUuid}`, undefined],
          ["GET", "/deliveries", undefined]
        ] as const) {
          const answer = yield* operator(method, `/accounts/${id}${path}`, body)
          assert.strictEqual(answer.status, 404, `${method} ${path}`)
          assert.strictEqual(answer.json.details?.resource, "account")
        }
      }
      assert.strictEqual((yield* Written).units.length, 0)
    }).pipe(Effect.provide(world))
  )
})

describe("a field that the operator's API does not know", () => {
  it.effect("is refused by its name, at every depth, and nothing is written", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const before = (yield* Written).units.length
      const at = `/accounts/${shop.id}`
      const permissions = ["FULL_ACCESS"]
      const url = "https://example.com/hook"
      for (const [method, path, body, field] of [
        ["POST", "/accounts", { name: "x", colour: "red" }, "colour"],
        ["PATCH", at, { limits: { withdrawal: { dayly: 1 } } }, "limits.withdrawal.dayly"],
        ["PATCH", at, { fees: { payout: {} } }, "fees.payout"],
        ["POST", `${at}/credentials`, { permissions, allowedIPs: ["192.0.2.1"] }, "allowedIPs"],
        ["POST", `${at}/adjustments`, { amount: 1, reason: "x", subaccount: "ana" }, "subaccount"],
        ["POST", `${at}/webhook-endpoints`, { url, event: ["payment_completed"] }, "event"],
        ["GET", `/accounts?state=approved`, undefined, "state"],
        ["GET", `${at}/balances?limt=1`, undefined, "limt"],
        ["GET", `${at}?fields=name`, undefined, "fields"]
      ] as const) {
        const answer = yield* operator(method, path, body)
        assert.strictEqual(answer.status, 400, `${method} ${path}`)
        assert.strictEqual(codeOf(answer), "VALIDATION_ERROR")
        assert.include(String(answer.json["message"]), `${field}: There is no such field here`)
      }
      const misspelt = yield* operator("PATCH", at, { limits: { charge: { dayly: 1 } } })
      assert.strictEqual(
        misspelt.json["message"],
        "limits.charge.dayly: There is no such field here. There is min, max, daily, monthly."
      )
      assert.strictEqual((yield* Written).units.length, before)
    }).pipe(Effect.provide(world))
  )
})

describe("the operator's credentials", () => {
  it.effect("show their secret once, and open what they were issued for", () =>
    Effect.gen(function* () {
      const { api } = yield* TestPagora
      const { shop } = yield* journey()
      const body = { permissions: ["ACCOUNT:READ", "ACCOUNT:READ"], subAccountAccess: true }
      const issued = yield* operator("POST", `/accounts/${shop.id}/credentials`, body)
      assert.strictEqual(issued.status, 201)
      const { clientId, clientSecret, id } = issued.json
      assert.strictEqual(id, clientId)
      assert.deepStrictEqual(issued.json.permissions, ["ACCOUNT:READ"])
      const pair = { client_id: clientId, client_secret: clientSecret }
      const { json } = yield* api("POST", "/auth", { body: pair })
      const headers = { authorization: `Bearer ${json.access_token}` }
      assert.strictEqual((yield* api("GET", "/account", { headers })).status, 200)
      assert.strictEqual((yield* api("GET", "/transactions/x", { headers })).status, 403)
      // 256 bits behind the prefix that secret scanners know.
      assert.match(clientSecret, /^psk_[\w-]{43}$/)
      const stored = JSON.stringify((yield* Written).units, (_, value) =>
        typeof value === "bigint" ? String(value) : value
      )
      assert.notInclude(stored, clientSecret)
    }).pipe(Effect.provide(world))
  )

  it.effect("belong to one account: by another one they can be neither seen nor revoked", () =>
    Effect.gen(function* () {
      const one = yield* journey()
      const two = yield* journey()
      const path = `/accounts/${one.shop.id}/credentials/${two.shop.clientId}` as const
      const answer = yield* operator("DELETE", path)
      assert.strictEqual(answer.status, 404)
      assert.strictEqual(answer.json.details?.resource, "credential")
      assert.strictEqual((yield* two.figures).total, 0)
      for (const id of [random.uuid, "x", one.shop.id]) {
        const nothing = yield* operator("DELETE", `/accounts/${one.shop.id}/credentials/${id}`)
        assert.strictEqual(nothing.status, 404, id)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("that are revoked twice stay revoked", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const path = `/accounts/${shop.id}/credentials/${shop.clientId}` as const
      assert.strictEqual((yield* operator("DELETE", path)).status, 204)
      assert.strictEqual((yield* operator("DELETE", path)).status, 204)
    }).pipe(Effect.provide(world))
  )
})

describe("the operator's webhook endpoints", () => {
  it.effect("show their secret once, and are listed without it", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const path = `/accounts/${shop.id}/webhook-endpoints` as const
      const body = { url: "https://example.com/hook", events: ["payment_completed"] }
      const made = yield* operator("POST", path, body)
      assert.strictEqual(made.status, 201)
      const { secret, ...shown } = made.json
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.deepInclude(shown as object, { ...body, subAccount: null, enabled: true })
      const list = yield* operator("GET", path)
      assert.deepStrictEqual(list.json, { data: [shown] })
      const stored = JSON.stringify((yield* Written).units, (_, value) =>
        typeof value === "bigint" ? String(value) : value
      )
      assert.notInclude(stored, secret)
    }).pipe(Effect.provide(world))
  )

  it.effect("belong to one account, and to no more than ten of a wallet", () =>
    Effect.gen(function* () {
      const one = yield* journey()
      const two = yield* journey()
      const { id } = yield* two.endpoint()
      const path = `/accounts/${one.shop.id}/webhook-endpoints` as const
      assert.strictEqual((yield* operator("DELETE", `${path}/${id}`)).status, 404)
      const bodies = Array.from({ length: 12 }, (_, n) => ({ url: `https://example.com/${n}` }))
      const statuses = yield* Effect.forEach(bodies, (body) =>
        Effect.map(operator("POST", path, body), ({ status }) => status)
      )
      assert.deepStrictEqual(statuses, [...Array.from({ length: 10 }, () => 201), 400, 400])
      const { data } = (yield* operator("GET", path)).json
      assert.strictEqual(data.length, 10)
    }).pipe(Effect.provide(world))
  )

  it.effect.each([
    { url: "nonsense" },
    { url: "ftp://example.com/" },
    { url: "javascript:alert(1)" },
    { url: `https://example.com/${"x".repeat(2_048)}` },
    { url: "https://example.com/", events: [] },
    { url: "https://example.com/", events: ["payment_started"] },
    { url: "https://example.com/", subAccount: "x".repeat(33) },
    {}
  ])("%j is refused, and nothing is written", (body) =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const before = (yield* Written).units.length
      const answer = yield* operator("POST", `/accounts/${shop.id}/webhook-endpoints`, body)
      assert.strictEqual(answer.status, 400)
      assert.strictEqual((yield* Written).units.length, before)
    }).pipe(Effect.provide(world))
  )

  it.effect("and their log take no query that means nothing", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      for (const query of ["status=lost", "event=payment", "cursor=x", "cursor=%00"]) {
        const answer = yield* operator("GET", `/accounts/${shop.id}/deliveries?${query}`)
        assert.strictEqual(answer.status, 400, query)
        assert.strictEqual(codeOf(answer), "VALIDATION_ERROR", query)
      }
    }).pipe(Effect.provide(world))
  )
})

describe("the sandbox's controls", () => {
  it.effect("refuse what makes no sense, and change nothing", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* TestPagora
      const story = yield* journey()
      const charge = yield* story.charge()
      const pay = `/charges/${charge.id}/pay`
      const before = (yield* Written).units.length
      const bad: ReadonlyArray<readonly [method: string, path: string, body: unknown]> = [
        ["POST", pay, { times: 0 }],
        ["POST", pay, { times: 21 }],
        ["POST", pay, { times: 1.5 }],
        ["POST", pay, { amount: 0 }],
        ["POST", pay, { amount: -1 }],
        ["POST", pay, { amount: 0.001 }],
        ["POST", pay, { payerDocument: "12345678900" }],
        ["POST", pay, { payerName: "" }],
        ["POST", "/clock/advance", {}],
        ["POST", "/clock/advance", { seconds: -1 }],
        ["POST", "/clock/advance", { seconds: 315_360_001 }],
        ["POST", "/clock/advance", { seconds: "1" }],
        ["PUT", "/faults", {}],
        ["PUT", "/faults", { faults: [{}] }],
        ["PUT", "/faults", { faults: [{ kind: "explode" }] }],
        ["PUT", "/faults", { faults: [{ kind: "delay", operation: "everything" }] }],
        ["PUT", "/faults", { faults: [{ kind: "delay", probability: 1.5 }] }],
        ["PUT", "/faults", { faults: Array.from({ length: 51 }, () => ({ kind: "delay" })) }]
      ]
      for (const [method, path, body] of bad) {
        const answer = yield* sandbox(method, path, { body })
        assert.strictEqual(answer.status, 400, JSON.stringify(body))
      }
      for (const id of [random.uuid, "x", story.shop.id]) {
        for (const action of ["pay", "expire"]) {
          assert.strictEqual((yield* sandbox("POST", `/charges/${id}/${action}`)).status, 404)
        }
      }
      assert.strictEqual((yield* Written).units.length, before)
    }).pipe(Effect.provide(world))
  )

  it.effect("keep faults as they were set, and count them down", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* TestPagora
      const story = yield* journey()
      const faults = [
        { operation: "createCharge", kind: "dropRequest", times: 2 },
        { kind: "delay", probability: 0, delaySeconds: 0.5 }
      ]
      assert.deepStrictEqual<unknown>((yield* story.faults(...faults)).faults, faults)
      yield* story.shop.call("POST", "/pix", { body: { amount: 1 } })
      const { json } = yield* sandbox("GET", "/faults")
      assert.deepStrictEqual<unknown>(json.faults, [{ ...faults[0], times: 1 }, faults[1]])
    }).pipe(Effect.provide(world))
  )
})
