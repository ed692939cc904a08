import type { Answer, Problem } from "../door/Exchange.ts"
import type { WorldRefusal, WorldRefusalReason } from "../world/World.ts"
import type { ErrorShape } from "./BankProfile.ts"

const titles: Readonly<Record<number, string>> = {
  400: "Requisição inválida.",
  401: "Não autorizado.",
  403: "Acesso Negado",
  404: "Não Encontrado",
  409: "Conflito.",
  422: "Entidade não processável.",
  429: "Muitas requisições."
}

/** `Problema` of the Central Bank's file (RFC 7807). */
export const officialProblem = ({ detail, status, type, violations }: Problem) => ({
  type: `https://pix.bcb.gov.br/api/v2/error/${type}`,
  title: titles[status] ?? "Erro interno.",
  status,
  detail,
  ...(violations === undefined ? {} : { violacoes: violations })
})

/** The same in the words of a bank. */
export const problemIn = (shape: ErrorShape, problem: Problem, at: Date): Answer => {
  const { status } = problem
  const official = officialProblem(problem)
  if (shape === "efi" && status !== 403 && status !== 404) {
    // [P] EFI-DOC: most errors. Which of them are problem+json is in no stored page [?].
    return { status, body: { nome: wordOf(problem), mensagem: problem.detail } }
  }
  if (shape === "inter") {
    const { detail, title, violacoes = [] } = official
    return { status, body: { title, detail, timestamp: at.toISOString(), violacoes } }
  }
  if (shape === "bb") return { status, body: banksOf(problem) }
  return { status, body: official, headers: { "content-type": "application/problem+json" } }
}

/** [C] ACBR, Banco do Brasil: the gateway answers in one shape, what stands behind it in another. */
const banksOf = (problem: Problem) => {
  const { detail, status } = problem
  const error = titles[status] ?? "Internal Server Error"
  if (status === 401 || status === 403 || status === 429) {
    return { statusCode: status, error, message: detail }
  }
  return {
    erros: [
      {
        codigo: String(4_769_000 + status),
        versao: "1",
        mensagem: detail,
        ocorrencia: wordOf(problem)
      }
    ]
  }
}

/** `CobOperacaoInvalida` is `cob_operacao_invalida`. */
const wordOf = ({ code, type }: Problem) =>
  code ?? type.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

type Words = Pick<Problem, "status" | "type"> & { readonly code?: string }

const refusals: Partial<Record<WorldRefusalReason, Words>> = {
  return_id_taken: { status: 400, type: "PixDevolucaoInvalida", code: "devolucao_id_duplicado" },
  too_much_returned: { status: 400, type: "PixDevolucaoInvalida", code: "valor_invalido" },
  return_window_closed: { status: 400, type: "PixDevolucaoInvalida" },
  insufficient_funds: { status: 400, type: "PixDevolucaoInvalida", code: "saldo_insuficiente" }
}

/** What the world refuses, by the names of the Central Bank's file. */
export const refusedBy = (
  { message, reason }: WorldRefusal,
  repeatedReturn: 400 | 409
): Problem => {
  const words = refusals[reason] ?? { status: 400, type: "RequisicaoInvalida" }
  const status = reason === "return_id_taken" ? repeatedReturn : words.status
  return { ...words, status, detail: message }
}
