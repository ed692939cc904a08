import type { FakeBankOptions } from "@pagora/fake-bank"
import { describe, expect, it } from "vitest"
import { customerOf } from "./Customer.test-data.ts"
import { closesTowns, town } from "./Town.test-data.ts"

closesTowns()

const world = async (options: Partial<FakeBankOptions> = {}) => {
  const { ask, bank, receiver } = await town({ bank: "inter", ...options })
  const banking = `${bank.urls.origin}/banking/v2`
  await ask("PUT", `${banking}/webhooks/pix-pagamento`, { webhookUrl: receiver.url })
  return { bank, receiver, ask, banking }
}

const key = { "x-id-idempotente": "0196b1de-0000-4000-8000-000000000001" }
const payout = { valor: 15.5, destinatario: { tipo: "CHAVE", chave: "52998224725" } }
const codeOf = ({ json }: { json: Readonly<Record<string, unknown>> }) =>
  String(json["codigoSolicitacao"])

describe("Inter", () => {
  it("makes one payout under one key, and finds it by its own id alone", async () => {
    const { ask, bank, banking, receiver } = await world()
    const first = await ask("POST", `${banking}/pix`, payout, key)
    expect(first).toMatchObject({ status: 200, json: { tipoRetorno: "PROCESSADO" } })
    const again = await ask("POST", `${banking}/pix`, payout, key)
    expect(codeOf(again)).toBe(codeOf(first))
    expect(bank.account.balance).toBe(8450)
    bank.settlePayout(codeOf(first), "completed")
    const found = await ask("GET", `${banking}/pix/${codeOf(first)}`)
    expect(found.json).toMatchObject({
      transacaoPix: { status: "PAGO", valor: 15.5, recebedor: { cpfCnpj: "***.982.247-**" } },
      historico: [{ status: "ENVIADO" }, { status: "PAGO" }]
    })
    await bank.callbacks.idle()
    const told = receiver.got.at(-1)
    expect(told?.body).toMatchObject({
      codigoSolicitacao: codeOf(first),
      status: "EFETIVADO",
      valor: "15.50"
    })
    expect(told?.headers["x-conta-corrente"]).toBe(bank.account.id)
    expect(bank.findings).toEqual([])
  })

  it("finds that a payout without a key would be paid twice", async () => {
    const { ask, bank, banking } = await world()
    await ask("POST", `${banking}/pix`, payout)
    await ask("POST", `${banking}/pix`, payout)
    expect(bank.account.balance).toBe(6900)
    expect(bank.findings).toHaveLength(2)
    expect(bank.findings[0]).toMatchObject({ by: "caller", operation: "sendPayout" })
  })

  it("waits for an approval for days, which may come, expire or be refused", async () => {
    const { ask, bank, banking, receiver } = await world({
      payoutsNeedApproval: true,
      settlesAfterMillis: 1000
    })
    const sent = await ask("POST", `${banking}/pix`, payout, key)
    expect(sent.json["tipoRetorno"]).toBe("APROVACAO")
    await bank.clock.advance(3 * 86_400_000)
    const token = await customerOf(bank)
    const stateOf = async () =>
      (await token("GET", `${banking}/pix/${codeOf(sent)}`)).json["transacaoPix"] as {
        status: string
      }
    expect((await stateOf()).status).toBe("AGUARDANDO_APROVACAO")
    bank.approvePayout(codeOf(sent))
    expect((await stateOf()).status).toBe("ENVIADO")
    const other = await token("POST", `${banking}/pix`, payout, {
      "x-id-idempotente": "0196b1de-0000-4000-8000-000000000002"
    })
    bank.settlePayout(codeOf(other), "failed", { code: "EXPIRADO", message: "Aprovação expirada" })
    await bank.callbacks.idle()
    expect(receiver.got.at(-1)?.body).toMatchObject({ status: "APROVACAO_EXPIRADA" })
    expect(bank.account.balance).toBe(8450)
  })

  it("refuses in the words of its banking API, and keeps a log of callbacks", async () => {
    const { ask, bank, banking, receiver } = await world()
    const refused = await ask("POST", `${banking}/pix`, { ...payout, valor: 1000 }, key)
    expect(refused).toMatchObject({
      status: 400,
      json: { erro: { mensagemDetalhe: expect.stringContaining("Saldo"), status: 400 } }
    })
    await ask("PUT", `${bank.urls.api}/webhook/${bank.pixKey}`, { webhookUrl: receiver.url })
    receiver.answer(500)
    bank.payKey({ centavos: 100 })
    await bank.callbacks.idle()
    receiver.answer(200)
    await bank.clock.advance(60_000)
    const log = await ask("GET", `${bank.urls.api}/webhook/callbacks`)
    expect(log.json["data"]).toMatchObject([
      { numeroTentativa: 1, sucesso: false, httpStatus: 500 },
      { numeroTentativa: 2, sucesso: true, httpStatus: 200 }
    ])
  })
})
