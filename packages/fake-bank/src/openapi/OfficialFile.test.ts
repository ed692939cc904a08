import { describe, expect, it } from "vitest"
import { answerFaults, callbackFaults, problemFaults, requestFaults } from "./OfficialFile.ts"

const txid = "a".repeat(26)
const charge = {
  calendario: { expiracao: 60 },
  valor: { original: "1.00" },
  chave: "k",
  devedor: { cpf: "52998224725", nome: "Ana" }
}
const period = { inicio: "2026-01-01T00:00:00Z", fim: "2026-01-02T00:00:00Z" }
const asked = (more: object = {}) => ({ params: { txid }, query: {}, json: charge, ...more })

describe("a request", () => {
  it("that is as the file says has no faults", () => {
    expect(requestFaults("createCharge", asked(), [])).toEqual([])
    const list = {
      params: {},
      query: { ...period, cpf: "52998224725", txIdPresente: "true" },
      json: undefined
    }
    expect(requestFaults("listPayments", list, [])).toEqual([])
  })

  it.each([
    ["a short txid", "createCharge", asked({ params: { txid: "short" } })],
    [
      "an amount with a comma",
      "createCharge",
      asked({ json: { ...charge, valor: { original: "1,00" } } })
    ],
    [
      "text around an amount",
      "createCharge",
      asked({ json: { ...charge, valor: { original: "R$ 1.00" } } })
    ],
    ["no calendar", "createCharge", asked({ json: { valor: charge.valor, chave: "k" } })],
    [
      "a CPF with dots",
      "createCharge",
      asked({ json: { ...charge, devedor: { cpf: "529.982.247-25", nome: "Ana" } } })
    ],
    ["no JSON", "createCharge", asked({ json: undefined })],
    [
      "an unknown parameter",
      "listPayments",
      { params: {}, query: { ...period, CPF: "1" }, json: undefined }
    ],
    [
      "a period without an end",
      "listPayments",
      { params: {}, query: { inicio: period.inicio }, json: undefined }
    ],
    [
      "a page that is no number",
      "listPayments",
      { params: {}, query: { ...period, "paginacao.paginaAtual": "one" }, json: undefined }
    ]
  ])("with %s has", (_, operation, request) => {
    expect(requestFaults(operation, request, [])).not.toEqual([])
  })

  it("may have parameters of the bank's own", () => {
    expect(
      requestFaults("createCharge", asked({ query: { "gw-dev-app-key": "k" } }), ["gw-dev-app-key"])
    ).toEqual([])
  })
})

describe("what the bank says", () => {
  it("is held against the file, too", () => {
    expect(answerFaults("findReturn", 200, { id: "r1" })).not.toEqual([])
    expect(answerFaults("createCharge", 202, {})).toEqual([
      "The status is 202, which the file does not know here."
    ])
    expect(problemFaults({ title: "No type" })).not.toEqual([])
    expect(callbackFaults({ pix: [{ endToEndId: "E1" }] })).not.toEqual([])
  })
})
