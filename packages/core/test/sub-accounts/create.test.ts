import { assert, describe, it } from "@effect/vitest"
import type { Tenant } from "@pagora/testkit"
import { expecting, journey, TestPagora } from "@pagora/testkit"
import { Effect } from "effect"
import { Centavos } from "../../src/kernel/Money.ts"
import type { AccountId } from "../../src/kernel/Ids.ts"
import { isUuid } from "../../src/kernel/Ids.ts"
import { ServiceTime } from "../../src/time/ServiceTime.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { Written, codeOf, existing, random, world } from "../world/ServiceWorld.test-data.ts"
import {
  as,
  changeSubAccount,
  openSubAccount,
  patchSubAccount
} from "./SubAccountWorld.test-data.ts"

const post = (shop: Tenant, body: unknown, headers: Record<string, string> = {}) =>
  shop.call("POST", "/sub-accounts", { body, headers })

const list = (shop: Tenant) =>
  Effect.map(Effect.flatMap(shop.call("GET", "/sub-accounts"), expecting(200)), ({ data }) => data)

describe("POST /sub-accounts", () => {
  it.effect("opens one that is approved, with a balance of its own at zero", () =>
    Effect.gen(function* () {
      const story = yield* journey({ subAccountAccess: true })
      const answer = yield* post(story.shop, { reference: "loja-1", name: "  Loja Um ", x: 1 })
      assert.strictEqual(answer.status, 201)
      const { id } = answer.json
      assert.isTrue(isUuid(id))
      assert.deepStrictEqual(answer.json, {
        id,
        reference: "loja-1",
        name: "Loja Um",
        status: "approved",
        createdAt: "2026-11-21T12:00:00.000Z"
      })
      assert.deepStrictEqual(yield* list(story.shop), [answer.json])
      const { json } = yield* as(story, "loja-1").call("GET", "/account")
      for (const figure of ["available", "promotional", "held", "total"] as const)
        assert.strictEqual(json.balance[figure].amount, 0)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  const badReferences = [
    "principal",
    "",
    "a",
    "Loja",
    "-loja",
    "loja 1",
    "á1",
    "a".repeat(33),
    "x\n"
  ]
  it.effect.each(badReferences)("refuses the reference %j", (reference) =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const before = (yield* Written).units.length
      const answer = yield* post(shop, { reference, name: "Loja" })
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(answer.json.error, "BadRequest")
      assert.strictEqual(codeOf(answer), "SUB_ACCOUNT_INVALID_REFERENCE")
      assert.strictEqual((yield* Written).units.length, before)
    }).pipe(Effect.provide(world))
  )

  const invalid: ReadonlyArray<readonly [string, string, unknown]> = [
    ["reference", "absent", { name: "Loja" }],
    ["reference", "null", { reference: null, name: "Loja" }],
    ["reference", "a number", { reference: 12, name: "Loja" }],
    ["name", "absent", { reference: "loja-1" }],
    ["name", "empty", { reference: "loja-1", name: "" }],
    ["name", "nothing but space", { reference: "loja-1", name: "  " }],
    ["name", "too long", { reference: "loja-1", name: "n".repeat(256) }]
  ]
  it.effect.each(invalid)("refuses %s: %s", ([field, , body]) =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const answer = yield* post(shop, body)
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(codeOf(answer), "VALIDATION_ERROR")
      assert.include(String(answer.json.message), `${field}: `)
      assert.deepStrictEqual(yield* list(shop), [])
    }).pipe(Effect.provide(world))
  )

  it.effect("takes names and references to their bounds", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const names = { a1: "n".repeat(255), ["0".repeat(32)]: "😀".repeat(255) }
      for (const [reference, name] of Object.entries(names)) {
        const answer = yield* post(shop, { reference, name })
        assert.strictEqual(answer.status, 201)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("answers 409 for a reference that is used, also by one that is closed", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* openSubAccount(story, "loja-1")
      for (const status of ["suspended", "closed"]) {
        const answer = yield* post(story.shop, { reference: "loja-1", name: "Outra" })
        assert.strictEqual(answer.status, 409)
        assert.deepStrictEqual(answer.json.details, {
          code: "SUB_ACCOUNT_REFERENCE_TAKEN",
          resource: "sub-account",
          field: "reference",
          value: "loja-1"
        })
        yield* changeSubAccount(story, "loja-1", { status })
      }
      assert.strictEqual((yield* post(story.shop, { reference: "loja-1", name: "x" })).status, 409)
    }).pipe(Effect.provide(world))
  )

  it.effect("opens one of many that ask for one reference at once, and all of other ones", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const send = (references: ReadonlyArray<string>) =>
        Effect.forEach(references, (reference) => post(shop, { reference, name: "Loja" }), {
          concurrency: "unbounded"
        })
      const same = yield* send(Array.from({ length: 20 }, () => "loja"))
      const statuses = same.map(({ status }) => status).toSorted()
      assert.deepStrictEqual(statuses, [201, ...Array.from({ length: 19 }, () => 409)])
      const others = yield* send(Array.from({ length: 40 }, (_, n) => `loja-${n}`))
      assert.deepStrictEqual(new Set(others.map(({ status }) => status)), new Set([201]))
      const ids = (yield* list(shop)).map(({ id }) => id)
      assert.strictEqual(new Set(ids).size, 41)
      assert.deepStrictEqual(ids, ids.toSorted())
    }).pipe(Effect.provide(world))
  )

  it.effect("answers a repeat of an Idempotency-Key with the first one, and twins too", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const send = (reference: string) =>
        post(shop, { reference, name: "Loja" }, { "idempotency-key": "key-12345" })
      const twins = yield* Effect.all([send("loja"), send("loja"), send("loja")], {
        concurrency: "unbounded"
      })
      const again = yield* send("loja")
      for (const answer of twins) assert.strictEqual(answer.text, again.text)
      assert.strictEqual(again.status, 201)
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
      assert.strictEqual((yield* send("outra")).status, 422)
      assert.strictEqual((yield* list(shop)).length, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("keeps tenants apart, of whatever reference", () =>
    Effect.gen(function* () {
      const one = yield* journey()
      const other = yield* journey()
      const first = yield* openSubAccount(one, "loja", "Um")
      const second = yield* openSubAccount(other, "loja", "Dois")
      assert.deepStrictEqual(yield* list(one.shop), [first])
      assert.deepStrictEqual(yield* list(other.shop), [second])
      assert.notStrictEqual(first.id, second.id)
    }).pipe(Effect.provide(world))
  )

  it.effect("is refused to an account that is not approved, and past 10,000 of them", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.change({ status: "suspended" })
      const suspended = yield* post(story.shop, { reference: "loja", name: "Loja" })
      assert.strictEqual(suspended.status, 403)
      assert.strictEqual(codeOf(suspended), "ACCOUNT_NOT_ACTIVE")
      yield* story.change({ status: "approved" })
      // So many more as if they had been opened.
      yield* (yield* Storage).commit({
        at: yield* (yield* ServiceTime).now,
        counters: [{ key: `sub_accounts/${story.shop.id}`, add: Centavos.make(9_999n) }]
      })
      yield* openSubAccount(story, "ultima")
      const full = yield* post(story.shop, { reference: "loja", name: "Loja" })
      assert.strictEqual(full.status, 400)
      assert.strictEqual(codeOf(full), "TOO_MANY_SUB_ACCOUNTS")
    }).pipe(Effect.provide(world))
  )
})

