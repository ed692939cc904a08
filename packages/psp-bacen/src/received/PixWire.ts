import type { PspPayment, PspReceived, PspReceivedReturn, PspRefund } from "@pagora/core"
import { Schema } from "effect"
import { present } from "@pagora/core"
import { isEndToEndId, payerOf } from "@pagora/core/psp"
import { Amount, readAmount, readTime, Time } from "../Words.ts"

/** What we need of a return (`Devolucao`). */
export const Devolucao = Schema.Struct({
  id: Schema.NonEmptyString,
  rtrId: Schema.optionalKey(Schema.NonEmptyString),
  valor: Amount,
  horario: Schema.optionalKey(
    Schema.Struct({
      solicitacao: Schema.optionalKey(Time),
      liquidacao: Schema.optionalKey(Time)
    })
  ),
  status: Schema.Literals(["EM_PROCESSAMENTO", "DEVOLVIDO", "NAO_REALIZADO"]),
  motivo: Schema.optionalKey(Schema.String)
})

/** What we need of a payment (`Pix`). The file has no payer; where a bank tells one, it is read. */
export const Pix = Schema.Struct({
  endToEndId: Schema.NonEmptyString,
  txid: Schema.optionalKey(Schema.String),
  valor: Amount,
  horario: Time,
  devolucoes: Schema.optionalKey(Schema.Array(Devolucao)),
  pagador: Schema.optionalKey(
    Schema.Struct({
      nome: Schema.optionalKey(Schema.String),
      cpf: Schema.optionalKey(Schema.String),
      cnpj: Schema.optionalKey(Schema.String)
    })
  )
})

export const returnStatuses = {
  EM_PROCESSAMENTO: "processing",
  DEVOLVIDO: "confirmed",
  NAO_REALIZADO: "rejected"
} as const satisfies Record<string, PspRefund["status"]>

export const readPayment = (pix: typeof Pix.Type): PspPayment => {
  if (!isEndToEndId(pix.endToEndId)) throw new Error("a payment without an end-to-end id")
  return {
    endToEndId: pix.endToEndId,
    amount: readAmount(pix.valor),
    paidAt: readTime(pix.horario),
    ...present({ payer: pix.pagador && readPayer(pix.pagador) })
  }
}

export const readReceived = (pix: typeof Pix.Type): PspReceived => ({
  ...readPayment(pix),
  ...present({ reference: pix.txid === "" ? undefined : pix.txid }),
  returns: (pix.devolucoes ?? []).map(readReturn)
})

const readReturn = (devolucao: typeof Devolucao.Type): PspReceivedReturn => ({
  reference: devolucao.id,
  status: returnStatuses[devolucao.status],
  amount: readAmount(devolucao.valor),
  ...present({ returnId: devolucao.rtrId, settledAt: settledAt(devolucao) })
})

/** The time of the settlement; banks that leave it out give that of the request. */
export const settledAt = ({ horario, status }: typeof Devolucao.Type) => {
  const time = horario?.liquidacao ?? horario?.solicitacao
  return status === "DEVOLVIDO" && time !== undefined ? readTime(time) : undefined
}

const readPayer = ({ cnpj, cpf, nome }: NonNullable<(typeof Pix.Type)["pagador"]>) =>
  payerOf(nome, cpf ?? cnpj)
