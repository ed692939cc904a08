import { Agent, request } from "node:https"
import type { TLSSocket } from "node:tls"
import { describe, expect, it } from "vitest"
import { call, tokenCall } from "./Customer.test-data.ts"
import { closesTowns, town } from "./Town.test-data.ts"

closesTowns()

describe("certificates", () => {
  it("of the customer are renewed and revoked while the bank runs", async () => {
    const { bank } = await town({ bank: "efi" })
    const next = await bank.certificates.renewClient(30)
    bank.certificates.revokeClient(bank.client.certificate)
    await expect(call(bank, tokenCall(bank))).rejects.toThrow()
    const renewed = { ...bank, client: { ...bank.client, ...next } }
    expect((await call(renewed, tokenCall(renewed))).status).toBe(200)
  })

  it("of the server change under the same authority", async () => {
    const { bank } = await town({ bank: "efi" })
    await bank.certificates.renewServer()
    expect((await call(bank, tokenCall(bank))).status).toBe(200)
    await bank.certificates.renewServer(-1)
    await expect(call(bank, tokenCall(bank))).rejects.toThrow("expired")
  })

  it("are what tells a callback from a forged one, and a foreign one from ours nothing does", async () => {
    const { bank, receiver } = await town({ bank: "efi" })
    const body = { pix: [] }
    for (const shows of ["stranger", "nothing", "bank"] as const) {
      await bank.callbacks.forge(`${receiver.url}/pix`, body, shows)
    }
    expect(receiver.got.map(({ isBank }) => isBank)).toEqual([false, false, true])
    bank.openAccount({ key: "outra@loja.example", webhookUrl: receiver.url })
    bank.payKey({ key: "outra@loja.example", centavos: 100, txid: "x" })
    await bank.callbacks.idle()
    expect(receiver.got.at(-1)).toMatchObject({
      isBank: true,
      body: { pix: [{ chave: "outra@loja.example" }] }
    })
  })
})

describe("a connection", () => {
  it("goes on from the session of the one before it", async () => {
    const { bank } = await town({ bank: "efi" })
    const { certificate, key } = bank.client
    const agent = new Agent({ ca: bank.ca, cert: certificate, key })
    const reused: Array<boolean> = []
    for (let turn = 0; turn < 2; turn += 1) {
      await new Promise<void>((resolve, reject) => {
        const sent = request(bank.urls.token, { agent, method: "POST" }, (answer) => {
          reused.push((answer.socket as TLSSocket).isSessionReused())
          answer.resume().on("end", resolve)
        })
        sent.on("error", reject)
        sent.end()
      })
    }
    expect(reused).toEqual([false, true])
  })
})