describe("the /sub-accounts endpoints", () => {
  it.effect.each([
    ["POST", "SUBACCOUNT:READ", "SUBACCOUNT:WRITE"],
    ["GET", "SUBACCOUNT:WRITE", "SUBACCOUNT:READ"]
  ] as const)("%s with only %s needs %s", ([method, has, needs]) =>
    Effect.gen(function* () {
      const { tenant } = yield* TestPagora
      const body = method === "POST" ? { body: { reference: "loja", name: "Loja" } } : {}
      const path = "/sub-accounts"
      const poor = yield* (yield* tenant({ permissions: [has] })).call(method, path, body)
      assert.strictEqual(poor.status, 403)
      assert.strictEqual(codeOf(poor), "PERMISSION_DENIED")
      assert.strictEqual(poor.json.details?.["permission"], needs)
      const rich = yield* (yield* tenant({ permissions: [needs] })).call(method, path, body)
      assert.strictEqual(rich.status, method === "POST" ? 201 : 200)
    }).pipe(Effect.provide(world))
  )

  it.effect.each(["loja-1", "principal", "unknown-1", "NO REFERENCE", "loja-1, loja-2"])(
    "act on the main account whatever X-Sub-Account says: %s",
    (header) =>
      Effect.gen(function* () {
        const story = yield* journey({ subAccountAccess: false })
        yield* openSubAccount(story, "loja-1")
        yield* changeSubAccount(story, "loja-1", { status: "suspended" })
        const headers = { "x-sub-account": header }
        const made = yield* post(story.shop, { reference: "loja-2", name: "Dois" }, headers)
        assert.strictEqual(made.status, 201)
        const listed = yield* story.shop.call("GET", "/sub-accounts", { headers })
        assert.strictEqual(listed.status, 200)
        assert.deepStrictEqual(
          listed.json.data.map(({ reference }) => reference),
          ["loja-1", "loja-2"]
        )
      }).pipe(Effect.provide(world))
  )

  it.effect("are the only ones: every other endpoint takes X-Sub-Account for what it says", () =>
    Effect.gen(function* () {
      const story = yield* journey({ subAccountAccess: true })
      for (const [method, path] of [
        ["POST", "/pix"],
        ["GET", `/transactions/${random.uuid}`],
        ["GET", "/account"],
        ["POST", "/projects"],
        ["GET", "/projects"]
      ] as const) {
        const body = method === "POST" ? { amount: 1, name: "x" } : undefined
        const unknown = yield* as(story, "unknown-1").call(method, path, body)
        assert.strictEqual(unknown.status, 404)
        assert.strictEqual(codeOf(unknown), "SUB_ACCOUNT_NOT_FOUND")
        const malformed = yield* as(story, "LOJA, loja").call(method, path, body)
        assert.strictEqual(malformed.status, 400)
        assert.strictEqual(codeOf(malformed), "SUB_ACCOUNT_INVALID_REFERENCE")
      }
    }).pipe(Effect.provide(world))
  )
})

