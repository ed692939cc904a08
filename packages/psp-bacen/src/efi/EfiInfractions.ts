import type { PspInfraction, PspInfractionsQuery, PspShape } from "@pagora/core"
import { present, PspOutcome } from "@pagora/core"
import { finding } from "@pagora/core/psp"
import { DateTime, Effect, Schema } from "effect"
import type { BankDesk } from "../BankDesk.ts"
import { readFound, unknown } from "../Settling.ts"
import { Amount, readAmount, readTime, Time, writeTime, writeTimeUp } from "../Words.ts"

const Infraction = Schema.Struct({
  idInfracao: Schema.NonEmptyString,
  endToEndId: Schema.NonEmptyString,
  valor: Amount,
  razao: Schema.optionalKey(Schema.String),
  status: Schema.Literals(["ABERTA", "EM_DEFESA", "ACEITA", "REJEITADA", "CANCELADA_EFI"]),
  dadosAnalise: Schema.Struct({
    abertura: Time,
    prazoFinalizacao: Schema.optionalKey(Time),
    recebimentoDefesa: Schema.optionalKey(Time)
  })
})
const Infractions = Schema.Struct({
  parametros: Schema.optionalKey(
    Schema.Struct({ paginacao: Schema.Struct({ quantidadeDePaginas: Schema.Number }) })
  ),
  infracoes: Schema.Array(Infraction)
})
const decodeInfractions = Schema.decodeUnknownSync(Infractions)

/** A report is answered within 7 days and its money claimed within 80 of the payment (MED). More than Pagora looks through by itself. */
const infractionDays = 120
const pagesMax = 50

/** `EM_DEFESA` waits for the other side's bank: it is open until that has decided. */
const statuses = {
  ABERTA: "open",
  EM_DEFESA: "open",
  ACEITA: "accepted",
  REJEITADA: "rejected",
  CANCELADA_EFI: "cancelled"
} as const satisfies Record<string, PspInfraction["status"]>

/** One page of the list (`GET /v2/gn/infracoes`). */
const pageOf =
  ({ http }: BankDesk) =>
  ({ from, to }: Period, number: number) =>
    Effect.map(
      http.call({
        kind: "listInfractions",
        scope: "pix",
        method: "GET",
        path: "/v2/gn/infracoes",
        query: {
          inicio: writeTime(from),
          fim: writeTimeUp(to),
          "paginacao.paginaAtual": String(number)
        }
      }),
      (heard) => {
        const listed = readFound(heard, (json) => {
          const { infracoes, parametros } = decodeInfractions(json)
          const pages = parametros?.paginacao.quantidadeDePaginas ?? 1
          return { infractions: infracoes, isLast: number + 1 >= pages }
        })
        // A list is there, empty or not; a 404 in its place says nothing.
        if (listed._tag !== "Done") return listed
        return listed.value === undefined ? unknown("no list") : PspOutcome.done(listed.value)
      }
    )

/** All that may still be undecided. */
const lately = (now: DateTime.Utc): Period => ({
  from: DateTime.subtract(now, { days: infractionDays }),
  to: now
})

/** Reports of fraud at Efí. It has no look-up by their id: the list of the last days is read through. */
export const makeEfiInfractions = (desk: BankDesk) => {
  const page = pageOf(desk)

  const findInfraction: NonNullable<PspShape["findInfraction"]> = (id, now) =>
    Effect.gen(function* () {
      const period = lately(now ?? (yield* DateTime.now))
      for (let number = 0; number < pagesMax; number++) {
        const listed = yield* page(period, number)
        if (listed._tag !== "Done") return listed
        const { infractions, isLast } = listed.value
        const found = infractions.find(({ idInfracao }) => idInfracao === id)
        if (found !== undefined) return PspOutcome.done(readInfraction(found))
        if (isLast) return PspOutcome.done(undefined)
      }
      return unknown("too many infractions")
    })

  const listInfractions: NonNullable<PspShape["listInfractions"]> = ({ cursor, from, to }) =>
    Effect.gen(function* () {
      const number = Number(cursor ?? "0")
      const listed = yield* page({ from, to }, number)
      if (listed._tag !== "Done") return listed
      const { infractions, isLast } = listed.value
      return PspOutcome.done({
        infractions: infractions.map(readInfraction).filter(isIn({ from, to })),
        ...present({ next: isLast ? undefined : String(number + 1) })
      })
    })

  /** What Efí answers to a defence tells nothing: whether it has one is read back. */
  const defendInfraction: NonNullable<PspShape["defendInfraction"]> = ({ answer, id, now, text }) =>
    Effect.gen(function* () {
      const heard = yield* desk.http.call({
        kind: "defendInfraction",
        scope: "pix",
        method: "POST",
        path: `/v2/gn/infracoes/${encodeURIComponent(id)}/defesa`,
        body: { analise: answer === "agree" ? "aceito" : "rejeitado", justificativa: text }
      })
      if (heard._tag === "Denied") return { _tag: "NotSent", detail: heard.detail }
      if (heard._tag !== "Answered" && heard._tag !== "Refused") return heard
      const found = yield* findInfraction(id, now)
      if (found._tag !== "Done") return unknown("an answer that could not be checked")
      const { value } = found
      if (value !== undefined && (value.isAnswered === true || value.status !== "open"))
        return PspOutcome.done(value)
      return heard._tag === "Refused"
        ? PspOutcome.rejected(heard.code, heard.message)
        : unknown("an answer that the list does not bear out")
    })

  /** Efí tells of none by itself, so a check says what waits for a defence. */
  const check = Effect.map(
    Effect.flatMap(DateTime.now, (now) => page(lately(now), 0)),
    (listed) => {
      if (listed._tag !== "Done")
        return finding("infractions", "warning", "Reports of fraud cannot be listed: see `scopes`.")
      const open = listed.value.infractions.filter(({ status }) => status === "ABERTA")
      const ids = open.map(
        ({ dadosAnalise, idInfracao }) =>
          `${idInfracao} until ${dadosAnalise.prazoFinalizacao ?? "soon"}`
      )
      return open.length === 0
        ? finding("infractions", "ok", "No report of fraud waits for a defence.")
        : finding(
            "infractions",
            "warning",
            `Reports of fraud wait for a defence: ${ids.join(", ")}.`
          )
    }
  )

  return { findInfraction, listInfractions, defendInfraction, check }
}

const readInfraction = (infraction: typeof Infraction.Type): PspInfraction => ({
  id: infraction.idInfracao,
  endToEndId: infraction.endToEndId,
  status: statuses[infraction.status],
  amount: readAmount(infraction.valor),
  reportedAt: readTime(infraction.dadosAnalise.abertura),
  isAnswered:
    infraction.status === "EM_DEFESA" || infraction.dadosAnalise.recebimentoDefesa !== undefined,
  ...present({
    reason: infraction.razao,
    answerUntil: timeOf(infraction.dadosAnalise.prazoFinalizacao)
  })
})

const timeOf = (text: typeof Time.Type | undefined) =>
  text === undefined ? undefined : readTime(text)

type Period = Pick<PspInfractionsQuery, "from" | "to">

/** Efí is asked by whole seconds; a report is in the period that its own time is in. */
const isIn =
  ({ from, to }: Period) =>
  ({ reportedAt }: PspInfraction): boolean =>
    DateTime.isGreaterThanOrEqualTo(reportedAt, from) && DateTime.isLessThan(reportedAt, to)
