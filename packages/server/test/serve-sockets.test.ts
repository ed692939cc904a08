import { assert, describe, it } from "@effect/vitest"
import { rawRequests, sendRaw } from "@pagora/testkit"
import type { RawCase } from "@pagora/testkit"
import { asShop, operatorKey, tokenOf, worldOf } from "./ServeWorld.test-data.ts"

/** Requests that two parsers could cut at different places, and what is not HTTP. */
const hostile: ReadonlyArray<RawCase> = [
  ...rawRequests.repeated,
  ...rawRequests.framing,
  ...rawRequests.malformed
]

const raw = (port: number, lines: ReadonlyArray<string>) =>
  sendRaw(port, [`${lines.join("\r\n")}\r\n\r\n`])

describe("the listeners of pagora serve", { timeout: 120_000 }, () => {
  it.concurrent("take nothing that two parsers could read in two ways", async (context) => {
    const world = await worldOf(context)
    const deployment = await world.start({ PAGORA_RATE_LIMITS: "off" })
    const { baseUrl = "", operatorUrl } = deployment.facts
    const token = await tokenOf(deployment.api, await deployment.shop())
    // What stands in a header of the corpus opens the operator's API as well.
    const doors = [
      { port: Number(new URL(baseUrl).port), mount: "/v2", token },
      { port: Number(new URL(operatorUrl).port), mount: "/operator/v1", token: operatorKey }
    ]
    const outcomes = await Promise.all(
      doors.flatMap((door) =>
        hostile.map(async (one) => {
          const ref = `raw-${one.name.replaceAll(/\W/g, "-")}`
          const outcome = await sendRaw(door.port, [one.bytes({ ...door, ref })])
          return { name: `${door.mount}: ${one.name}`, ref, outcome }
        })
      )
    )
    for (const { name, outcome } of outcomes) {
      const { isClosed, statuses, text } = outcome
      assert.isTrue(statuses.length > 0 || isClosed, `${name}: it hangs`)
      assert.isAtMost(statuses.length, 1, `${name}: one request, ${statuses.length} answers`)
      for (const status of statuses) {
        assert.isAtLeast(status, 400, `${name}: ${text.slice(0, 300)}`)
        assert.isBelow(status, 500, `${name}: ${text.slice(0, 300)}`)
      }
    }
    const { json } = await asShop(deployment.api, token)("GET", "/transactions")
    assert.deepStrictEqual(json.data, [])
  })

  it.concurrent("bound the headers, and are marked for nobody's cache, wherever they answer", async (context) => {
    const world = await worldOf(context)
    const deployment = await world.start()
    const { baseUrl = "", operatorUrl } = deployment.facts
    for (const url of [baseUrl, operatorUrl]) {
      const port = Number(new URL(url).port)
      const many = await raw(port, [
        "GET /health/live HTTP/1.1",
        "Host: x",
        `X: ${"x".repeat(17_000)}`
      ])
      assert.deepStrictEqual(many.statuses, [431])
      assert.isTrue(many.isClosed)
      const none = await raw(port, ["GET /health/live HTTP/1.1"])
      assert.deepStrictEqual(none.statuses, [400])
    }
    for (const path of [
      "/health/live",
      "/health/ready",
      "/metrics",
      "/operator/v1/audit",
      "/nothing"
    ]) {
      const { headers } = await deployment.probe("GET", path)
      assert.include(headers["cache-control"], "no-store", path)
      assert.strictEqual(headers["x-content-type-options"], "nosniff", path)
      assert.isUndefined(headers["access-control-allow-origin"], path)
      assert.isUndefined(headers["x-powered-by"], path)
    }
  })
})
