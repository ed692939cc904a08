import { assert, describe, it } from "@effect/vitest"
import type { Answer, Tenant } from "@pagora/testkit"
import { journey, TestPagora, testPspCredential } from "@pagora/testkit"
import { Context, Effect, Layer, Result } from "effect"
import type { TenantAnswers } from "../../src/app/RouteAnswers.ts"
import { TestClock } from "effect/testing"
import { Centavos } from "../../src/kernel/Money.ts"
import type { WalletId } from "../../src/kernel/Ids.ts"
import { isUuid } from "../../src/kernel/Ids.ts"
import { ServiceTime } from "../../src/time/ServiceTime.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { Accounts } from "../../src/accounts/Accounts.ts"
import type { Versioned } from "../../src/units/Kind.ts"
import { sortFields } from "../../src/projects/ProjectQuery.ts"
import { beginOnlyProject, Projects } from "../../src/projects/Projects.ts"
import { Written, codeOf, existing, random, world } from "../world/ServiceWorld.test-data.ts"

const make = (shop: Tenant, body: unknown, headers: Record<string, string> = {}) =>
  shop.call("POST", "/projects", { body, headers })

const named = (shop: Tenant, ...names: ReadonlyArray<string>) =>
  Effect.forEach(names, (name) => Effect.map(make(shop, { name }), ({ json }) => json))

/** The project of a wallet that has exactly one. */
const only = (wallet: WalletId) =>
  Effect.flatMap(Storage, (storage) => Effect.flatten(beginOnlyProject(storage, wallet)))

const list = (shop: Tenant, query = "") =>
  Effect.map(shop.call("GET", `/projects${query}`), ({ json, status }) => {
    assert.strictEqual(status, 200)
    return json
  })

const namesOf = ({ items }: TenantAnswers["GET /projects"]) => items.map(({ name }) => name)

const statuses = (answers: ReadonlyArray<Answer<unknown>>) =>
  answers.map(({ status }) => status).toSorted()

