import type { Check } from "../Check.ts"
import { expectEqual, expectShape, expectStatus, expectThat, textAt } from "../Expect.ts"
import { expectAuthRefused, expectRefused } from "../Refusals.ts"
import { tokenShape } from "../SpecShapes.ts"
import { endpoints } from "../Endpoints.ts"

const partOf = (token: string, index: number): unknown =>
  JSON.parse(Buffer.from(token.split(".")[index] ?? "", "base64url").toString("utf8"))

const isObject = (value: unknown) => typeof value === "object" && value !== null

export const authChecks: ReadonlyArray<Check> = [
  {
    rules: ["S-001", "S-329"],
    title: "the base URL ends in the version segment v2, and nothing is served above it",
    run: async ({ api, target }) => {
      expectThat(`baseUrl ends in /v2: ${target.baseUrl}`, target.baseUrl.endsWith("/v2"))
      expectEqual("GET {baseUrl}/account", (await api("GET", "/account")).status, 401)
      const above = await api("GET", "/../account")
      expectThat("the path above the version is no endpoint", above.status !== 401, above)
    }
  },
  {
    rules: ["S-015", "S-181", "S-200", "S-221", "S-222"],
    title: "POST /auth gives a Bearer JWT for 300 seconds, and no refresh token",
    run: async ({ api, tenant }) => {
      const shop = await tenant()
      const body = { client_id: shop.clientId, client_secret: shop.clientSecret }
      const answer = expectShape(await api("POST", "/auth", { body }), 200, tokenShape)
      const token = textAt(answer, "access_token")
      expectEqual("parts of the JWT", token.split(".").length, 3, answer)
      expectThat(
        "the JWT's header and claims are JSON",
        [0, 1].every((n) => isObject(partOf(token, n)))
      )
      const authorization = `Bearer ${token}`
      expectStatus(await api("GET", "/account", { headers: { authorization } }), 200)
    }
  },
  {
    rules: ["S-181", "S-168"],
    title: "POST /auth asks for no permission, and does not look at Authorization or X-Sub-Account",
    run: async ({ api, tenant }) => {
      const shop = await (await tenant()).credential({ permissions: ["BALANCE_BLOCK:READ"] })
      const body = { client_id: shop.clientId, client_secret: shop.clientSecret }
      const headers = { authorization: "Bearer nonsense", "x-sub-account": "NO reference" }
      expectShape(await api("POST", "/auth", { body, headers }), 200, tokenShape)
    }
  },
  {
    rules: ["S-197", "S-314", "S-315"],
    title: "POST /auth answers 400 in two fields when a part is missing",
    run: async ({ api, tenant }) => {
      const { clientId: client_id, clientSecret: client_secret } = await tenant()
      const bodies = [
        {},
        { client_id },
        { client_secret },
        { client_id, client_secret: "" },
        { client_id: "", client_secret },
        { client_id, client_secret: null },
        { client_id: 7, client_secret },
        [],
        "no JSON"
      ]
      for (const body of bodies) {
        expectAuthRefused(await api("POST", "/auth", { body }), 400)
      }
    }
  },
  {
    rules: ["S-198", "S-314", "S-316"],
    title: "POST /auth answers 401 in two fields, and never says which part is wrong",
    run: async ({ api, operator, tenant }) => {
      const [shop, other] = await Promise.all([tenant(), tenant()])
      const gone = await shop.credential()
      const path = `/accounts/${shop.id}/credentials/${gone.credentialId}`
      expectStatus(await operator("DELETE", path), 204)
      const pairs = [
        [shop.clientId, "wrong"],
        ["nobody", shop.clientSecret],
        [shop.clientId, other.clientSecret],
        [shop.clientId, `${shop.clientSecret} `],
        [gone.clientId, gone.clientSecret]
      ]
      const texts = new Set<string>()
      for (const [client_id, client_secret] of pairs) {
        const answer = await api("POST", "/auth", { body: { client_id, client_secret } })
        texts.add(expectAuthRefused(answer, 401).text)
      }
      expectEqual("different answers", texts.size, 1)
    }
  },
  {
    rules: ["S-167", "S-306"],
    title:
      "every endpoint but POST /auth answers 401 without a token, or with one that is not ours",
    run: async ({ api, tenant }) => {
      const token = await (await tenant()).token()
      const [head = "", claims = "", mac = ""] = token.split(".")
      const changed = `${mac.startsWith("A") ? "B" : "A"}${mac.slice(1)}`
      const unsigned = Buffer.from(JSON.stringify({ alg: "none", typ: "JWT" })).toString(
        "base64url"
      )
      const values = [
        "Bearer nonsense",
        "Basic dXNlcjpwYXNz",
        token,
        `Bearer ${head}.${claims}.${changed}`,
        `Bearer ${head}.${claims}.`,
        `Bearer ${unsigned}.${claims}.`
      ]
      for (const { body, method, path } of endpoints) {
        const options = body === undefined ? {} : { body }
        expectRefused(await api(method, path, options), 401)
        for (const authorization of values) {
          expectRefused(await api(method, path, { ...options, headers: { authorization } }), 401)
        }
      }
    }
  },
  {
    rules: ["S-224"],
    title: "a credential that was revoked is refused from the next request on",
    run: async ({ operator, tenant }) => {
      const shop = await tenant()
      const caller = await shop.credential()
      expectStatus(await caller.call("GET", "/account"), 200)
      const path = `/accounts/${shop.id}/credentials/${caller.credentialId}`
      expectStatus(await operator("DELETE", path), 204)
      expectRefused(await caller.call("GET", "/account"), 401)
      expectStatus(await shop.call("GET", "/account"), 200)
    }
  }
]