describe("projects of a sub-account", () => {
  it.effect("are its own: of the same names, and of no use to others", () =>
    Effect.gen(function* () {
      const story = yield* journey({ subAccountAccess: true })
      const references = ["loja-1", "loja-2", "principal"]
      yield* openSubAccount(story, "loja-1")
      yield* openSubAccount(story, "loja-2")
      const projects = yield* Effect.forEach(references, (reference) =>
        Effect.flatMap(
          as(story, reference).call("POST", "/projects", { name: "Um" }),
          expecting(201)
        )
      )
      for (const [owner, reference] of references.entries()) {
        const shop = as(story, reference)
        const listed = yield* shop.call("GET", "/projects")
        assert.deepStrictEqual(listed.json.items, [existing(projects[owner])])
        for (const [other, project] of projects.entries()) {
          const body = { amount: 1, projectId: project.id }
          const charge = yield* shop.call("POST", "/pix", body)
          assert.strictEqual(charge.status, other === owner ? 201 : 404)
          if (other !== owner) assert.strictEqual(codeOf(charge), "PROJECT_NOT_FOUND")
        }
      }
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("the operator's sub-accounts", () => {
  it.effect(
    "are listed in pages of at most a hundred, newest first, with what is settled with them",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        const { operator } = yield* TestPagora
        yield* Effect.forEach(
          Array.from({ length: 101 }, (_, n) => `loja-${n}`),
          (reference) => openSubAccount(story, reference)
        )
        yield* changeSubAccount(story, "loja-0", { fees: { payment: { percent: 1.5 } } })
        const page = (query = "") =>
          Effect.flatMap(
            operator("GET", `/accounts/${story.shop.id}/sub-accounts?limit=100${query}`),
            expecting(200)
          )
        const first = yield* page()
        assert.strictEqual(first.data.length, 100)
        assert.strictEqual(first.data[0]?.reference, "loja-100")
        const second = yield* page(`&cursor=${String(first.nextCursor)}`)
        assert.deepStrictEqual(
          second.data.map(({ reference }) => reference),
          ["loja-0"]
        )
        assert.deepStrictEqual(second.data[0]?.fees, {
          payment: { percent: 1.5 }
        })
        assert.strictEqual(second.nextCursor, null)
        const bad = yield* operator("GET", `/accounts/${story.shop.id}/sub-accounts?cursor=x`)
        assert.strictEqual(bad.status, 400)
      }).pipe(Effect.provide(world))
  )

  it.effect("that are not there cannot be changed", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const other = yield* journey()
      yield* openSubAccount(other, "loja")
      for (const reference of ["loja", "principal", "NONE", "%00a"]) {
        const answer = yield* patchSubAccount(story, reference, { status: "suspended" })
        assert.strictEqual(answer.status, 404, reference)
        assert.strictEqual(answer.json.details?.resource, "sub-account")
      }
      const nobody = { shop: { ...story.shop, id: random.uuid as AccountId } }
      assert.strictEqual((yield* patchSubAccount(nobody, "loja", {})).status, 404)
    }).pipe(Effect.provide(world))
  )

  it.effect("take no other status and no other form of fees", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* openSubAccount(story, "loja")
      for (const body of [
        { status: "pending" },
        { status: null },
        { fees: { payment: { fixed: -1 } } },
        { fees: { payment: { percent: 101 } } }
      ]) {
        const answer = yield* patchSubAccount(story, "loja", body)
        assert.strictEqual(answer.status, 400, JSON.stringify(body))
        assert.strictEqual(codeOf(answer), "VALIDATION_ERROR")
      }
    }).pipe(Effect.provide(world))
  )
})
