import { describe, expect, it } from "vitest"
import { call, tokenCall } from "./Customer.test-data.ts"
import { closesTowns, town } from "./Town.test-data.ts"

closesTowns()

const txid = "a".repeat(26)
const chargeOf = (pixKey: string) => ({
  calendario: { expiracao: 600 },
  valor: { original: "25.90" },
  chave: pixKey
})
const period = "inicio=2020-01-01T00:00:00Z&fim=2100-01-01T00:00:00Z"

describe("what each bank does in its own way", () => {
  it("Banco do Brasil wants the application's key, and has no list of charges", async () => {
    const { ask, bank } = await town({ bank: "bb" })
    const { json } = await call(bank, tokenCall(bank))
    const authorization = `Bearer ${String(json["access_token"])}`
    const url = `${bank.urls.api}/cob/${txid}`
    expect(await call(bank, { url, headers: { authorization } })).toMatchObject({
      status: 401,
      json: { statusCode: 401 }
    })
    expect((await ask("PUT", url, chargeOf(bank.pixKey))).status).toBe(200)
    const removed = await ask("PATCH", url, { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" })
    expect(removed.status).toBe(201)
    expect((await ask("GET", `${bank.urls.api}/cob/${"b".repeat(26)}`)).json["erros"]).toHaveLength(
      1
    )
    expect((await ask("GET", `${bank.urls.api}/cob?${period}`)).status).toBe(404)
  })

  it("Santander changes charges at another version, and refuses fractions of a second", async () => {
    const { ask, bank } = await town({ bank: "santander" })
    const { cob, cob_patch } = bank.urls.resources
    await ask("PUT", `${cob}/cob/${txid}`, chargeOf(bank.pixKey))
    const removal = { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" }
    expect((await ask("PATCH", `${cob}/cob/${txid}`, removal)).status).toBe(404)
    expect((await ask("PATCH", `${cob_patch}/cob/${txid}`, removal)).status).toBe(200)
    const withFraction = period.replace("T00:00:00Z", "T00:00:00.000Z")
    expect((await ask("GET", `${bank.urls.api}/pix?${withFraction}`)).status).toBe(400)
    expect((await ask("GET", `${bank.urls.api}/pix?${period}`)).status).toBe(200)
    const token = await call(bank, tokenCall(bank))
    expect(token.json["client_id"]).toBe(bank.client.clientId)
    bank.faults.set([{ kind: "lie", operation: "token" }])
    expect((await call(bank, tokenCall(bank))).json["client_id"]).not.toBe(bank.client.clientId)
  })

  it("Sicoob tells the code as brcode and what it has not as null, and wants its header", async () => {
    const { ask, bank } = await town({ bank: "sicoob" })
    const created = await ask("PUT", `${bank.urls.api}/cob/${txid}`, chargeOf(bank.pixKey))
    expect(created.json["pixCopiaECola"]).toBeUndefined()
    expect(created.json).toMatchObject({ brcode: expect.stringMatching(/^000201/), devedor: null })
    const found = await ask("GET", `${bank.urls.api}/cob/${txid}`, undefined, {
      client_id: "another"
    })
    expect(found.status).toBe(401)
  })

  it("Sicredi grants fewer scopes than asked for, which shows on use", async () => {
    const { ask, bank } = await town({ bank: "sicredi", scopes: ["cob.write"] })
    const { cob, pix } = bank.urls.resources
    expect((await ask("PUT", `${cob}/cob/${txid}`, chargeOf(bank.pixKey))).status).toBe(201)
    expect((await ask("GET", `${pix}/pix?${period}`)).status).toBe(400)
  })

  it("Efí refuses a txid twice, where others hold it against the first", async () => {
    const efi = await town({ bank: "efi" })
    const itau = await town({ bank: "itau" })
    const twice = async ({ ask, bank }: typeof efi) => {
      await ask("PUT", `${bank.urls.api}/cob/${txid}`, chargeOf(bank.pixKey))
      return ask("PUT", `${bank.urls.api}/cob/${txid}`, chargeOf(bank.pixKey))
    }
    expect(await twice(efi)).toMatchObject({ status: 409, json: { nome: "txid_duplicado" } })
    expect(await twice(itau)).toMatchObject({ status: 201, json: { revisao: 0 } })
  })

  it("takes what a test knows better", async () => {
    const { ask, bank } = await town({
      bank: "itau",
      profile: { codeField: "brcode", statuses: { createCharge: 200 } }
    })
    const created = await ask("PUT", `${bank.urls.api}/cob/${txid}`, chargeOf(bank.pixKey))
    expect([created.status, created.json["pixCopiaECola"]]).toEqual([200, undefined])
  })
})

describe("the list of what was received", () => {
  it("is filtered by who paid, by txid and by returns, page by page", async () => {
    const { ask, bank } = await town({ bank: "itau" })
    await ask("PUT", `${bank.urls.api}/cob/${txid}`, chargeOf(bank.pixKey))
    const charged = bank.pay(txid, { payer: { document: "11222333000181" } })
    const plain = bank.payKey({ centavos: 100 })
    bank.returnPayment(plain.endToEndId, { centavos: 50 })
    const listed = async (more: string) => {
      const { json } = await ask("GET", `${bank.urls.api}/pix?${period}${more}`)
      return (json["pix"] as ReadonlyArray<{ endToEndId: string }>).map(
        ({ endToEndId }) => endToEndId
      )
    }
    expect(await listed("")).toEqual([charged.endToEndId, plain.endToEndId])
    expect(await listed("&cnpj=11222333000181")).toEqual([charged.endToEndId])
    expect(await listed("&txIdPresente=false")).toEqual([plain.endToEndId])
    expect(await listed("&devolucaoPresente=true")).toEqual([plain.endToEndId])
    expect(await listed("&paginacao.itensPorPagina=1&paginacao.paginaAtual=1")).toEqual([
      plain.endToEndId
    ])
    expect(bank.findings).toEqual([])
  })
})

describe("findings", () => {
  it("of one bank are not by what another one takes", async () => {
    const efi = await town({ bank: "efi" })
    const inter = await town({ bank: "inter" })
    const payout = { valor: 1.5, destinatario: { tipo: "CHAVE", chave: "52998224725" } }
    const headers = { "x-id-idempotente": "0196b1de-0000-4000-8000-000000000001" }
    await efi.ask("PUT", `${efi.bank.urls.origin}/v3/gn/pix/p1`, payout)
    const taken = await inter.ask(
      "POST",
      `${inter.bank.urls.origin}/banking/v2/pix`,
      payout,
      headers
    )
    expect([efi.bank.findings.length, inter.bank.findings.length, taken.status]).toEqual([
      1, 0, 200
    ])
  })

  it("are what callers do that the file does not allow, refused unless told otherwise", async () => {
    const strict = await town({ bank: "itau" })
    const lenient = await town({ bank: "itau", strict: false })
    const odd = { ...chargeOf(strict.bank.pixKey), solicitacaoPagador: "x".repeat(141) }
    const statusOf = async ({ ask, bank }: typeof strict) =>
      (await ask("PUT", `${bank.urls.api}/cob/${txid}`, odd)).status
    expect([await statusOf(strict), await statusOf(lenient)]).toEqual([400, 201])
    expect(strict.bank.findings).toEqual([
      {
        by: "caller",
        operation: "createCharge",
        faults: [expect.stringContaining("/solicitacaoPagador")]
      }
    ])
    // What was taken all the same is told, and is the bank's own fault then.
    expect(lenient.bank.findings.map(({ by }) => by)).toEqual(["caller", "bank"])
  })
})
