import { assert, describe, it } from "@effect/vitest"
import { TestPagora } from "@pagora/testkit"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../../src/app/Api.ts"
import type { OpenApiDocument, Operation, Parameter } from "../../src/contract/OpenApiDocument.ts"
import type { JsonSchema } from "../../src/contract/SchemaText.ts"
import { eventTypes } from "../../src/webhooks/EventTypes.ts"
import { world } from "../world/ServiceWorld.test-data.ts"

const document = Effect.gen(function* () {
  const { api } = yield* TestPagora
  const answer = yield* api("GET", "/openapi.json")
  assert.strictEqual(answer.status, 200)
  return answer.json as unknown as OpenApiDocument
}).pipe(Effect.provide(world))

const operations = ({ paths }: OpenApiDocument) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): readonly [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation
    ])
  )

/** Every named field of every schema below a value, with the path to it. */
const fieldsOf = (value: unknown, at = ""): ReadonlyArray<readonly [string, JsonSchema]> => {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
    key === "example" || key === "examples"
      ? []
      : key === "properties"
        ? Object.entries(inner as Record<string, JsonSchema>).flatMap(([name, schema]) => [
            [`${at}.${name}`, schema] as const,
            ...fieldsOf(schema, `${at}.${name}`)
          ])
        : fieldsOf(inner, at === "" || /^\d/.test(key) ? `${at}/${key}` : at)
  )
}

interface EventsDocument {
  readonly $schema: string
  readonly $defs: Readonly<Record<string, unknown>>
}

describe("openapi.json", () => {
  it.effect("is a valid document of OpenAPI 3.1, and every reference in it leads somewhere", () =>
    Effect.gen(function* () {
      const source = yield* document
      const validator = new Validator()
      const { errors, valid } = yield* Effect.promise(() =>
        validator.validate(JSON.parse(JSON.stringify(source)) as Record<string, unknown>)
      )
      assert.isTrue(valid, JSON.stringify(errors))
      assert.strictEqual(validator.version, "3.1")
      for (const [, ref = ""] of JSON.stringify(source).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
        const target = ref
          .split("/")
          .reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], source)
        assert.isDefined(target, ref)
      }
    })
  )

  it.effect("is labelled 1.0, and says what may change", () =>
    Effect.gen(function* () {
      const { info, openapi } = yield* document
      assert.strictEqual(openapi, "3.1.0")
      assert.strictEqual(info["version"], "1.0")
      assert.include(String(info["description"]), "Fields may be added in time")
    })
  )

  it.effect("has the endpoints of the specification with their answers", () =>
    Effect.gen(function* () {
      const all = new Map(operations(yield* document))
      const statuses = (route: string) => Object.keys(all.get(route)?.responses ?? {}).map(Number)
      assert.deepStrictEqual(statuses("POST /auth"), [200, 400, 401, 408, 413, 415, 429, 500, 503])
      assert.deepStrictEqual(
        statuses("POST /pix"),
        [201, 400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 500, 503]
      )
      const read = [200, 400, 401, 403, 404, 408, 413, 415, 429, 500, 503]
      assert.deepStrictEqual(statuses("GET /transactions/{id}"), read)
      assert.deepStrictEqual(statuses("GET /account"), read)
      assert.deepStrictEqual(
        statuses("POST /psp/{pspCredentialId}/webhook"),
        [200, 400, 401, 404, 408, 413, 500, 503]
      )
    })
  )

  it.effect("has every endpoint of the code but those that serve the contract", () =>
    Effect.gen(function* () {
      const inCode: Array<string> = []
      HttpApi.reflect(Api, {
        onGroup: () => undefined,
        onEndpoint: ({ endpoint, group }) => {
          const path = endpoint.path.replaceAll(/:(\w+)/g, "{$1}")
          if (group.identifier !== "contract") inCode.push(`${endpoint.method} ${path}`)
        }
      })
      assert.sameMembers(
        operations(yield* document).map(([route]) => route),
        inCode
      )
    })
  )

  it.effect("names every operation for clients, says what it does and what it needs", () =>
    Effect.gen(function* () {
      const all = operations(yield* document)
      const ids = all.map(([, { operationId }]) => operationId)
      assert.strictEqual(new Set(ids).size, ids.length)
      for (const [route, operation] of all) {
        assert.match(operation.operationId, /^[a-z]+([A-Z][a-z]+)+$/, route)
        assert.isDefined(operation.summary, `${route} needs words in OperationText.ts`)
        const isOpen = route === "POST /auth" || route.startsWith("POST /psp/")
        assert.strictEqual(operation.security.length, isOpen ? 0 : 1, route)
        assert.strictEqual(operation["x-permission"] === undefined, isOpen, route)
      }
    })
  )

  it.effect("offers X-Sub-Account and Idempotency-Key where they count, and only there", () =>
    Effect.gen(function* () {
      for (const [route, operation] of operations(yield* document)) {
        const refs = operation.parameters.flatMap((one) => ("$ref" in one ? [one.$ref] : []))
        const isOpen = operation.security.length === 0
        const expected = [
          ...(isOpen || route.includes(" /sub-accounts") ? [] : ["X-Sub-Account"]),
          ...(isOpen || !route.startsWith("POST") ? [] : ["Idempotency-Key"])
        ].map((name) => `#/components/parameters/${name}`)
        assert.deepStrictEqual(refs, expected, route)
      }
    })
  )

  it.effect("describes every field, and calls money a number with at most two decimals", () =>
    Effect.gen(function* () {
      const source = yield* document
      for (const [path, schema] of fieldsOf(source)) {
        assert.isDefined(schema.description ?? schema.$ref, `${path} needs words in FieldText.ts`)
        assert.isUndefined(schema.multipleOf, path)
      }
      const charge = source.paths["/pix"]?.["post"]
      const amount = charge?.requestBody?.content["application/json"]?.schema.properties?.["amount"]
      assert.deepInclude(amount, {
        type: "number",
        minimum: 0.01,
        maximum: 9_999_999_999.99,
        "x-max-decimals": 2
      })
    })
  )

  it.effect("shows the numbers of a query as whole numbers with their bounds", () =>
    Effect.gen(function* () {
      const { parameters = [] } = (yield* document).paths["/projects"]?.["get"] ?? {}
      const limit = parameters.find((one) => "name" in one && one.name === "limit")
      assert.deepInclude((limit as Parameter).schema, { type: "integer", minimum: 1, maximum: 100 })
    })
  )

  it.effect("gives the errors of POST /auth two fields, and all others the envelope", () =>
    Effect.gen(function* () {
      const source = yield* document
      for (const [route, operation] of operations(source)) {
        for (const [status, response] of Object.entries(operation.responses)) {
          if (Number(status) < 400) continue
          const ref = response.content?.["application/json"]?.schema.$ref ?? ""
          const schema = source.components.schemas[ref.replace(/^.*\//, "")]
          const required =
            route === "POST /auth"
              ? ["error", "message"]
              : ["statusCode", "error", "message", "timestamp"]
          assert.deepStrictEqual(schema?.required, required, `${route} ${status}`)
        }
      }
    })
  )

  it.effect("has a webhook for each kind of event, and events.json the same schemas", () =>
    Effect.gen(function* () {
      const source = yield* document
      assert.deepStrictEqual(Object.keys(source.webhooks), [...eventTypes])
      const { api } = yield* TestPagora
      const json = JSON.parse((yield* api("GET", "/events.json")).text) as EventsDocument
      assert.strictEqual(json.$schema, "https://json-schema.org/draft/2020-12/schema")
      for (const type of eventTypes) {
        assert.deepStrictEqual(json.$defs[type], source.components.schemas[`${type}_event`])
      }
    }).pipe(Effect.provide(world))
  )
})

