import type { PspFinding, PspInfraction, PspInfractionsQuery, PspShape } from "@pagora/core"
import { Money, present, PspOutcome } from "@pagora/core"
import { DateTime, Effect, Result, Schema } from "effect"
import type { BankDesk } from "../BankDesk.ts"
import { readFound, unknown } from "../Settling.ts"
import { finding, whyNot } from "../setup/Findings.ts"
import { Amount, readAmount, readTime, Time, writeTime, writeTimeUp } from "../Words.ts"

const Balance = Schema.Struct({
  saldo: Amount,
  bloqueios: Schema.optionalKey(Schema.Struct({ judicial: Amount, med: Amount, total: Amount }))
})
const balanceOf = Schema.decodeUnknownResult(Balance)

/** What the account holds, and what of it is blocked by a court or by the MED (`GET /v2/gn/saldo?bloqueios=true`). */
export const checkEfiBalance = ({ http }: BankDesk): Effect.Effect<PspFinding> =>
  Effect.map(
    http.call({
      kind: "getBalance",
      scope: "pix",
      method: "GET",
      path: "/v2/gn/saldo",
      query: { bloqueios: "true" }
    }),
    (heard) => {
      const balance =
        heard._tag === "Answered" ? Result.getOrUndefined(balanceOf(heard.json)) : undefined
      if (balance === undefined)
        return finding("balance", "warning", `The balance cannot be read: ${whyNot(heard)}.`)
      const { bloqueios, saldo } = balance
      const shown = `R$ ${brl(saldo)} are there`
      return bloqueios === undefined || readAmount(bloqueios.total) === Money.zero
        ? finding("balance", "ok", `${shown}, and nothing is blocked.`)
        : finding(
            "balance",
            "warning",
            `${shown}; R$ ${brl(bloqueios.judicial)} are blocked by a court, R$ ${brl(bloqueios.med)} by the MED.`
          )
    }
  )

const brl = (amount: string | number) => Money.toBrlString(readAmount(amount))

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

/** A report is answered within 7 days and its money claimed within 80 of the payment (MED). */
const infractionDays = 90
const pagesMax = 50

/** `EM_DEFESA` waits for the other side's bank: it is open until that has decided. */
const statuses = {
  ABERTA: "open",
  EM_DEFESA: "open",
  ACEITA: "accepted",
  REJEITADA: "rejected",
  CANCELADA_EFI: "cancelled"
} as const satisfies Record<string, PspInfraction["status"]>

/** Reports of fraud at Efí (`GET /v2/gn/infracoes`). It has no look-up by their id: the list of the last 90 days is read through. */
export const makeEfiInfractions = ({ http }: BankDesk) => {
  const page = ({ from, to }: Period, number: number) =>
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
  const lately = Effect.map(DateTime.now, (to) => ({
    from: DateTime.subtract(to, { days: infractionDays }),
    to
  }))

  const findInfraction: NonNullable<PspShape["findInfraction"]> = (id) =>
    Effect.gen(function* () {
      const period = yield* lately
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

  /** Efí tells of none by itself, so a check says what waits for a defence. */
  const check = Effect.map(
    Effect.flatMap(lately, (period) => page(period, 0)),
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

  return { findInfraction, listInfractions, check }
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
