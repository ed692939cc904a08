import { assert, describe, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { OperatorApi } from "../src/operator/OperatorApi.ts"

const page = readFileSync(
  fileURLToPath(new URL("../../../docs/reference/operator-api.md", import.meta.url)),
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

/** The routes of the API as it is declared, with their query parameters. */
const declared = new Map(
  Object.entries(OpenApi.fromApi(OperatorApi).paths).flatMap(([path, item]) =>
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

describe("the page of the operator API", () => {
  it("names every route that is declared with all its query parameters, and no other", () => {
    assert.isAbove(declared.size, 25)
    const byName = (routes: ReadonlyMap<string, ReadonlyArray<string>>) =>
      [...routes].toSorted(([one], [other]) => (one < other ? -1 : 1))
    assert.deepStrictEqual(byName(rowsOf(page)), byName(declared))
  })

  it("is read row by row, so that one without a row, or with another query, would be told", () => {
    const row = "| `GET /x/{id}` | lists `them` | `cursor`, `limit` |"
    assert.deepStrictEqual([...rowsOf(`${row}\nGET /y`)], [["GET /x/{id}", ["cursor", "limit"]]])
    assert.isFalse(declared.has("GET /x/{id}"))
  })
})
