import { assert, describe, it } from "@effect/vitest"
import { Pagora } from "@pagora/core"
import { sendRaw } from "@pagora/testkit"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { codeOf, refusalOf, small, until, withPagora } from "../world/Embedding.test-data.ts"

const slow = { faults: [{ kind: "delay", operation: "createCharge", delaySeconds: 1 }] } as const

const account = () => new Request("http://pagora.internal/account")

describe("stop", () => {
  it("ends what was begun, and refuses what comes after", async () => {
    const pagora = await Pagora.start(small)
    const { id } = await pagora.accounts.create({ name: "Loja Azul" })
    await pagora.sandbox.setFaults(slow)
    const begun = pagora.charges.create(id, { amount: 5 })
    const stopping = pagora.stop()
    assert.strictEqual(pagora.stop(), stopping)
    assert.strictEqual((await refusalOf(pagora.charges.create(id, { amount: 5 }))).code, "STOPPING")
    const response = await pagora.fetch(account())
    assert.deepStrictEqual([response.status, await codeOf(response)], [503, "STOPPING"])
    assert.strictEqual((await begun).status, "pending")
    await stopping
    assert.strictEqual((await pagora.fetch(account())).status, 503)
    assert.strictEqual((await refusalOf(pagora.audit())).code, "STOPPING")
    assert.strictEqual(
      (await refusalOf(pagora.on("payment_completed", { name: "late" }, () => undefined))).code,
      "STOPPING"
    )
    await pagora.stop()
  })

  it("waits for a handler that is at work", async () => {
    const pagora = await Pagora.start(small)
    const { id } = await pagora.accounts.create({ name: "Loja Azul" })
    let state = "none"
    await pagora.on("payment_completed", { name: "orders" }, async () => {
      state = "begun"
      await new Promise((resolve) => setTimeout(resolve, 500))
      state = "done"
    })
    const charge = await pagora.charges.create(id, { amount: 5 })
    await pagora.sandbox.pay(charge.id)
    await until(() => state === "begun")
    await pagora.stop()
    assert.strictEqual(state, "done")
  })
})

describe("the listener", () => {
  it("answers below its base path, and 503 when the service is stopped", () =>
    withPagora({ basePath: "/payments/v2" }, async (pagora) => {
      const server = createServer(pagora.listener).listen(0, "127.0.0.1")
      await new Promise((resolve) => server.once("listening", resolve))
      const { port } = server.address() as AddressInfo
      const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
      try {
        assert.strictEqual(await codeOf(await get("/payments/v2/account")), "TOKEN_MISSING")
        assert.strictEqual((await get("/payments/v2beta/account")).status, 404)
        await pagora.stop()
        assert.strictEqual((await get("/payments/v2/account")).status, 503)
      } finally {
        server.closeAllConnections()
        server.close()
      }
    }))
})

describe("a client that never ends its request", () => {
  it("keeps the service from stopping for 8 seconds, and no longer", () =>
    withPagora({}, async (pagora) => {
      const server = createServer(pagora.listener).listen(0, "127.0.0.1")
      await new Promise((resolve) => server.once("listening", resolve))
      const { port } = server.address() as AddressInfo
      const { clientId, clientSecret } = await pagora.credentials.issue(
        (await pagora.accounts.create({ name: "Loja Azul" })).id,
        { permissions: ["FULL_ACCESS"] }
      )
      const body = JSON.stringify({ client_id: clientId, client_secret: clientSecret })
      const head = `POST /auth HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length + 1}\r\n\r\n`
      const asked = sendRaw(port, [head + body], { within: 30_000 })
      try {
        await new Promise((resolve) => setTimeout(resolve, 200))
        const started = performance.now()
        await pagora.stop()
        const took = performance.now() - started
        assert.isTrue(took > 7_000 && took < 15_000, String(took))
        const { isClosed, statuses } = await asked
        assert.isTrue(isClosed || statuses[0] === 503, statuses.join(", "))
      } finally {
        server.closeAllConnections()
        server.close()
      }
    }))
})

describe("the log", () => {
  it("goes to the host's function", async () => {
    const entries: Array<string> = []
    await withPagora(
      { logger: ({ level, message }) => entries.push(`${level} ${String(message)}`) },
      async (pagora) => {
        const { id } = await pagora.accounts.create({ name: "Loja Azul" })
        await pagora.on("payment_completed", { name: "orders" }, () => {
          throw new Error("No.")
        })
        const charge = await pagora.charges.create(id, { amount: 5 })
        await pagora.sandbox.pay(charge.id)
        await until(() => entries.some((entry) => subscriberFailed.test(entry)))
      }
    )
  })
})

const subscriberFailed = /^ERROR A subscriber did not handle an event; it comes again\.$/i
