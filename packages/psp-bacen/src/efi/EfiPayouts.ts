import type { NewPspPayout, PspPayout, PspShape } from "@pagora/core"
import { Money, present, PspOutcome } from "@pagora/core"
import { isReference } from "@pagora/core/psp"
import { Effect, Schema } from "effect"
import type { BankDesk } from "../BankDesk.ts"
import { payoutRejection, refusedPayout } from "../PayoutReasons.ts"
import { Devolucao } from "../received/PixWire.ts"
import type { Outcome } from "../Settling.ts"
import { readFound, settled } from "../Settling.ts"
import { Amount, documentField, readAmount, readTime, Time } from "../Words.ts"
import { payoutRefusal } from "../PayoutRefusal.ts"

/** A Pix that was sent, as it is answered (`e2eId`), looked up and told of in a callback (`endToEndId`). */
const Sent = Schema.Struct({
  idEnvio: Schema.String,
  e2eId: Schema.optionalKey(Schema.NonEmptyString),
  endToEndId: Schema.optionalKey(Schema.NonEmptyString),
  valor: Amount,
  status: Schema.Literals(["EM_PROCESSAMENTO", "REALIZADO", "NAO_REALIZADO"]),
  horario: Schema.optionalKey(
    Schema.Struct({
      solicitacao: Schema.optionalKey(Time),
      liquidacao: Schema.optionalKey(Time)
    })
  ),
  favorecido: Schema.optionalKey(
    Schema.Struct({
      identificacao: Schema.optionalKey(Schema.Struct({ nome: Schema.optionalKey(Schema.String) }))
    })
  ),
  gnExtras: Schema.optionalKey(
    Schema.Struct({
      erro: Schema.optionalKey(
        Schema.Struct({
          codigo: Schema.optionalKey(Schema.String),
          motivo: Schema.optionalKey(Schema.String)
        })
      )
    })
  ),
  devolucoes: Schema.optionalKey(Schema.Array(Devolucao))
})

const decodeSent = Schema.decodeUnknownSync(Sent)

/**
 * Efí's Pix-out under an id of ours (`idEnvio`): `PUT /v3/gn/pix/{idEnvio}`, `GET /v2/gn/pix/enviados/id-envio/{idEnvio}`. Where the
 * holder's document is known, Efí itself checks it. The paying key must have a webhook, or Efí sends nothing: `prepare` registers it.
 */
export const makeEfiPayouts = ({
  http,
  pixKey
}: BankDesk): Pick<PspShape, "sendPayout" | "findPayout"> => {
  const about = (reference: string) => (json: unknown) => {
    const payout = readSent(json)
    return payout.reference === reference ? payout : undefined
  }

  const find = (reference: string): Outcome<PspPayout | undefined> =>
    Effect.map(
      http.call({
        kind: "findPayout",
        scope: "payouts",
        method: "GET",
        path: `/v2/gn/pix/enviados/id-envio/${reference}`
      }),
      (heard) => readFound(heard, about(reference))
    )

  return {
    sendPayout: (payout) => {
      const refusal = payoutRefusal(payout)
      if (refusal !== undefined) return Effect.succeed(refusal)
      const { amount, reference } = payout
      return Effect.map(
        settled({
          heard: http.call({
            kind: "sendPayout",
            scope: "payouts",
            method: "PUT",
            path: `/v3/gn/pix/${reference}`,
            body: writePayout(payout, pixKey)
          }),
          read: about(reference),
          find: find(reference),
          isOrdered: (found) => found.amount === amount
        }),
        refusedAs
      )
    },

    findPayout: ({ reference }) =>
      isReference(reference) ? find(reference) : Effect.succeed(PspOutcome.done(undefined))
  }
}

/** How long a payout waits for an operator who has to prepare the PSP. */
const preparedWithin = "10 minutes"

/**
 * A refusal in the words that the owner of a withdrawal reads. That the paying key has no webhook is no fault of his: it waits until it
 * has one.
 */
const refusedAs = (sent: PspOutcome<PspPayout>): PspOutcome<PspPayout> => {
  if (sent._tag !== "Rejected") return sent
  const { code, message } = sent
  return /webhook/i.test(`${code} ${message}`)
    ? PspOutcome.notNow("the paying key has no webhook: prepare the PSP", preparedWithin)
    : refusedPayout(code, message)
}

const writePayout = ({ amount, holder, pixKey: to }: NewPspPayout, pixKey: string): unknown => ({
  valor: Money.toBrlString(amount),
  pagador: { chave: pixKey },
  favorecido: { chave: to.value, ...documentField(holder.document ?? "") }
})

const statuses = {
  EM_PROCESSAMENTO: "processing",
  REALIZADO: "completed",
  NAO_REALIZADO: "rejected"
} as const

const readSent = (json: unknown): PspPayout => {
  const sent = decodeSent(json)
  const status = statuses[sent.status]
  const amount = readAmount(sent.valor)
  const endToEndId = sent.endToEndId ?? sent.e2eId
  // Without its id nobody could hold the payout against a statement.
  if (status === "completed" && endToEndId === undefined)
    throw new Error("a payout that was made, without its end-to-end id")
  const time = sent.horario?.liquidacao ?? sent.horario?.solicitacao
  const { codigo = "", motivo = "" } = sent.gnExtras?.erro ?? {}
  const reversal = status === "completed" ? reversalOf(sent.devolucoes ?? [], amount) : undefined
  return {
    reference: sent.idEnvio,
    // Efí knows it by our id, and by no other before it is settled.
    pspReference: sent.idEnvio,
    status: reversal === undefined ? status : "reversed",
    amount,
    ...present({
      endToEndId,
      settledAt: status === "completed" && time !== undefined ? readTime(time) : undefined,
      recipient: present({ name: sent.favorecido?.identificacao?.nome }),
      rejection: status === "rejected" ? payoutRejection(codigo, motivo) : undefined,
      reversal
    })
  }
}

/** It has come back once all of it has. What comes back in part is for reconciliation by a person. */
const reversalOf = (
  devolucoes: ReadonlyArray<typeof Devolucao.Type>,
  amount: bigint
): PspPayout["reversal"] => {
  const back = devolucoes.filter(({ status }) => status === "DEVOLVIDO")
  const total = back.reduce((sum, { valor }) => sum + readAmount(valor), 0n)
  const last = back.at(-1)
  const time = last?.horario?.liquidacao ?? last?.horario?.solicitacao
  return total < amount || last?.rtrId === undefined || time === undefined
    ? undefined
    : { returnId: last.rtrId, at: readTime(time), code: "returned" }
}