describe("POST /projects", () => {
  it.effect("needs a name only, and answers 201", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const { json, status } = yield* make(shop, { name: "  Loja Azul\t" })
      assert.strictEqual(status, 201)
      assert.isTrue(isUuid(json.id))
      assert.deepStrictEqual(json as unknown, {
        id: json.id,
        name: "Loja Azul",
        createdAt: "2026-11-21T12:00:00.000Z"
      })
    }).pipe(Effect.provide(world))
  )

  it.effect("takes every field to its bounds and shows them in the list", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const body = {
        name: "é".repeat(255),
        color: "#1A2b3C",
        description: "d".repeat(1_000),
        logoUrl: `https://cdn.example.com/${"l".repeat(2_024)}`,
        unknown: true
      }
      assert.strictEqual(body.logoUrl.length, 2_048)
      const { json, status } = yield* make(shop, body)
      assert.strictEqual(status, 201)
      const { unknown: _, ...kept } = body
      const { createdAt, id } = json
      assert.deepStrictEqual(json as unknown, { ...kept, id, createdAt })
      const { items } = yield* list(shop)
      assert.deepStrictEqual(items as unknown, [json])
    }).pipe(Effect.provide(world))
  )

  it.effect("counts characters as Unicode does, and takes a logo by http too", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const body = { name: "😀".repeat(255), logoUrl: "http://example.com/logo.png" }
      const { json, status } = yield* make(shop, body)
      assert.strictEqual(status, 201)
      const { createdAt, id } = json
      assert.deepStrictEqual(json as unknown, { ...body, id, createdAt })
      // What grows most when it is folded to keep names apart.
      assert.strictEqual((yield* make(shop, { name: "\u{1D160}".repeat(255) })).status, 201)
      assert.strictEqual((yield* make(shop, { name: "\u{1D160}".repeat(255) })).status, 409)
    }).pipe(Effect.provide(world))
  )

  const refused: ReadonlyArray<readonly [string, string, unknown]> = [
    ["name", "absent", {}],
    ["name", "null", { name: null }],
    ["name", "a number", { name: 7 }],
    ["name", "empty", { name: "" }],
    ["name", "nothing but space", { name: " \t\u00a0" }],
    ["name", "too long", { name: "n".repeat(256) }],
    ["name", "too long by an emoji", { name: "😀".repeat(256) }],
    ["color", "without #", { name: "a", color: "1A2B3C" }],
    ["color", "of three digits", { name: "a", color: "#ABC" }],
    ["color", "of other letters", { name: "a", color: "#GGGGGG" }],
    ["color", "with a line after it", { name: "a", color: "#1A2B3C\n" }],
    ["description", "too long", { name: "a", description: "d".repeat(1_001) }],
    ["description", "null", { name: "a", description: null }],
    ["logoUrl", "by ftp", { name: "a", logoUrl: "ftp://example.com/logo.png" }],
    ["logoUrl", "that is a script", { name: "a", logoUrl: "javascript:alert(1)" }],
    ["logoUrl", "that is no address", { name: "a", logoUrl: "https://" }],
    ["logoUrl", "with a space in it", { name: "a", logoUrl: "https://example.com/a b" }],
    ["logoUrl", "too long", { name: "a", logoUrl: `https://example.com/${"l".repeat(2_029)}` }]
  ]
  it.effect.each(refused)("refuses %s: %s", ([field, , body]) =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const before = (yield* Written).units.length
      const answer = yield* make(shop, body)
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(codeOf(answer), "VALIDATION_ERROR")
      const issues = answer.json.details?.issues
      assert.deepStrictEqual(
        issues?.map(({ field: wrong }) => wrong),
        [field]
      )
      assert.strictEqual((yield* Written).units.length, before)
    }).pipe(Effect.provide(world))
  )

  it.effect("answers 409 for a name that is there, whatever the case of its letters", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      yield* named(shop, "Açaí do João")
      for (const name of ["Açaí do João", "AÇAÍ DO JOÃO", " açaí do joão "]) {
        const answer = yield* make(shop, { name })
        assert.strictEqual(answer.status, 409)
        assert.strictEqual(answer.json.error, "Conflict")
        assert.deepStrictEqual(answer.json.details, {
          code: "PROJECT_NAME_TAKEN",
          resource: "project",
          field: "name",
          value: name.trim()
        })
      }
      assert.strictEqual((yield* list(shop)).total, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("makes one of many that ask for one name at once", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const answers = yield* Effect.forEach(
        Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? "Natal" : "NATAL")),
        (name) => make(shop, { name }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(statuses(answers), [201, ...Array.from({ length: 29 }, () => 409)])
      assert.strictEqual((yield* list(shop)).total, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("makes all of many that ask for other names at once", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const answers = yield* Effect.forEach(
        Array.from({ length: 60 }, (_, n) => `p${n}`),
        (name) => make(shop, { name }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(statuses(answers)), new Set([201]))
      const all = yield* list(shop, "?limit=100")
      assert.strictEqual(new Set(namesOf(all)).size, 60)
    }).pipe(Effect.provide(world))
  )

  it.effect("answers a repeat of an Idempotency-Key with the first project, and twins too", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const send = make(
        shop,
        { name: "Loja", color: "#00FF00" },
        { "idempotency-key": "key-12345" }
      )
      const twins = yield* Effect.all([send, send, send], { concurrency: "unbounded" })
      const again = yield* send
      for (const answer of [...twins, again]) {
        assert.strictEqual(answer.status, 201)
        assert.strictEqual(answer.text, again.text)
      }
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
      const other = yield* make(shop, { name: "Outra" }, { "idempotency-key": "key-12345" })
      assert.strictEqual(other.status, 422)
      assert.strictEqual((yield* list(shop)).total, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("keeps the projects of tenants apart, of whatever name", () =>
    Effect.gen(function* () {
      const { shop: one } = yield* journey()
      const { shop: other } = yield* journey()
      const made = yield* Effect.forEach([one, other], (shop) => named(shop, "Loja"))
      assert.strictEqual(new Set(made.flat().map(({ id }) => id)).size, 2)
      for (const [shop, [project]] of [
        [one, made[0] ?? []],
        [other, made[1] ?? []]
      ] as const) {
        assert.deepStrictEqual((yield* list(shop)).items, [existing(project)])
      }
    }).pipe(Effect.provide(world))
  )

  it.effect.each([
    ["POST", "PROJECT:READ", "PROJECT:WRITE"],
    ["GET", "PROJECT:WRITE", "PROJECT:READ"]
  ] as const)("%s with only %s needs %s", ([method, has, needs]) =>
    Effect.gen(function* () {
      const { tenant } = yield* TestPagora
      const body = method === "POST" ? { body: { name: "a" } } : {}
      const poor = yield* (yield* tenant({ permissions: [has] })).call(method, "/projects", body)
      assert.strictEqual(poor.status, 403)
      assert.strictEqual(codeOf(poor), "PERMISSION_DENIED")
      assert.strictEqual(poor.json.details?.["permission"], needs)
      const rich = yield* (yield* tenant({ permissions: [needs] })).call(method, "/projects", body)
      assert.strictEqual(rich.status, method === "POST" ? 201 : 200)
    }).pipe(Effect.provide(world))
  )
})

describe("GET /projects", () => {
  it.effect("of a wallet without any is an empty page", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      assert.deepStrictEqual((yield* list(shop)) as unknown, {
        items: [],
        total: 0,
        page: 1,
        limit: 20,
        totalPages: 0
      })
    }).pipe(Effect.provide(world))
  )

  it.effect("shows twenty, the newest first, unless told otherwise", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const names = Array.from({ length: 45 }, (_, n) => `p${n}`)
      for (const name of names) {
        yield* named(shop, name)
        yield* TestClock.adjust("1 second")
      }
      const first = yield* list(shop)
      assert.deepStrictEqual(namesOf(first), names.toReversed().slice(0, 20))
      const { items: _, ...figures } = first
      assert.deepStrictEqual(figures as unknown, { total: 45, page: 1, limit: 20, totalPages: 3 })
      const pages = yield* Effect.forEach([1, 2, 3, 4], (page) =>
        list(shop, `?page=${page}&limit=20&sortBy=updatedAt&sortOrder=asc`)
      )
      assert.deepStrictEqual(pages.flatMap(namesOf), names)
      assert.deepStrictEqual(namesOf(existing(pages[3])), [])
    }).pipe(Effect.provide(world))
  )

  it.effect("sorts by name, where the case of letters does not count", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      yield* named(shop, "gama", "Alfa", "Ómega", "beta", "2")
      const sorted = ["2", "Alfa", "beta", "gama", "Ómega"]
      assert.deepStrictEqual(namesOf(yield* list(shop, "?sortBy=name&sortOrder=asc")), sorted)
      assert.deepStrictEqual(namesOf(yield* list(shop, "?sortBy=name")), sorted.toReversed())
    }).pipe(Effect.provide(world))
  )

  const bad = [
    "page=0",
    "page=-1",
    "page=1.5",
    "page=1e2",
    "page=",
    "page=one",
    "page=99999999999",
    "page=1&page=2",
    "limit=0",
    "limit=101",
    "limit=%2B5",
    "sortBy=color",
    "sortBy=",
    "sortOrder=up",
    "sortOrder=DESC"
  ]
  it.effect.each(bad)("refuses ?%s", (query) =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const answer = yield* shop.call("GET", `/projects?${query}`)
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(codeOf(answer), "VALIDATION_ERROR")
      assert.include(String(answer.json.message), query.replace(/=.*/, ""))
    }).pipe(Effect.provide(world))
  )
})

