import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import type { Heard } from "./Heard.ts"
import { hear } from "./Heard.ts"

const hearing = { pauseSeconds: 30, nowMillis: Date.parse("2026-01-02T03:04:05Z") }

const heard = (status: number, body: unknown, retryAfter?: string): Heard =>
  hear(
    {
      _tag: "Answered",
      status,
      retryAfter,
      text: typeof body === "string" ? body : JSON.stringify(body)
    },
    hearing
  )

const problem = {
  type: "https://pix.bcb.gov.br/api/v2/error/CobOperacaoInvalida",
  title: "Cobrança inválida.",
  status: 400,
  detail: "O campo cob.valor.original não respeita o schema.",
  violacoes: [{ razao: "acima do limite", propriedade: "cob.valor.original", valor: "0" }]
}
const efi = { nome: "valor_invalido", mensagem: "Valor inválido." }
const interProblem = {
  title: "Requisição inválida",
  detail: "Chave",
  timestamp: "2026",
  violacoes: []
}
const interBanking = {
  erro: { mensagem: "Erro", mensagemDetalhe: "Sem saldo", codigo: 12, status: 400 }
}
const bb = {
  erros: [{ codigo: "4712", versao: "1", mensagem: "Não encontrado", ocorrencia: "X" }]
}
const gateway = { statusCode: 404, error: "Not Found", message: "Resource not found" }
const oauth = { error: "invalid_request", error_description: "wrong" }
/** What a server says of a path that it does not have, in the shapes of errors of banks. */
const framework = { timestamp: "2026", status: 404, error: "Not Found", path: "/v2/gn/pix" }
const blank = { type: "about:blank", title: "Not Found", status: 404 }
const soap = "<soap:Envelope><soap:Body><soap:Fault/></soap:Body></soap:Envelope>"
const html = "<html><body>502 Bad Gateway</body></html>"

/** What an error of each shape means under each status. */
const table: ReadonlyArray<readonly [string, unknown, Record<number, string>]> = [
  [
    "RFC 7807",
    problem,
    {
      400: "Refused",
      403: "NotSent",
      404: "missing",
      409: "Refused",
      410: "Refused",
      422: "Refused",
      500: "Unknown",
      503: "Unknown"
    }
  ],
  ["Efí's", efi, { 400: "Refused", 404: "missing", 409: "Refused", 500: "Unknown" }],
  ["Inter's, without a type", interProblem, { 400: "Refused", 404: "missing", 500: "Unknown" }],
  ["Inter's banking", interBanking, { 400: "Refused", 404: "missing", 503: "Unknown" }],
  ["Banco do Brasil's", bb, { 400: "Refused", 404: "missing", 500: "Unknown" }],
  ["a gateway's", gateway, { 400: "Refused", 404: "Unknown", 500: "Unknown" }],
  ["OAuth's", oauth, { 400: "Refused", 403: "NotSent", 404: "Unknown" }],
  ["a framework's", framework, { 404: "Unknown", 500: "Unknown" }],
  ["RFC 7807 without a word of the bank", blank, { 404: "Unknown", 500: "Unknown" }],
  [
    "SOAP",
    soap,
    { 400: "Unknown", 404: "Unknown", 403: "Unknown", 409: "Unknown", 500: "Unknown" }
  ],
  ["HTML", html, { 301: "Unknown", 400: "Unknown", 404: "Unknown", 502: "Unknown" }],
  [
    "nothing",
    "",
    { 302: "Unknown", 400: "Unknown", 404: "Unknown", 405: "Unknown", 504: "Unknown" }
  ],
  ["JSON of nobody", { ok: false }, { 400: "Unknown", 404: "Unknown", 422: "Unknown" }]
]

describe("an answer of a bank", () => {
  for (const [shape, body, statuses] of table) {
    for (const [status, meaning] of Object.entries(statuses)) {
      it(`of ${shape} with ${status} is ${meaning}`, () => {
        const told = heard(Number(status), body)
        const shown = told._tag === "Refused" && told.isMissing ? "missing" : told._tag
        assert.strictEqual(shown, meaning)
      })
    }
    it(`of ${shape} with 401 is a token that is not taken, and with 429 is not now`, () => {
      assert.strictEqual(heard(401, body)._tag, "Denied")
      assert.strictEqual(heard(429, body)._tag, "NotNow")
    })
  }

  it("is an answer with 200, 201 and 204 alike, and without nulls", () => {
    for (const status of [200, 201]) {
      const told = heard(status, { a: null, b: [{ c: null, d: 1 }, null] })
      assert.deepStrictEqual(told, { _tag: "Answered", json: { b: [{ d: 1 }] } })
    }
    assert.deepStrictEqual(heard(204, ""), { _tag: "Answered", json: {} })
    assert.strictEqual(heard(200, html)._tag, "Unknown")
  })

  it("tells the word and the sentences of a refusal, and masks documents in them", () => {
    const told = heard(400, { ...problem, detail: "O CPF 52998224725 não confere." })
    if (told._tag !== "Refused") return assert.fail(told._tag)
    assert.strictEqual(told.code, "CobOperacaoInvalida")
    assert.notInclude(told.message, "52998224725")
    assert.include(told.message, "cob.valor.original: acima do limite")
  })

  it("says how long to wait: by its seconds, by its date, or else by what is known of the bank", () => {
    const waits: ReadonlyArray<readonly [string | undefined, number]> = [
      ["7", 7],
      ["Fri, 02 Jan 2026 03:05:05 GMT", 60],
      // By a clock that is ahead of the bank's, each date has passed.
      ["Fri, 02 Jan 2026 03:00:00 GMT", 30],
      ["soon", 30],
      ["1.5", 30],
      ["-5", 30],
      ["2999-01-02", 30],
      // However long it wants to be left alone: what is under way there is looked at each hour.
      ["999999", 3_600],
      ["Fri, 02 Jan 2999 03:00:00 GMT", 3_600],
      [undefined, 30]
    ]
    for (const [retryAfter, seconds] of waits) {
      const told = heard(429, html, retryAfter)
      assert.strictEqual(told._tag === "NotNow" ? Duration.toSeconds(told.after) : -1, seconds)
    }
  })

  it("of a scope that was not granted is no refusal of what was asked", () => {
    const told = heard(400, {
      title: "Requisição inválida",
      detail: "Token sem o escopo pix.write"
    })
    assert.strictEqual(told._tag, "NotSent")
  })
})
