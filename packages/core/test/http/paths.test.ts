import { assert, describe, it } from "@effect/vitest"
import { TestPagora } from "@pagora/testkit"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../../src/app/Api.ts"
import { OperatorApi } from "../../src/operator/OperatorApi.ts"
import { world } from "../world/ServiceWorld.test-data.ts"

const endpointsOf = (api: object): ReadonlyArray<{ method: string; path: string }> => {
  const all: Array<{ method: string; path: string }> = []
  HttpApi.reflect(api as HttpApi.Top, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => all.push({ method: endpoint.method, path: endpoint.path })
  })
  return all
}

const filled = (path: string) => path.replaceAll(/:\w+/g, "0190163d-8694-739b-aea5-966c26f8ad91")

/** Other ways to write a path, which something on the way may take for the same. */
const spellings = (path: string): ReadonlyArray<string> => {
  const whole = filled(path)
  const letter = whole.slice(1, 2)
  const encoded = `%${(letter.codePointAt(0) ?? 0).toString(16)}`
  return [
    `${whole}/`,
    `${whole};x=1`,
    `${whole};`,
    `/${whole}`,
    whole.replace(/\/([^/]+)$/, "//$1"),
    `/${letter.toUpperCase()}${whole.slice(2)}`,
    `/${encoded}${whole.slice(2)}`,
    // Behind a parameter these are part of it.
    ...(/:\w+$/.test(path) ? [] : [`${whole}%2f`, `${whole}%3f`, `${whole}%00`]),
    // A parameter that is empty, dots, or has more behind it.
    ...["", ".", "..", "%2e", "%2E%2e", "x;y"].flatMap((value) =>
      path.includes(":") ? [path.replace(/:\w+/, value).replaceAll(/:\w+/g, "x")] : []
    )
  ].filter((spelling) => spelling !== whole)
}

describe("a path", () => {
  it.effect("has one spelling: whatever else could be taken for it is not there", () =>
    Effect.gen(function* () {
      const { api, operator } = yield* TestPagora
      const asked = [
        ...endpointsOf(Api).map((one) => ({ ...one, call: api })),
        ...endpointsOf(OperatorApi).map((one) => ({ ...one, call: operator }))
      ]
      const wrong: Array<string> = []
      for (const { call, method, path } of asked) {
        for (const spelling of spellings(path)) {
          // A URL resolves its dots; the mount contract sends them raw.
          if (new URL(`http://x${spelling}`).pathname !== spelling) continue
          const { json, status } = yield* call(method, spelling)
          const code = String(json.details?.code)
          if (status !== 404 || code !== "ROUTE_NOT_FOUND")
            wrong.push(`${method} ${spelling}: ${status} ${code}`)
        }
        const { json } = yield* call(method, filled(path))
        if (String(json.details?.code) === "ROUTE_NOT_FOUND") wrong.push(`${method} ${path} itself`)
      }
      assert.deepStrictEqual(wrong.slice(0, 20), [])
    }).pipe(Effect.provide(world))
  )

  it.effect("with a slash at its end is told of the one without", () =>
    Effect.gen(function* () {
      const { api, operator } = yield* TestPagora
      const hint = "There is no such path. There is one without the slash at its end."
      for (const path of ["/pix/", "/account/?a=1", `${filled("/transactions/:id")}/`])
        assert.strictEqual((yield* api("POST", path)).json.message, hint, path)
      assert.strictEqual((yield* operator("GET", "/accounts/")).json.message, hint)
      for (const path of ["/", "/nothing/", "/nothing", "/account//"])
        assert.strictEqual((yield* api("GET", path)).json.message, "There is no such path.", path)
    }).pipe(Effect.provide(world))
  )

  it.effect("has a query without NUL, in either API, whatever is asked for with it", () =>
    Effect.gen(function* () {
      const { api, operator, tenant } = yield* TestPagora
      const { call: shop } = yield* tenant()
      const found = yield* shop("GET", "/transactions?limit=5&externalReference=%00")
      assert.strictEqual(found.status, 400, found.text)
      assert.deepStrictEqual<unknown>(found.json.details, {
        code: "VALIDATION_ERROR",
        issues: [
          {
            field: "externalReference",
            message: "This holds the NUL character, which no text here has."
          }
        ]
      })
      const asked = [
        ...endpointsOf(Api).map((one) => ({ ...one, call: shop })),
        ...endpointsOf(OperatorApi).map((one) => ({ ...one, call: operator }))
      ].filter(({ method, path }) => method === "GET" && !path.startsWith("/openapi"))
      for (const { call, path } of asked)
        for (const name of ["cursor", "externalReference", "q", "a%00b"]) {
          const { status } = yield* call("GET", `${filled(path)}?${name}=x%00y`)
          assert.strictEqual(status, 400, `${path} ${name}`)
        }
      const { json } = yield* api("POST", "/auth?x=%00", { body: {} })
      assert.deepStrictEqual(Object.keys(json), ["error", "message"])
      assert.strictEqual((yield* shop("GET", "/transactions?externalReference=%2500")).status, 200)
    }).pipe(Effect.provide(world))
  )

  it.effect("may hold a reference of any characters, encoded", () =>
    Effect.gen(function* () {
      const { tenant } = yield* TestPagora
      const { call: shop } = yield* tenant()
      for (const externalReference of ["a/b", "a;b=1", "a b", "%41", "a?b#c", "é", "a..b", "x."]) {
        const made = yield* shop("POST", "/pix", { body: { amount: 1, externalReference } })
        assert.strictEqual(made.status, 201)
        const found = yield* shop("GET", `/transactions/${encodeURIComponent(externalReference)}`)
        assert.strictEqual(found.json.id, made.json.id, externalReference)
      }
    }).pipe(Effect.provide(world))
  )
})
