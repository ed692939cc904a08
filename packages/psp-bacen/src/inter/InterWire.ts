import type { NewPspPayout, PspPayout } from "@pagora/core"
import { Money, present } from "@pagora/core"
import { Schema } from "effect"
import { createHash } from "node:crypto"
import { payoutRejection } from "../PayoutReasons.ts"
import { Amount, readAmount, readTime, Time } from "../Words.ts"

const Answer = Schema.Struct({
  tipoRetorno: Schema.String,
  codigoSolicitacao: Schema.NonEmptyString,
  endToEndId: Schema.optionalKey(Schema.NonEmptyString)
})
const decodeAnswer = Schema.decodeUnknownSync(Answer)

const Asked = Schema.Struct({
  transacaoPix: Schema.Struct({
    status: Schema.String,
    valor: Amount,
    codigoSolicitacao: Schema.optionalKey(Schema.String),
    endToEnd: Schema.optionalKey(Schema.NonEmptyString),
    dataHoraMovimento: Schema.optionalKey(Time),
    dataHoraSolicitacao: Schema.optionalKey(Time),
    recebedor: Schema.optionalKey(Schema.Struct({ nome: Schema.optionalKey(Schema.String) })),
    erros: Schema.optionalKey(
      Schema.Array(
        Schema.Struct({
          codigoErro: Schema.optionalKey(Schema.String),
          descricaoErro: Schema.optionalKey(Schema.String)
        })
      )
    )
  })
})
const decodeAsked = Schema.decodeUnknownSync(Asked)

/** The amount is a JSON number, and the recipient a key. */
export const writePayout = ({ amount, pixKey }: NewPspPayout): unknown => ({
  valor: Money.toBrlNumber(amount),
  destinatario: { tipo: "CHAVE", chave: pixKey.value }
})

export const readAnswer = (json: unknown, { amount, reference }: NewPspPayout): PspPayout => {
  const { codigoSolicitacao, endToEndId } = decodeAnswer(json)
  return {
    reference,
    pspReference: codigoSolicitacao,
    // PROCESSADO, APROVACAO and AGENDADO alike: that it was paid is told by the look-up alone.
    status: "processing",
    amount,
    ...present({ endToEndId })
  }
}

const statuses: Readonly<Record<string, "completed" | "rejected" | "either">> = {
  PAGO: "completed",
  PIX_PAGO: "completed",
  REPROVADO: "rejected",
  EXPIRADO: "rejected",
  CANCELADO: "rejected",
  CANCELADO_SEM_SALDO: "rejected",
  AGENDAMENTO_CANCELADO: "rejected",
  // Whoever works with Inter disagrees on whether these are failures: a person looks.
  FALHA: "either",
  NAO_DEBITADO: "either"
}

/**
 * How a payout stands by Inter's own id; `either` where its state does not say whether the money has left, undefined where the answer
 * is about another one.
 */
export const readAsked = (
  json: unknown,
  names: Pick<PspPayout, "reference" | "pspReference">
): PspPayout | "either" | undefined => {
  const { transacaoPix: pix } = decodeAsked(json)
  if ((pix.codigoSolicitacao ?? names.pspReference) !== names.pspReference) return undefined
  const told = statuses[pix.status] ?? "processing"
  if (told === "either") return told
  // Paid, and its end-to-end id is yet to come: it is not over.
  const status = told === "completed" && pix.endToEnd === undefined ? "processing" : told
  const time = pix.dataHoraMovimento ?? pix.dataHoraSolicitacao
  const [error] = pix.erros ?? []
  const why = payoutRejection(error?.codigoErro ?? "", error?.descricaoErro ?? "")
  return {
    ...names,
    status,
    amount: readAmount(pix.valor),
    ...present({
      endToEndId: pix.endToEnd,
      settledAt: status === "completed" && time !== undefined ? readTime(time) : undefined,
      recipient: present({ name: pix.recebedor?.nome }),
      rejection:
        status === "rejected" ? (error === undefined ? stateRejection(pix.status) : why) : undefined
    })
  }
}

const stateRejection = (state: string) => ({
  code: state === "CANCELADO_SEM_SALDO" ? "insufficient_psp_balance" : state.toLowerCase(),
  message: `Inter says ${state}.`
})

/** A UUID with hyphens: our reference is one without. Another one becomes one by its digest (RFC 9562, version 8). */
export const idempotencyKey = (reference: string): string => {
  const isUuid = /^[0-9a-f]{32}$/i.test(reference)
  const hex = isUuid
    ? reference.toLowerCase()
    : createHash("sha256")
        .update(reference)
        .digest("hex")
        .replace(/^(.{12}).(.{3}).(.*)$/, "$18$2a$3")
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}
