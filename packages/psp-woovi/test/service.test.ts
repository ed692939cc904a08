import { assert, it } from "@effect/vitest"
import { memory, Pagora } from "@pagora/core"
import { startFakeWoovi } from "@pagora/fake-bank/woovi"
import { Effect } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { woovi } from "../src/Woovi.ts"

const id = "6f1d7e0a-53f0-4c1e-9f0b-0f8a1c9d2e47"

/** Looks until it is so: what happens at Woovi comes by a callback and a question. */
const until = async (what: string, isSo: () => Promise<boolean>) => {
  for (let tries = 0; tries < 200; tries++) {
    if (await isSo()) return
    await sleep(50)
  }
  assert.fail(`It never was so: ${what}.`)
}

/** A service with Woovi as its PSP, which is told of what happens there over a socket. */
const started = async () => {
  const bank = await startFakeWoovi()
  const psp = woovi({
    appId: bank.appId,
    url: bank.url,
    environment: "sandbox",
    publicKeys: bank.keys.published()
  })
  const pagora = await Pagora.start({
    storage: memory(),
    psp: { default: id, psps: { [id]: psp } },
    logger: false
  })
  const server = createServer(pagora.listener).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const webhookUrl = `http://127.0.0.1:${port}/psp/${id}/webhook`
  const prepared = await Effect.runPromise(psp.prepare?.({ webhookUrl }) ?? Effect.die("left out"))
  assert.deepStrictEqual(
    prepared.map(({ state }) => state),
    ["ok"]
  )
  const stop = async () => {
    server.closeAllConnections()
    server.close()
    await pagora.stop()
    await bank.close()
  }
  return { bank, pagora, stop, webhookUrl }
}

it(
  "a service is paid, pays out, gives back and is told of fraud",
  { timeout: 60_000 },
  async () => {
    const { bank, pagora, stop, webhookUrl } = await started()
    try {
      const { id: shop } = await pagora.accounts.create({ name: "Loja Azul" })
      const charge = await pagora.charges.create(shop, { amount: 25.9 })
      const { endToEndId } = bank.pay(charge.id.replaceAll("-", ""))
      const statusOf = async (transaction: string) =>
        (await pagora.transactions.find(shop, transaction)).status
      await until("paid", async () => (await statusOf(charge.id)) === "completed")

      const sent = await pagora.withdrawals.create(shop, {
        amount: 10,
        pixKey: "ana@example.com",
        pixKeyType: "email"
      })
      await until("sent", async () => bank.world.payouts.length === 1)
      const reference = bank.world.payouts[0]?.reference ?? ""
      const payout = async () => (await pagora.withdrawals.find(shop, sent.id)).status
      bank.settlePayout(reference, "completed")
      await until("paid out", async () => (await payout()) === "completed")
      bank.settlePayout(reference, "reversed")
      await until("back", async () => (await payout()) === "reversed")

      bank.reportInfraction(endToEndId)
      const block = async () => (await pagora.blocks.list(shop)).items[0]?.status
      await until("blocked", async () => (await block()) === "awaiting_response")
      bank.decideInfraction(endToEndId, "rejected")
      await until("let go", async () => (await block()) === "rejected")
      bank.payKey({ centavos: 500 })
      await until("in suspense", async () => (await pagora.suspense.list()).data.length > 0)

      await pagora.refunds.request(shop, charge.id)
      const backs = () => bank.world.payments.get(endToEndId)?.returns ?? []
      await until("given back", async () => backs().length === 1)
      assert.strictEqual(backs()[0]?.centavos, 2_590)

      const forged = await fetch(webhookUrl, { method: "POST", body: '{"evento":"teste_webhook"}' })
      assert.strictEqual(forged.status, 401)
      assert.isTrue((await pagora.audit()).ok)
    } finally {
      await stop()
    }
  }
)
