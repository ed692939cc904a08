import { createSecureContext } from "node:tls"
import type { FakeBank } from "@pagora/fake-bank"
import { describe, expect, it } from "vitest"
import { call, tokenCall } from "./Customer.test-data.ts"
import { closesTowns, town } from "./Town.test-data.ts"

closesTowns()

const txid = "a".repeat(26)
const banks = [
  "efi",
  "inter",
  "bb",
  "bradesco",
  "itau",
  "santander",
  "sicoob",
  "sicredi",
  "pagbank"
] as const

const chargeOf = ({ pixKey }: FakeBank) => ({
  calendario: { expiracao: 600 },
  valor: { original: "25.90" },
  chave: pixKey
})

describe.each(banks)("%s", (name) => {
  it("takes a charge, its payment, a part of it back, and tells of both", async () => {
    const { ask, bank, receiver } = await town({ bank: name, balance: 0 })
    const { resources } = bank.urls
    const registered = await ask("PUT", `${resources.webhook}/webhook/${bank.pixKey}`, {
      webhookUrl: receiver.url
    })
    expect([200, 201]).toContain(registered.status)

    const created = await ask("PUT", `${resources.cob}/cob/${txid}`, chargeOf(bank))
    expect([200, 201]).toContain(created.status)
    expect(created.json["status"]).toBe("ATIVA")
    expect(created.json["pixCopiaECola"] ?? created.json["brcode"]).toMatch(
      /^000201.*6304[0-9A-F]{4}$/
    )

    const { endToEndId } = bank.pay(txid)
    const paid = await ask("GET", `${resources.cob}/cob/${txid}`)
    expect(paid.json).toMatchObject({
      status: "CONCLUIDA",
      pix: [{ endToEndId, valor: "25.90", txid }]
    })

    const back = `${resources.pix}/pix/${endToEndId}/devolucao/r1`
    const begun = await ask("PUT", back, { valor: "10.00" })
    expect(begun.json["status"]).toBe("EM_PROCESSAMENTO")
    bank.settleReturn("r1", "DEVOLVIDO")
    expect((await ask("GET", back)).json["status"]).toBe("DEVOLVIDO")
    const tooMuch = await ask("PUT", `${resources.pix}/pix/${endToEndId}/devolucao/r2`, {
      valor: "15.91"
    })
    expect(tooMuch.status).toBe(400)

    await bank.callbacks.idle()
    const told = receiver.got.filter(({ path }) => path === "/webhook/pix")
    expect(told.map(({ isBank }) => isBank)).toEqual([true, true])
    expect(told[0]?.body).toMatchObject({ pix: [{ endToEndId }] })
    expect(bank.account.balance).toBe(1590)
    expect(bank.findings).toEqual([])
  })
})

describe("the door", () => {
  it("lets nobody in without a certificate", async () => {
    const { bank } = await town({ bank: "efi" })
    await expect(call(bank, { ...tokenCall(bank), shows: false })).rejects.toThrow()
  })

  it("gives a token that lasts an hour of the bank's time", async () => {
    const { ask, bank } = await town({ bank: "inter" })
    expect((await ask("GET", `${bank.urls.api}/cob/${txid}`)).status).toBe(404)
    await bank.clock.advance(3_600_000)
    expect((await ask("GET", `${bank.urls.api}/cob/${txid}`)).status).toBe(401)
  })

  it("has the customer's certificate as a .p12 file, too", async () => {
    const { bank } = await town({ bank: "efi" })
    const { passphrase, pfx } = bank.client
    expect(() => createSecureContext({ pfx: Buffer.from(pfx), passphrase })).not.toThrow()
  })
})
