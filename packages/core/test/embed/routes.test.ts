import { assert, describe, it } from "@effect/vitest"
import { PagoraError } from "@pagora/core"
import { HttpApi } from "effect/http-api"
import { Api } from "../../src/app/Api.ts"
import { placesOf as placesIn } from "../../src/app/ApiPlaces.ts"
import { promiseCalls } from "../../src/app/PromiseCall.ts"
import { OperatorApi } from "../../src/operator/OperatorApi.ts"
import { SandboxApi } from "../../src/sandbox/SandboxApi.ts"
import { refusalOf, withPagora } from "../world/Embedding.test-data.ts"

/** Every endpoint whose path has parameters. */
const placesOf = (api: object) => {
  const places: Array<{ group: string; endpoint: string; path: string }> = []
  HttpApi.reflect(api as HttpApi.Top, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, group }) => {
      if (endpoint.path.includes(":"))
        places.push({
          group: group.identifier,
          endpoint: endpoint.identifier,
          path: endpoint.path
        })
    }
  })
  return places
}

const namesIn = (path: string) => Array.from(path.matchAll(/:(\w+)/g), ([, name = ""]) => name)

/** What a path would read as another one, and what is no text at all. */
const refused: ReadonlyArray<unknown> = ["", ".", "..", "a\0b", "\ud800", undefined, null, 7, ["x"]]
/** What must arrive as it is. */
const odd = [
  "../x",
  "a/b",
  "..%2f",
  "%2e%2e",
  "a?b=c",
  "a#b",
  "a;b",
  "\\..\\",
  "...",
  " ",
  "é",
  "a b"
]

describe("an argument of a method", () => {
  it("never changes the route, of any method of any API", async () => {
    let places = 0
    for (const api of [Api, OperatorApi, SandboxApi]) {
      const sent: Array<string> = []
      const call = promiseCalls<typeof Api>(placesIn(api as typeof Api), async (request) => {
        sent.push(new URL(request.url).pathname)
        return new Response("{}")
      }) as unknown as (
        group: string,
        endpoint: string,
        call: { readonly params: Readonly<Record<string, unknown>> }
      ) => Promise<unknown>
      for (const { endpoint, group, path } of placesOf(api)) {
        places++
        const names = namesIn(path)
        const good = Object.fromEntries(names.map((name) => [name, "good"]))
        for (const name of names) {
          for (const value of refused) {
            const error = await call(group, endpoint, { params: { ...good, [name]: value } }).then(
              () => undefined,
              (cause: unknown) => cause
            )
            assert.instanceOf(error, PagoraError, `${group}.${endpoint} ${name} ${String(value)}`)
            assert.strictEqual((error as PagoraError).code, "VALIDATION_ERROR")
            assert.include((error as PagoraError).message, name)
          }
          assert.deepStrictEqual(sent, [])
          for (const value of odd) {
            await call(group, endpoint, { params: { ...good, [name]: value } })
            const [pathname = ""] = sent.splice(0)
            const expected = path
              .split("/")
              .map((part) => (part === `:${name}` ? value : part.startsWith(":") ? "good" : part))
            assert.deepStrictEqual(pathname.split("/").map(decodeURIComponent), expected, path)
          }
        }
      }
    }
    assert.isAbove(places, 30)
  })

  it("such as `..` does not turn a sub-account's change into the account's", () =>
    withPagora({}, async (pagora) => {
      const { id } = await pagora.accounts.create({ name: "Loja Azul" })
      for (const reference of ["..", ".", ""])
        assert.strictEqual(
          (await refusalOf(pagora.subAccounts.change(id, reference, { status: "suspended" }))).code,
          "VALIDATION_ERROR"
        )
      assert.strictEqual((await pagora.accounts.get(id)).status, "approved")
    }))
})
