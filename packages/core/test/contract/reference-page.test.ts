import { assert, describe, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { OperatorApi } from "../../src/operator/OperatorApi.ts"
import { SandboxApi } from "../../src/sandbox/SandboxApi.ts"

const page = (name: string): string =>
  readFileSync(
    fileURLToPath(new URL(`../../../../docs/reference/${name}`, import.meta.url)),
    "utf8"
  )

/** The rows of the tables: a route, and the query parameters it names. */
const rowsOf = (text: string): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(
    [...text.matchAll(/^\| `((?:GET|POST|PATCH|PUT|DELETE) [^`]+)` \| .* \|([^|]*)\|$/gm)].map(
      ([, route = "", query = ""]) => [
        route,
        [...query.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name).toSorted()
      ]
    )
  )

/** The routes of an API as it is declared, with their query parameters. */
const declaredOf = ({ paths }: OpenApi.OpenAPISpec): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item as Readonly<Record<string, OpenApi.OpenAPISpecOperation>>).map(
        ([method, { parameters = [] }]): readonly [string, ReadonlyArray<string>] => [
          `${method.toUpperCase()} ${path}`,
          parameters
            .filter((parameter) => parameter.in === "query")
            .map(({ name }) => name)
            .toSorted()
        ]
      )
    )
  )
const declared = declaredOf(OpenApi.fromApi(OperatorApi))

const byName = (routes: ReadonlyMap<string, ReadonlyArray<string>>) =>
  [...routes].toSorted(([one], [other]) => (one < other ? -1 : 1))

describe("the page of the operator API", () => {
  it("names every route that is declared with all its query parameters, and no other", () => {
    assert.isAbove(declared.size, 25)
    assert.deepStrictEqual(byName(rowsOf(page("operator-api.md"))), byName(declared))
  })

  it("is read row by row, so that one without a row, or with another query, would be told", () => {
    const row = "| `GET /x/{id}` | lists `them` | `cursor`, `limit` |"
    assert.deepStrictEqual([...rowsOf(`${row}\nGET /y`)], [["GET /x/{id}", ["cursor", "limit"]]])
    assert.isFalse(declared.has("GET /x/{id}"))
  })
})

describe("the table of the sandbox API", () => {
  it("names every route that is declared, and no other", () => {
    const [, section = ""] = page("configuration.md").split("## Sandbox API\n")
    const [table = ""] = section.split("\n## ")
    const named = [...table.matchAll(/`((?:GET|POST|PUT) \/[^`]+)`/g)].map(
      ([, route = ""]) => route
    )
    const known = declaredOf(OpenApi.fromApi(SandboxApi))
    assert.isAbove(known.size, 6)
    assert.deepStrictEqual(named.toSorted(), [...known.keys()].toSorted())
  })
})
