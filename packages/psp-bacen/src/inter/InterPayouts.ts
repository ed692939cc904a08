import type { NewPspPayout, PspNotice, PspPayout, PspShape } from "@pagora/core"
import { Money, PspOutcome } from "@pagora/core"
import { Effect, Result, Schema } from "effect"
import { createHash } from "node:crypto"
import type { BankDesk } from "../BankDesk.ts"
import { payoutRefusal } from "../PayoutRefusal.ts"
import { payoutRejection } from "../PayoutReasons.ts"
import { present } from "../Present.ts"
import type { Outcome } from "../Settling.ts"
import { readFound, settled, unknown } from "../Settling.ts"
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

const Told = Schema.Struct({ codigoSolicitacao: Schema.NonEmptyString })
const toldOf = Schema.decodeUnknownResult(Schema.Union([Told, Schema.Array(Told)]))

/** Payouts whose callbacks we can tell: more than are under way at once. */
const rememberedMax = 10_000

export interface InterPayouts extends Pick<PspShape, "sendPayout" | "findPayout"> {
  readonly readCallback: (json: unknown) => ReadonlyArray<PspNotice> | undefined
}

/**
 * Inter's Pix-out: `POST /banking/v2/pix` under an idempotency key of ours, `GET /banking/v2/pix/{codigoSolicitacao}` by Inter's own id.
 *
 * - It is not found by our reference. A payout whose answer was lost is answered as not found, so that Pagora sends it again under the
 *   same key, which Inter answers with the first. For how long it knows a key is written nowhere; Pagora asks a person in time.
 * - It may wait for its approval for days (`APROVACAO`, `AGUARDANDO_APROVACAO`): it is under way as long as that.
 * - A callback names Inter's id alone. What this process has sent or asked about is told from it; the rest is found by asking.
 */
export const makeInterPayouts = ({ http }: BankDesk): InterPayouts => {
  const references = new Map<string, string>()
  const remember = (codigo: string, reference: string) => {
    references.delete(codigo)
    references.set(codigo, reference)
    const [oldest] = references.keys()
    if (references.size > rememberedMax && oldest !== undefined) references.delete(oldest)
  }

  const find = (reference: string, pspReference: string): Outcome<PspPayout | undefined> =>
    Effect.map(
      http.call({
        kind: "findPayout",
        scope: "payouts",
        method: "GET",
        path: `/banking/v2/pix/${encodeURIComponent(pspReference)}`
      }),
      (heard) => {
        const found = readFound(heard, (json) => readAsked(json, { reference, pspReference }))
        if (found._tag !== "Done") return found
        if (found.value === undefined) return PspOutcome.done(undefined)
        remember(pspReference, reference)
        return found.value === "either" ? mayBeEither : PspOutcome.done(found.value)
      }
    )

  return {
    sendPayout: (payout) => {
      const refusal = payoutRefusal(payout)
      if (refusal !== undefined) return Effect.succeed(refusal)
      return Effect.map(
        settled({
          heard: http.call({
            kind: "sendPayout",
            scope: "payouts",
            method: "POST",
            path: "/banking/v2/pix",
            headers: { "x-id-idempotente": idempotencyKey(payout.reference) },
            body: writePayout(payout)
          }),
          read: (json) => readAnswer(json, payout),
          // There is no question by our reference; under the key a refusal is that of the first try.
          find: Effect.succeed(PspOutcome.done(undefined)),
          isOrdered: () => true
        }),
        (sent) => {
          if (sent._tag === "Done") remember(sent.value.pspReference, payout.reference)
          return sent._tag === "Rejected"
            ? { ...sent, ...payoutRejection(sent.code, sent.message) }
            : sent
        }
      )
    },

    findPayout: ({ pspReference, reference }) =>
      pspReference === undefined
        ? Effect.succeed(PspOutcome.done(undefined))
        : find(reference, pspReference),

    readCallback: (json) => {
      const told = Result.getOrUndefined(toldOf(json))
      if (told === undefined) return undefined
      return [told].flat().flatMap(({ codigoSolicitacao }): ReadonlyArray<PspNotice> => {
        const reference = references.get(codigoSolicitacao)
        return reference === undefined ? [] : [{ _tag: "Payout", reference }]
      })
    }
  }
}

const mayBeEither = unknown("FALHA and NAO_DEBITADO do not say whether the money has left")

/** A JSON number, at most 140 characters of text, and the key as the recipient. */
const writePayout = ({ amount, pixKey }: NewPspPayout): unknown => ({
  valor: Money.toBrlNumber(amount),
  destinatario: { tipo: "CHAVE", chave: pixKey.value }
})

const readAnswer = (json: unknown, { amount, reference }: NewPspPayout): PspPayout => {
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

const readAsked = (
  json: unknown,
  names: Pick<PspPayout, "reference" | "pspReference">
): PspPayout | "either" => {
  const { transacaoPix: pix } = decodeAsked(json)
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