describe("the list of projects", () => {
  it.effect("goes on over its pages, and is one list", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const projects = yield* Projects
      const account = yield* (yield* Accounts).find(shop.id)
      const acting = { account, subAccount: undefined }
      const names = Array.from({ length: 510 }, (_, n) => `p${String(n).padStart(3, "0")}`)
      yield* Effect.forEach(names, (name) => projects.create(acting, { name }), {
        concurrency: 20,
        discard: true
      })
      const last = yield* list(shop, "?sortBy=name&sortOrder=asc&limit=100&page=6")
      assert.deepStrictEqual(namesOf(last), names.slice(500))
      assert.strictEqual(last.total, 510)
      const taken = yield* make(shop, { name: "P003" })
      assert.strictEqual(taken.status, 409)
    }).pipe(Effect.provide(world))
  )
})

describe("a page of projects", () => {
  it.effect("reads what it shows, however many there are", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const storage = yield* Storage
      const account = yield* (yield* Accounts).find(shop.id)
      const acting = { account, subAccount: undefined }
      let read = 0
      const counting = <A>(found: ReadonlyArray<Versioned<A>>) => {
        read += JSON.stringify(found.map(({ value }) => value)).length
        return found
      }
      const context = yield* Layer.build(Layer.fresh(Projects.layer)).pipe(
        Effect.provideService(Storage, {
          ...storage,
          list: (kind, query) => Effect.map(storage.list(kind, query), counting),
          findMany: (kind, ids) => Effect.map(storage.findMany(kind, ids), counting)
        })
      )
      const projects = Context.get(context, Projects)
      yield* Effect.forEach(
        Array.from({ length: 400 }, (_, n) => `p${n}`),
        (name) => projects.create(acting, { name }),
        { concurrency: 20, discard: true }
      )
      for (const sortBy of sortFields) {
        read = 0
        const { items, total } = yield* projects.list(acting, {
          page: 2,
          limit: 1,
          sortBy,
          sortOrder: "desc"
        })
        assert.deepStrictEqual([items.length, total], [1, 400])
        assert.isBelow(read, 400)
      }
      read = 0
      assert.isUndefined(yield* only(acting.account.value.id))
      assert.isBelow(read, 800)
    }).pipe(Effect.provide(world))
  )
})

