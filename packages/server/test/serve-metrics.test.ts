import { assert, describe, it } from "@effect/vitest"
import { eventually, startReceiver } from "@pagora/testkit"
import { createServer } from "node:http"
import type { ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { TestContext } from "vitest"
import { asShop, tokenOf, worldOf } from "./ServeWorld.test-data.ts"
import type { Deployment, Shop } from "./ServeWorld.test-data.ts"

/** A receiver that takes webhooks and answers none, until it is told to answer all. */
const startHanging = async ({ onTestFinished }: TestContext) => {
  const waiting = new Set<ServerResponse>()
  let isHanging = true
  const server = createServer((request, response) => {
    request.resume()
    if (isHanging) waiting.add(response)
    else response.end()
  })
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    answer: () => {
      isHanging = false
      for (const response of waiting) response.end()
    }
  }
}

const endpointAt = async (deployment: Deployment, url: string) => {
  const shop = await deployment.shop()
  const { json } = await deployment.operator(
    "POST",
    `/accounts/${shop.accountId}/webhook-endpoints`,
    {
      body: { url }
    }
  )
  return { shop, endpoint: json.id }
}

const paidOften = async ({ api, sandbox }: Deployment, shop: Shop) => {
  const call = asShop(api, await tokenOf(api, shop))
  for (let count = 0; count < 6; count++) {
    const { json } = await call("POST", "/pix", { body: { amount: 10 } })
    assert.strictEqual((await sandbox("POST", `/charges/${json.id}/pay`)).status, 200)
  }
}

/** Seconds by endpoint, as a scrape shows them. */
const oldestIn = async (deployment: Deployment): Promise<ReadonlyMap<string, number>> => {
  const { text } = await deployment.probe("GET", "/metrics")
  const series = text.matchAll(
    /^pagora_webhook_oldest_delivery_seconds\{endpoint="([^"]+)"\} (\S+)$/gm
  )
  return new Map(Array.from(series, ([, endpoint = "", seconds]) => [endpoint, Number(seconds)]))
}

describe("/metrics of pagora serve", { timeout: 120_000 }, () => {
  it("tells how long deliveries wait at the endpoint that hangs, and nothing of one that keeps up", async (context) => {
    const world = await worldOf(context)
    const [quick, hanging] = [await startReceiver(), await startHanging(context)]
    context.onTestFinished(() => quick.close())
    const deployment = await world.start()
    const calm = await endpointAt(deployment, quick.url)
    const stuck = await endpointAt(deployment, hanging.url)
    await paidOften(deployment, calm.shop)
    await paidOften(deployment, stuck.shop)
    await eventually(() => (quick.received.length >= 6 ? true : undefined))

    // Four of the six are on their way; the others wait for a slot.
    const waited = await eventually(async () => {
      const oldest = await oldestIn(deployment)
      return Number(oldest.get(stuck.endpoint)) > 1 ? oldest : undefined
    })
    assert.deepStrictEqual([...waited.keys()], [stuck.endpoint])

    hanging.answer()
    await eventually(async () => ((await oldestIn(deployment)).size === 0 ? true : undefined))
  })
})
