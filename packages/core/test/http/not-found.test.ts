import { assert, describe, it } from "@effect/vitest"
import { TestPagora } from "@pagora/testkit"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../../src/app/Api.ts"
import { OperatorApi } from "../../src/operator/OperatorApi.ts"
import { SandboxApi } from "../../src/sandbox/SandboxApi.ts"
import { world } from "../world/ServiceWorld.test-data.ts"

const unknownId = "0190163d-8694-739b-aea5-966c26f8ad91"

/** Bodies that get as far as to the id, where an empty one does not. */
const bodies: Readonly<Record<string, object>> = {
  "POST /infractions/:id/decide": { outcome: "rejected" },
  "POST /discrepancies/:id/resolve": { reason: "looked at" },
  "POST /psp-returns/:id/resolve": { outcome: "charged", reason: "looked at" },
  "POST /refunds/:id/settle": { outcome: "confirmed" }
}

/** By `details.resource`. */
const codes: Readonly<Record<string, string>> = {
  account: "ACCOUNT_NOT_FOUND",
  "balance block": "BALANCE_BLOCK_NOT_FOUND",
  charge: "CHARGE_NOT_FOUND",
  credential: "CREDENTIAL_NOT_FOUND",
  delivery: "DELIVERY_NOT_FOUND",
  discrepancy: "DISCREPANCY_NOT_FOUND",
  infraction: "INFRACTION_NOT_FOUND",
  payment: "PAYMENT_NOT_FOUND",
  pspCredential: "PSP_CREDENTIAL_NOT_FOUND",
  pspReturn: "PSP_RETURN_NOT_FOUND",
  refund: "REFUND_NOT_FOUND",
  return: "RETURN_NOT_FOUND",
  "sub-account": "SUB_ACCOUNT_NOT_FOUND",
  transaction: "TRANSACTION_NOT_FOUND",
  "webhook endpoint": "WEBHOOK_ENDPOINT_NOT_FOUND",
  withdrawal: "WITHDRAWAL_NOT_FOUND"
}

const endpointsOf = (api: object): ReadonlyArray<{ method: string; path: string }> => {
  const all: Array<{ method: string; path: string }> = []
  HttpApi.reflect(api as HttpApi.Top, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => all.push({ method: endpoint.method, path: endpoint.path })
  })
  return all.filter(({ path }) => path.includes("/:"))
}

describe("a 404", () => {
  it.effect("has the code of what is not there, in all three APIs", () =>
    Effect.gen(function* () {
      const { operator, sandbox, tenant } = yield* TestPagora
      const shop = yield* tenant({ permissions: ["FULL_ACCESS"], subAccountAccess: true })
      const asked = [
        ...endpointsOf(Api).map((one) => ({ ...one, call: shop.call })),
        ...endpointsOf(OperatorApi).map((one) => ({ ...one, call: operator })),
        ...endpointsOf(SandboxApi).map((one) => ({ ...one, call: sandbox }))
      ]
      const told = new Map<unknown, unknown>()
      const wrong: Array<string> = []
      for (const { call, method, path } of asked) {
        const accounts = path.startsWith("/accounts/:id/") ? [unknownId, shop.id] : [unknownId]
        for (const account of accounts) {
          const url = path
            .replace("/accounts/:id", `/accounts/${account}`)
            .replace(":reference", "nobody")
            .replaceAll(/:\w+/g, unknownId)
          const body = method === "GET" ? {} : { body: bodies[`${method} ${path}`] ?? {} }
          const { json, status } = yield* call(method, url, body)
          if (status !== 404) continue
          const { code, resource } = json.details ?? {}
          if (!told.has(resource)) told.set(resource, code)
          if (code === undefined || code !== told.get(resource))
            wrong.push(`${method} ${path}: ${String(resource)} ${String(code)}`)
        }
      }
      assert.deepStrictEqual(wrong, [])
      assert.deepStrictEqual(Object.fromEntries(told), codes)
    }).pipe(Effect.provide(world))
  )
})
