import type { FakeBank, FakeBankOptions } from "@pagora/fake-bank"
import { describe, expect, it } from "vitest"
import type { Receiver } from "./Customer.test-data.ts"
import type { Town } from "./Town.test-data.ts"
import { closesTowns, town } from "./Town.test-data.ts"

closesTowns()

const world = (options: Partial<FakeBankOptions> = {}) => town({ bank: "efi", ...options })

const register = (ask: Town["ask"], { pixKey, urls }: FakeBank, { url }: Receiver) =>
  ask("PUT", `${urls.api}/webhook/${pixKey}`, { webhookUrl: url })

const payoutOf = ({ pixKey }: FakeBank, valor: string, more = {}) => ({
  valor,
  pagador: { chave: pixKey },
  favorecido: { chave: "52998224725", ...more }
})

const toldOf = ({ got }: Receiver) => got.filter(({ path }) => path === "/webhook/pix")

describe("Efí", () => {
  it("tries an address without and with its certificate before it takes it", async () => {
    const { ask, bank, receiver } = await world()
    receiver.answer(500)
    const refused = await register(ask, bank, receiver)
    expect(refused.json).toEqual({
      nome: "webhook_invalido",
      mensagem: "A URL informada respondeu com o código HTTP 500"
    })
    receiver.answer(200)
    expect((await register(ask, bank, receiver)).status).toBe(201)
    expect(receiver.got.map(({ isBank }) => isBank)).toEqual([false, true, false, true])
    expect(receiver.got.every(({ path }) => path === "/webhook")).toBe(true)
    const plain = await ask("PUT", `${bank.urls.api}/webhook/${bank.pixKey}`, {
      webhookUrl: "http://127.0.0.1:1/"
    })
    expect(plain.json["nome"]).toBe("valor_invalido")
  })

  it("adds /pix to whatever the address ends in", async () => {
    const { ask, bank, receiver } = await world()
    const url = `${receiver.url}?hmac=x&ignorar=`
    const headers = { "x-skip-mtls-checking": "true" }
    await ask("PUT", `${bank.urls.api}/webhook/${bank.pixKey}`, { webhookUrl: url }, headers)
    await ask("PUT", `${bank.urls.api}/cob/${"a".repeat(26)}`, {
      calendario: {},
      valor: { original: "1.00" },
      chave: bank.pixKey
    })
    bank.pay("a".repeat(26))
    await bank.callbacks.idle()
    expect(receiver.got.at(-1)?.path).toBe("/webhook?hmac=x&ignorar=/pix")
  })

  it("sends no Pix for a key without a webhook, and one only once under an id", async () => {
    const { ask, bank, receiver } = await world()
    const at = `${bank.urls.origin}/v3/gn/pix/p1`
    expect((await ask("PUT", at, payoutOf(bank, "15.00"))).json["nome"]).toBe(
      "webhook_nao_cadastrado"
    )
    await register(ask, bank, receiver)
    const taken = await ask("PUT", at, payoutOf(bank, "15.00", { cpf: "52998224725" }))
    expect(taken).toMatchObject({
      status: 201,
      json: { idEnvio: "p1", status: "EM_PROCESSAMENTO" }
    })
    expect((await ask("PUT", at, payoutOf(bank, "15.00"))).status).toBe(409)
    const other = payoutOf(bank, "1.00", { cpf: "11144477735" })
    expect((await ask("PUT", `${bank.urls.origin}/v3/gn/pix/p2`, other)).json["nome"]).toBe(
      "documento_divergente"
    )
    expect(bank.account.balance).toBe(8500)

    bank.settlePayout("p1", "failed")
    await bank.callbacks.idle()
    expect(toldOf(receiver).at(-1)?.body).toMatchObject({
      pix: [
        {
          tipo: "SOLICITACAO",
          status: "NAO_REALIZADO",
          horario: null,
          gnExtras: { idEnvio: "p1", erro: { codigo: "AC03" } }
        }
      ]
    })
    const found = await ask("GET", `${bank.urls.origin}/v2/gn/pix/enviados/id-envio/p1`)
    expect(found.json).toMatchObject({ idEnvio: "p1", status: "NAO_REALIZADO", valor: "15.00" })
    expect(bank.account.balance).toBe(10_000)
    const unknown = await ask("GET", `${bank.urls.origin}/v2/gn/pix/enviados/id-envio/p9`)
    expect(unknown.json["type"]).toBe("https://pix.bcb.gov.br/api/v2/error/PixNaoEncontrado")
    expect(bank.findings).toEqual([])
  })

  it("does by the amount what its sandbox does", async () => {
    const { ask, bank, receiver } = await world({ sandboxAmounts: true })
    await register(ask, bank, receiver)
    const txids = { small: "s".repeat(26), large: "l".repeat(26) }
    const charge = (original: string) => ({
      calendario: {},
      valor: { original },
      chave: bank.pixKey
    })
    await ask("PUT", `${bank.urls.api}/cob/${txids.small}`, charge("10.00"))
    await ask("PUT", `${bank.urls.api}/cob/${txids.large}`, charge("10.01"))
    const send = (id: string, valor: string) =>
      ask("PUT", `${bank.urls.origin}/v3/gn/pix/${id}`, payoutOf(bank, valor))
    expect((await send("p20", "20.01")).status).toBe(400)
    for (const [id, valor] of [
      ["p10", "10.00"],
      ["p15", "15.00"],
      ["p4", "4.00"],
      ["p5", "5.00"]
    ] as const) {
      expect((await send(id, valor)).status).toBe(201)
    }
    await bank.clock.advance(1000)
    await bank.callbacks.idle()
    expect(bank.charge(txids.small).status).toBe("CONCLUIDA")
    expect(bank.charge(txids.large).status).toBe("ATIVA")
    expect(["p10", "p15", "p4", "p5"].map((id) => bank.payout(id).status)).toEqual([
      "completed",
      "failed",
      "reversed",
      "reversed"
    ])
    expect(bank.payout("p4").returns.map(({ centavos }) => centavos)).toEqual([200, 200])
    expect(bank.account.balance).toBe(10_000 + 1000 - 1000)
  })

  it("pays no charge by itself that the settings take no money for", async () => {
    const { ask, bank } = await world({ sandboxAmounts: true })
    const recebimento = { recusarTipoPessoa: "PF" }
    await ask("PUT", `${bank.urls.origin}/v2/gn/config`, {
      pix: { chaves: { [bank.pixKey]: { recebimento } } }
    })
    const txid = "s".repeat(26)
    await ask("PUT", `${bank.urls.api}/cob/${txid}`, {
      calendario: {},
      valor: { original: "1.00" },
      chave: bank.pixKey
    })
    await bank.clock.advance(1000)
    expect(bank.charge(txid).status).toBe("ATIVA")
  })

  it("keeps settings: who pays is told where they say so, and companies may be refused", async () => {
    const { ask, bank, receiver } = await world()
    await register(ask, bank, receiver)
    bank.payKey({ centavos: 100 })
    await bank.callbacks.idle()
    expect(toldOf(receiver)).toEqual([])
    const webhook = { notificacao: { pagador: true }, notificar: { pixSemTxid: true } }
    const recebimento = { recusarTipoPessoa: "PJ", webhook }
    const set = { pix: { chaves: { [bank.pixKey]: { recebimento } } } }
    expect((await ask("PUT", `${bank.urls.origin}/v2/gn/config`, set)).status).toBe(204)
    bank.payKey({ centavos: 100, payer: { name: "Ana", document: "52998224725" } })
    await bank.callbacks.idle()
    expect(toldOf(receiver).at(-1)?.body).toMatchObject({
      pix: [{ gnExtras: { pagador: { nome: "Ana", cpf: "52998224725" } } }]
    })
    expect(() => bank.payKey({ centavos: 100, payer: { document: "11222333000181" } })).toThrow(
      "companies"
    )
    expect((await ask("GET", `${bank.urls.origin}/v2/gn/config`)).json).toMatchObject(set)
  })

  it("lists reports of fraud, takes a defence, and blocks the money meanwhile", async () => {
    const { ask, bank } = await world({ balance: 0 })
    const { endToEndId } = bank.payKey({ centavos: 5000 })
    const { id } = bank.reportInfraction(endToEndId)
    const list = () => {
      const period = new URLSearchParams({
        inicio: "2020-01-01T00:00:00Z",
        fim: "2100-01-01T00:00:00Z"
      })
      return ask("GET", `${bank.urls.origin}/v2/gn/infracoes?${period.toString()}`)
    }
    expect((await list()).json["infracoes"]).toMatchObject([
      { idInfracao: id, endToEndId, status: "ABERTA", valor: "50.00" }
    ])
    const balance = await ask("GET", `${bank.urls.origin}/v2/gn/saldo?bloqueios=true`)
    expect(balance.json).toEqual({
      saldo: "50.00",
      bloqueios: { judicial: "0.00", med: "50.00", total: "50.00" }
    })
    const tooMuch = await ask("PUT", `${bank.urls.api}/pix/${endToEndId}/devolucao/r1`, {
      valor: "50.00"
    })
    expect(tooMuch.json["nome"]).toBe("saldo_insuficiente")
    const defence = { analise: "rejeitado", justificativa: "Foi entregue." }
    expect(
      (await ask("POST", `${bank.urls.origin}/v2/gn/infracoes/${id}/defesa`, defence)).status
    ).toBe(204)
    expect((await list()).json["infracoes"]).toMatchObject([
      { status: "EM_DEFESA", defesa: "Foi entregue." }
    ])
    bank.decideInfraction(id, "accepted")
    expect(bank.account).toMatchObject({ balance: 0, blocked: { med: 0 } })
    const payment = await ask("GET", `${bank.urls.api}/pix/${endToEndId}`)
    expect(payment.json["devolucoes"]).toMatchObject([
      { natureza: "MED_FRAUDE", status: "DEVOLVIDO", valor: "50.00" }
    ])
  })

  it("sends again what it is asked to send again", async () => {
    const { ask, bank, receiver } = await world()
    await register(ask, bank, receiver)
    bank.faults.set([{ kind: "forget", times: 1 }])
    const { endToEndId } = bank.payKey({ centavos: 100, txid: "loja" })
    await bank.callbacks.idle()
    expect(toldOf(receiver)).toEqual([])
    const wish = { tipo: "PIX_RECEBIDO", e2eids: [endToEndId] }
    expect((await ask("POST", `${bank.urls.origin}/v2/gn/webhook/reenviar`, wish)).status).toBe(202)
    await bank.callbacks.idle()
    expect(toldOf(receiver)).toHaveLength(1)
  })
})