describe("projects that several processes make", () => {
  it.effect("are all in the list, and of one name there is one", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const account = yield* (yield* Accounts).find(shop.id)
      const acting = { account, subAccount: undefined }
      // Each has its own turnstile; only the write door keeps them apart.
      const processes = yield* Effect.replicateEffect(
        Effect.map(Layer.build(Layer.fresh(Projects.layer)), (context) =>
          Context.get(context, Projects)
        ),
        4
      )
      const names = Array.from({ length: 300 }, (_, n) => `p${n % 270}`)
      const results = yield* Effect.forEach(
        processes,
        (projects, of) =>
          Effect.forEach(
            names.filter((_, n) => n % processes.length === of),
            (name) => Effect.result(projects.create(acting, { name }))
          ),
        { concurrency: "unbounded" }
      )
      const refusals = results
        .flat()
        .flatMap((result) => (Result.isFailure(result) ? [result.failure._tag] : []))
      assert.deepStrictEqual(
        refusals,
        Array.from({ length: 30 }, () => "ProjectNameTaken")
      )
      const pages = yield* Effect.forEach([1, 2, 3], (page) =>
        list(shop, `?limit=100&page=${page}`)
      )
      assert.strictEqual(pages[0]?.total, 270)
      assert.deepStrictEqual(new Set(pages.flatMap(namesOf)), new Set(names))
    }).pipe(Effect.provide(world))
  )
})

