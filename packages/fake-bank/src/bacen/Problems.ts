import type { Answer, ErrorShape, Problem } from "../door/Exchange.ts"
import type { WorldRefusal, WorldRefusalReason } from "../world/World.ts"

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
  // [P] EFI-SDK: of the Central Bank's paths and of Pix-out; look-ups of Pix-out and infractions have the official one.
  if (shape === "efi") return { status, body: { nome: wordOf(problem), mensagem: problem.detail } }
  if (shape === "inter") {
    const { detail, title, violacoes = [] } = official
    return { status, body: { title, detail, timestamp: at.toISOString(), violacoes } }
  }
  // [P] INTER-TS.
  if (shape === "inter_banking") {
    const { detail, title } = official
    // [?] Which number is which is in no stored page.
    const erro = { mensagem: title, mensagemDetalhe: detail, codigo: 51_000 + status, status }
    return { status, body: { erro } }
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

type Words = Omit<Problem, "violations">

const returnInvalid = { status: 400, type: "PixDevolucaoInvalida" } as const

const refusals: Partial<Record<WorldRefusalReason, Words>> = {
  return_id_taken: {
    ...returnInvalid,
    code: "devolucao_id_duplicado",
    detail: "O id já foi utilizado por outra devolução deste Pix."
  },
  too_much_returned: {
    ...returnInvalid,
    code: "valor_invalido",
    detail: "A devolução excederia o valor do Pix."
  },
  return_window_closed: {
    ...returnInvalid,
    detail: "O Pix tem mais de 90 dias e não pode mais ser devolvido."
  },
  insufficient_funds: {
    status: 400,
    type: "RequisicaoInvalida",
    code: "saldo_insuficiente",
    detail: "Saldo insuficiente para realizar a operação."
  },
  unknown_payout: { status: 404, type: "PixNaoEncontrado", detail: "Pix não encontrado." },
  unknown_infraction: { status: 404, type: "NaoEncontrado", detail: "Infração não encontrada." },
  infraction_not_open: {
    status: 409,
    type: "OperacaoInvalida",
    detail: "A infração não está mais aberta."
  }
}

/** What the world refuses, by the names of the Central Bank's file. */
export const refusedBy = (
  { message, reason }: WorldRefusal,
  repeatedReturn: 400 | 409
): Problem => {
  const words = refusals[reason] ?? { status: 400, type: "RequisicaoInvalida", detail: message }
  return reason === "return_id_taken" ? { ...words, status: repeatedReturn } : words
}
