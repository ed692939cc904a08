import type { PspOutcome as Outcome, PspReceived } from "@pagora/core"
import { PspOutcome } from "@pagora/core"
import { Effect, Schema } from "effect"
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
  pix: Schema.optionalKey(Schema.Array(Pix))
})
const decodePage = Schema.decodeUnknownSync(Page)

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
          return { payments: pix.map(readReceived), isLast }
        })
        // A list is there, empty or not; a 404 in its place says nothing.
        if (listed._tag !== "Done") return listed
        return listed.value === undefined ? unknown("no list") : PspOutcome.done(listed.value)
      }
    )
