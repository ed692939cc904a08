import { assert, describe, it } from "@effect/vitest"
import { memory, Pagora } from "@pagora/core"
import { WebhookTransportNode } from "@pagora/core/node"
import { sandbox } from "@pagora/core/sandbox"
import { once } from "node:events"
import { createServer } from "node:http"
import type { IncomingHttpHeaders, RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { onTestFinished, vi } from "vitest"
import { openOrders } from "../src/orders.ts"
import type { Orders } from "../src/orders.ts"
import { receiver } from "../src/receiver.ts"

interface Delivery {
  readonly headers: Record<string, string>
  readonly body: Buffer
}

const serving = async (listener: RequestListener) => {
  const server = createServer(listener).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const inFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "pagora-receiver-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, "orders.sqlite")
  const orders = openOrders(path)
  onTestFinished(orders.close)
  return { orders, path }
}

/** A shop whose charge was paid, and the deliveries that its endpoint gets of the service, caught on their way. */
const aShop = async () => {
  const operatorKey = "the operator key of this very test"
  const transport = WebhookTransportNode.layer({ allowLoopbackHttp: true })
  const pagora = await Pagora.start({ storage: memory(), psp: sandbox(), transport, operatorKey })
  onTestFinished(pagora.stop)
  const caught: Array<Delivery> = []
  const url = await serving(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    caught.push({ headers: plain(request.headers), body: Buffer.concat(chunks) })
    response.writeHead(200).end()
  })
  const shop = await pagora.accounts.create({ name: "Loja Azul" })
  const endpoint = await pagora.webhooks.create(shop.id, { url, events: ["payment_completed"] })
  const sell = async (externalReference: string): Promise<Delivery> => {
    const before = caught.length
    const charge = await pagora.charges.create(shop.id, { amount: 25.9, externalReference })
    await pagora.sandbox.pay(charge.id)
    while (caught.length === before) await sleep(10)
    return caught[before] ?? assert.fail()
  }
  const rotate = async (): Promise<string> => {
    const path = `/accounts/${shop.id}/webhook-endpoints/${endpoint.id}/rotate-secret`
    const headers = { authorization: `Bearer ${operatorKey}`, "content-type": "application/json" }
    const init = { method: "POST", headers, body: "{}" }
    const answer = await pagora.operatorFetch(new Request(`http://localhost${path}`, init))
    return String(((await answer.json()) as Record<string, unknown>)["secret"])
  }
  return { secret: endpoint.secret, sell, rotate }
}

const plain = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => /^(?:webhook-|x-service-|content-type)/.test(name))
  ) as Record<string, string>

const send = async (url: string, { body, headers }: Delivery) => {
  const response = await fetch(url, { method: "POST", headers, body: new Uint8Array(body) })
  return `${response.status} ${await response.text()}`.trim()
}

describe("the receiver", () => {
  it("takes an event once, whatever is sent again, and however often at once", async () => {
    const { orders, path } = inFolder()
    const { secret, sell } = await aShop()
    const url = await serving(receiver(orders, [secret]))
    const first = await sell("order-1")
    assert.strictEqual(await send(url, first), "200 taken")
    assert.strictEqual(await send(url, first), "200 known")

    // Two processes with one database.
    const others = openOrders(path)
    onTestFinished(others.close)
    const urls = [url, await serving(receiver(others, [secret]))]
    const second = await sell("order-2")
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => send(urls[index % 2] ?? url, second))
    )
    assert.strictEqual(answers.filter((answer) => answer === "200 taken").length, 1)
    assert.strictEqual(answers.filter((answer) => answer === "200 known").length, 39)
    assert.deepStrictEqual([orders.paid("order-1"), orders.paid("order-2")], [2590, 2590])
  })

  it("takes nothing of an event whose effect failed, and all of it when it comes again", async () => {
    const { orders, path } = inFolder()
    const { secret, sell } = await aShop()
    const told = vi.spyOn(console, "error").mockReturnValue()
    onTestFinished(() => void told.mockRestore())
    const { DatabaseSync } = await import("node:sqlite")
    const database = new DatabaseSync(path)
    onTestFinished(() => database.close())
    database.exec(
      "create trigger broken before insert on paid begin select raise(abort, 'no'); end"
    )
    const url = await serving(receiver(orders, [secret]))
    const delivery = await sell("order-1")
    assert.strictEqual(await send(url, delivery), "500")
    database.exec("drop trigger broken")
    assert.strictEqual(await send(url, delivery), "200 taken")
    assert.strictEqual(orders.paid("order-1"), 2590)
  })

  it("refuses what is forged, tampered with, late, or too long", async () => {
    const taken: Array<string> = []
    const orders: Pick<Orders, "take"> = {
      take: ({ eventId }) => {
        taken.push(eventId)
        return "taken"
      }
    }
    const { secret, sell } = await aShop()
    const told = vi.spyOn(console, "error").mockReturnValue()
    onTestFinished(() => void told.mockRestore())
    const url = await serving(receiver(orders, [secret]))
    const delivery = await sell("order-1")
    const richer = Buffer.from(delivery.body.toString("utf8").replace("25.9", "95.9"))
    assert.strictEqual(await send(url, { ...delivery, body: richer }), "400")
    assert.strictEqual(await send(url, { ...delivery, headers: {} }), "400")
    const unsigned = Object.entries(delivery.headers).filter(([name]) => name.startsWith("x-"))
    const old = { ...delivery, headers: Object.fromEntries(unsigned) }
    assert.strictEqual(await send(url, old), "400", "without a signed time")
    const foreign = await serving(receiver(orders, ["whsec_c29tZWJvZHkgZWxzZSdzIHNlY3JldA=="]))
    assert.strictEqual(await send(foreign, delivery), "400")
    const later = await serving(receiver(orders, [secret], () => Date.now() + 301_000))
    assert.strictEqual(await send(later, delivery), "400", "recorded, and sent again later")
    const long = { ...delivery, body: Buffer.alloc(300_000, 0x20) }
    assert.strictEqual(await send(url, long), "413")
    assert.strictEqual(await send(await serving(receiver(orders, [])), delivery), "500")
    assert.deepStrictEqual(taken, [])
    assert.strictEqual(await send(url, delivery), "200 taken")
  })

  it("goes on while one secret replaces another, whichever it has", async () => {
    const { orders } = inFolder()
    const { rotate, secret, sell } = await aShop()
    const next = await rotate()
    assert.notStrictEqual(next, secret)
    const delivery = await sell("order-1")
    for (const secrets of [[secret], [next], [next, secret]]) {
      const url = await serving(receiver(orders, secrets))
      assert.match(await send(url, delivery), /^200/)
    }
    assert.strictEqual(orders.paid("order-1"), 2590)
  })
})