describe("a wallet with 10,000 projects", () => {
  it.effect("takes no more, and still tells a name that is there", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      yield* named(shop, "um")
      // So many more as if they had been made.
      yield* (yield* Storage).commit({
        at: yield* (yield* ServiceTime).now,
        counters: [{ key: `projects/${shop.id}`, add: Centavos.make(9_998n) }]
      })
      yield* named(shop, "dois")
      const full = yield* make(shop, { name: "tres" })
      assert.strictEqual(full.status, 400)
      assert.strictEqual(codeOf(full), "TOO_MANY_PROJECTS")
      assert.strictEqual((yield* make(shop, { name: "UM" })).status, 409)
      assert.deepStrictEqual(namesOf(yield* list(shop)), ["dois", "um"])
    }).pipe(Effect.provide(world))
  )
})

describe("an account with 100,000 projects", () => {
  it.effect("takes no more in any wallet, however many are asked for at once", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey({ subAccountAccess: true })
      const body = { reference: "loja-1", name: "Loja" }
      yield* shop.call("POST", "/sub-accounts", { body })
      // So many more as if they had been made.
      yield* (yield* Storage).commit({
        at: yield* (yield* ServiceTime).now,
        counters: [{ key: `account_projects/${shop.id}`, add: Centavos.make(99_997n) }]
      })
      const answers = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, n) => n),
        (n) => make(shop, { name: `p${n}` }, n % 2 === 0 ? {} : { "x-sub-account": "loja-1" }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(statuses(answers), [
        201,
        201,
        201,
        ...Array.from({ length: 9 }, () => 400)
      ])
      const full = yield* make(shop, { name: "mais" })
      assert.strictEqual(codeOf(full), "TOO_MANY_PROJECTS")
      assert.include(full.text, "An account has at most 100000 projects.")
    }).pipe(Effect.provide(world))
  )
})

describe("the only project of a wallet", () => {
  it.effect("is there while there is exactly one", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const wallet = shop.id
      assert.isUndefined(yield* only(wallet))
      const [first] = yield* named(shop, "um")
      assert.strictEqual((yield* only(wallet))?.id as string | undefined, first?.id)
      yield* named(shop, "dois")
      assert.isUndefined(yield* only(wallet))
    }).pipe(Effect.provide(world))
  )
})

describe("projectId of a charge", () => {
  it.effect("is kept and shown by GET /transactions/{id}", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const [project] = yield* named(story.shop, "Loja")
      const id = String(project?.id)
      const charge = yield* story.charge({ projectId: id })
      assert.strictEqual((yield* story.transaction(charge.id)).projectId, id)
      yield* story.pay(charge)
      assert.strictEqual((yield* story.transaction(charge.id)).projectId, id)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("and pspCredentialId are the same in capital letters", () =>
    Effect.gen(function* () {
      const { shop, transaction } = yield* journey()
      const [project] = yield* named(shop, "Loja")
      const projectId = String(project?.id)
      const body = {
        amount: 1,
        projectId: projectId.toUpperCase(),
        pspCredentialId: testPspCredential.toUpperCase()
      }
      const { json, status } = yield* shop.call("POST", "/pix", { body })
      assert.strictEqual(status, 201)
      assert.strictEqual(json.pspCredentialId, testPspCredential)
      assert.strictEqual((yield* transaction(json.id)).projectId, projectId)
    }).pipe(Effect.provide(world))
  )

  it.effect("of another tenant answers as one that does not exist", () =>
    Effect.gen(function* () {
      const { shop: owner } = yield* journey()
      const { shop } = yield* journey()
      const [project] = yield* named(owner, "Loja")
      const before = (yield* Written).units.length
      const answers = yield* Effect.forEach([String(project?.id), random.uuid], (projectId) =>
        Effect.map(shop.call("POST", "/pix", { body: { amount: 1, projectId } }), (answer) => {
          assert.strictEqual(answer.status, 404)
          assert.strictEqual(codeOf(answer), "PROJECT_NOT_FOUND")
          const { timestamp: _, traceId: __, ...rest } = answer.json
          return JSON.stringify(rest).replace(projectId, "<id>")
        })
      )
      assert.strictEqual(answers[0], answers[1])
      assert.strictEqual((yield* Written).units.length, before)
    }).pipe(Effect.provide(world))
  )
})
