import type { Check } from "../Check.ts"
import { expectEqual, expectStatus, expectThat } from "../Expect.ts"
import { endpoints } from "../Endpoints.ts"
import { expectNotFound, expectRefused } from "../Refusals.ts"
import { unknownId } from "../Steps.ts"
import { at } from "../Wire.ts"

const malformed = [
  "",
  "{",
  "[1,2",
  "{'amount':1}",
  '{"amount":1}x',
  '{"amount":1,"amount":2}',
  "\u0000",
  '{"amount":NaN}'
]

export const errorChecks: ReadonlyArray<Check> = [
  {
    rules: ["S-302", "S-303", "S-304", "S-306", "S-307", "S-310"],
    title: "errors of every endpoint have the envelope of the specification: 400, 401, 403, 404",
    run: async ({ api, tenant }) => {
      const shop = await tenant()
      const poor = await shop.credential({ permissions: ["ACCOUNT:READ"] })
      for (const { body, method, path } of endpoints) {
        const options = body === undefined ? {} : { body }
        expectRefused(await api(method, path, options), 401)
        if (path !== "/account") {
          expectRefused(await poor.call(method, path, options), 403, "PERMISSION_DENIED")
        }
      }
      expectRefused(await shop.call("POST", "/pix", { body: {} }), 400)
      expectNotFound(await shop.call("GET", `/transactions/${unknownId}`), unknownId)
    }
  },
  {
    rules: ["S-002", "S-305"],
    title: "a body that is no JSON is 400, and one that is not declared as JSON is refused",
    run: async ({ tenant }) => {
      const shop = await tenant()
      for (const { method, path } of endpoints.filter((one) => one.method === "POST")) {
        for (const body of malformed) {
          const isEmptyRefund = body === "" && path.endsWith("/refund")
          if (!isEmptyRefund) expectRefused(await shop.call(method, path, { body }), 400)
        }
        const headers = { "content-type": "text/plain" }
        expectRefused(await shop.call(method, path, { body: '{"amount":1}', headers }), 415)
      }
    }
  },
  {
    rules: ["S-302", "S-310"],
    title: "a path that is not there is 404, and a wrong method 405, in the envelope",
    run: async ({ tenant }) => {
      const shop = await tenant()
      for (const path of ["/nothing", "/pix/", "/Account", "/transactions"]) {
        const answer = await shop.call("GET", path)
        expectThat(
          "the status is 404, 405 or 200 of a list",
          [200, 404, 405].includes(answer.status)
        )
        if (answer.status !== 200) expectRefused(answer, answer.status)
      }
      expectRefused(await shop.call("GET", "/nothing"), 404)
      expectRefused(await shop.call("DELETE", "/account"), 405)
      expectRefused(await shop.call("PUT", "/pix", { body: {} }), 405)
    }
  },
  {
    rules: ["S-303", "S-317"],
    title: "all faults of a body are told at once, in details",
    run: async ({ tenant }) => {
      const shop = await tenant()
      const body = { amount: -1, expiresIn: 0, externalReference: "" }
      const answer = expectRefused(await shop.call("POST", "/pix", { body }), 400)
      for (const field of ["amount", "expiresIn", "externalReference"]) {
        expectThat(`details name ${field}`, answer.text.includes(field), answer)
      }
    }
  },
  {
    rules: ["S-305", "S-306", "S-307", "S-310", "S-312"],
    title:
      "of several faults the first in order is told: body, token, permission, sub-account, key, fields",
    run: async ({ api, tenant }) => {
      const shop = await tenant()
      const poor = await shop.credential({ permissions: ["ACCOUNT:READ"] })
      const closed = await shop.credential()
      const wrong = { amount: -1, projectId: unknownId }
      const bad = { subAccount: "nobody", key: "short" }
      expectRefused(await api("POST", "/pix", { body: "{" }), 400)
      expectRefused(await api("POST", "/pix", { body: wrong, ...bad }), 401)
      const denied = await poor.call("POST", "/pix", { body: wrong, ...bad })
      expectRefused(denied, 403, "PERMISSION_DENIED")
      const forbidden = await closed.call("POST", "/pix", { body: wrong, ...bad })
      expectRefused(forbidden, 403, "SUB_ACCOUNT_FORBIDDEN")
      const unknown = await shop.call("POST", "/pix", { body: wrong, ...bad })
      expectRefused(unknown, 404, "SUB_ACCOUNT_NOT_FOUND")
      const short = await shop.call("POST", "/pix", { body: wrong, key: "short" })
      expectRefused(short, 400, "IDEMPOTENCY_KEY_INVALID")
      expectRefused(await shop.call("POST", "/pix", { body: wrong }), 400, "VALIDATION_ERROR")
      const amount = { amount: 1, projectId: unknownId }
      expectRefused(await shop.call("POST", "/pix", { body: amount }), 404, "PROJECT_NOT_FOUND")
    }
  },
  {
    rules: ["S-304"],
    title: "the trace of a request's traceparent is the traceId of its error",
    run: async ({ api }) => {
      const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
      const headers = { traceparent: `00-${trace}-00f067aa0ba902b7-01` }
      const answer = expectRefused(await api("GET", "/account", { headers }), 401)
      expectEqual("traceId", at(answer.json, "traceId"), trace, answer)
    }
  },
  {
    rules: ["S-206", "S-207", "S-219", "S-313"],
    title:
      "a PSP that does not answer makes POST /pix a 500 InternalError that says nothing inside",
    alone: true,
    run: async (world) => {
      const shop = await world.tenant()
      const faults = [{ operation: "createCharge", kind: "dropRequest", times: 1 }]
      expectStatus(await world.sandbox("PUT", "/faults", { body: { faults } }), 200)
      const answer = await shop.call("POST", "/pix", { body: { amount: 1 } })
      expectStatus(await world.sandbox("PUT", "/faults", { body: { faults: [] } }), 200)
      expectRefused(answer, 500)
      expectThat("no stack is shown", !/\bat \S+ \(|node_modules|\.ts:\d/.test(answer.text), answer)
      expectStatus(await shop.call("POST", "/pix", { body: { amount: 1 } }), 201)
    }
  },
  {
    rules: ["S-330"],
    title: "the interface description is served and labelled version 1.0",
    run: async ({ api }) => {
      const answer = expectStatus(await api("GET", "/openapi.json"), 200)
      const version = String(at(answer.json, "info.version"))
      expectThat(`info.version is 1.0, not ${version}`, /^1\.0(\.0)?$/.test(version))
      const paths = Object.keys(Object(at(answer.json, "paths")) as object)
      for (const path of ["/auth", "/pix", "/withdrawals", "/account", "/balance-blocks"]) {
        expectThat(
          `paths has ${path}`,
          paths.some((one) => one.endsWith(path))
        )
      }
    }
  }
]
