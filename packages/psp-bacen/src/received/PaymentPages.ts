import type { PspOutcome as Outcome, PspReceived } from "@pagora/core"
import { PspOutcome } from "@pagora/core"
import { isEndToEndId } from "@pagora/core/psp"
import { Effect, Result, Schema } from "effect"
import type { BankDesk } from "../BankDesk.ts"
import { readFound, unknown } from "../Settling.ts"
import { Pix, readReceived } from "./PixWire.ts"

/** What of the list of payments is asked for. */
export interface PageQuery {
  /** RFC 3339, in whole seconds. */
  readonly from: string
  readonly to: string
  /** From zero. */
  readonly number: number
  /** By whom: `cpf` or `cnpj`. */
  readonly payer?: Readonly<Record<string, string>>
}

export interface PaymentPage {
  readonly payments: ReadonlyArray<PspReceived>
  readonly isLast: boolean
}

const Page = Schema.Struct({
  parametros: Schema.Struct({
    paginacao: Schema.Struct({ quantidadeDePaginas: Schema.Number })
  }),
  pix: Schema.optionalKey(Schema.Array(Schema.Unknown))
})
const decodePage = Schema.decodeUnknownSync(Page)
const decodePix = Schema.decodeUnknownSync(Pix)

const perPage = 100

/** One page of what was received: `GET /pix`. */
export const makePaymentPages =
  ({ http, profile }: BankDesk) =>
  ({ from, number, payer, to }: PageQuery): Effect.Effect<Outcome<PaymentPage>> =>
    Effect.map(
      http.call({
        kind: "listPayments",
        scope: "pix",
        method: "GET",
        path: profile.paths.pix,
        query: {
          inicio: from,
          fim: to,
          "paginacao.paginaAtual": String(number),
          "paginacao.itensPorPagina": String(perPage),
          ...payer
        }
      }),
      (heard) => {
        const listed = readFound(heard, (json) => {
          const { parametros, pix = [] } = decodePage(json)
          const isLast = number + 1 >= parametros.paginacao.quantidadeDePaginas
          return { isLast, pix }
        })
        // A list is there, empty or not; a 404 in its place says nothing.
        if (listed._tag !== "Done") return listed
        if (listed.value === undefined) return unknown("no list")
        const { isLast, pix } = listed.value
        const read = pix.map(received)
        // A list that lacks one would look complete.
        const odd = read.indexOf(undefined)
        return odd === -1
          ? PspOutcome.done({ payments: read.flatMap((payment) => payment ?? []), isLast })
          : unknown(oddEntry(odd, number, pix[odd]))
      }
    )

const received = (pix: unknown): PspReceived | undefined => {
  try {
    return readReceived(decodePix(pix))
  } catch {
    return undefined
  }
}

/** Which entry it is, in words that hold nothing of a person: where it stands, and its end-to-end id where that is one. */
const oddEntry = (index: number, page: number, pix: unknown): string => {
  const id = Result.getOrUndefined(namedOf(pix))?.endToEndId ?? ""
  const name = isEndToEndId(id) ? ` (${id})` : ""
  return `payment ${index + 1} of page ${page + 1}${name} does not fit the Pix API`
}

const namedOf = Schema.decodeUnknownResult(Schema.Struct({ endToEndId: Schema.String }))