describe("the docs page", () => {
  it.effect("needs no script and nothing from elsewhere, and says so to the browser", () =>
    Effect.gen(function* () {
      const { api } = yield* TestPagora
      const { headers, text } = yield* api("GET", "/docs")
      assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8")
      assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none';/)
      assert.notMatch(
        text,
        /<script|<link(?! rel="icon" href="data:,")|<img|<iframe|@import|url\(/i
      )
      for (const [, href = ""] of text.matchAll(/(?:href|src)="([^"]*)"/g)) {
        assert.match(href, /^(#|data:,$|openapi\.json$|events\.json$)/)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("shows the bounds of a field, and not those of every integer", () =>
    Effect.gen(function* () {
      const { api } = yield* TestPagora
      const { text } = yield* api("GET", "/docs")
      assert.include(text, '<div class="bounds">60 to 1209600</div>')
      assert.notInclude(text, "to 9007199254740991")
    }).pipe(Effect.provide(world))
  )

  it.effect("has a section for every operation and event, and every link of it has a target", () =>
    Effect.gen(function* () {
      const { api } = yield* TestPagora
      const { text } = yield* api("GET", "/docs")
      const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
      for (const [, { operationId }] of operations(yield* document)) {
        assert.isTrue(ids.has(operationId), operationId)
      }
      assert.isTrue(ids.has("onPaymentCompleted"))
      for (const [, target] of text.matchAll(/href="#([^"]+)"/g)) {
        assert.isTrue(ids.has(target), target)
      }
    }).pipe(Effect.provide(world))
  )
})
