import type { Asked } from "../door/Exchange.ts"
import { Refused } from "../door/Exchange.ts"

const pageSizeUnlessTold = 100
const pageSizeMax = 1000

/** The period that a list is asked for. */
export const periodOf = ({ query }: Asked, type: string) => {
  const from = instant(query["inicio"])
  const to = instant(query["fim"])
  if (from === undefined || to === undefined || to < from) {
    throw new Refused({ status: 400, type, detail: "O período de inicio a fim não é válido." })
  }
  const { cnpj, cpf } = query
  if (cpf !== undefined && cnpj !== undefined) {
    throw new Refused({ status: 400, type, detail: "cpf e cnpj estão preenchidos." })
  }
  const isIn = (at: Date) => from <= at && at <= to
  return { isIn, document: cpf ?? cnpj, parametros: { inicio: query["inicio"], fim: query["fim"] } }
}

const instant = (text: string | undefined) => {
  const at = new Date(text ?? "")
  return Number.isNaN(at.getTime()) ? undefined : at
}

/** The page that is asked for, and what the answer says of it (`Paginacao`). */
export const pageOf = <A>({ query }: Asked, type: string, all: ReadonlyArray<A>) => {
  const number = Number(query["paginacao.paginaAtual"] ?? 0)
  const size = Number(query["paginacao.itensPorPagina"] ?? pageSizeUnlessTold)
  const isPage = Number.isInteger(number) && number >= 0
  if (!isPage || !Number.isInteger(size) || size < 1 || size > pageSizeMax) {
    throw new Refused({ status: 400, type, detail: "A paginação não é válida." })
  }
  const paginacao = {
    paginaAtual: number,
    itensPorPagina: size,
    quantidadeDePaginas: Math.max(1, Math.ceil(all.length / size)),
    quantidadeTotalDeItens: all.length
  }
  return { items: all.slice(number * size, (number + 1) * size), paginacao }
}

/** A yes or no of a query, undefined where it is not asked. */
export const flag = ({ query }: Asked, name: string): boolean | undefined =>
  query[name] === undefined ? undefined : query[name] === "true"
