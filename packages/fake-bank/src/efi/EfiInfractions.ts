import { pageOf, periodOf } from "../bacen/Pages.ts"
import type { Asked, Route } from "../door/Exchange.ts"
import { textAt } from "../door/Exchange.ts"
import { toReais } from "../world/Centavos.ts"
import type { Infraction } from "../world/Infraction.ts"
import { decideInfraction, defendInfraction, infractionNamed } from "../world/Infractions.ts"
import type { World } from "../world/World.ts"
import { WorldRefusal } from "../world/World.ts"

/** Reports of fraud (EFI-SDK, `medList`, `medDefense`). */
export const efiInfractionRoutes = (world: World): ReadonlyArray<Route> => [
  {
    operation: "listInfractions",
    method: "GET",
    path: "/v2/gn/infracoes",
    scope: "gn.infractions.read",
    errors: "problem",
    handle: (asked) => {
      const type = "InfracaoConsultaInvalida"
      const { isIn, parametros } = periodOf(asked, type)
      const infractions = [...world.infractions.values()]
        .filter(({ payment }) => payment.account === asked.account)
        .filter(({ reportedAt }) => isIn(reportedAt))
      const { items, paginacao } = pageOf(asked, type, infractions)
      return {
        status: 200,
        body: { parametros: { ...parametros, paginacao }, infracoes: items.map(infractionView) }
      }
    },
    lie: ({ status }) => ({ status, body: { infracoes: [] } })
  },
  {
    operation: "defendInfraction",
    method: "POST",
    path: "/v2/gn/infracoes/:id/defesa",
    scope: "gn.infractions.write",
    errors: "problem",
    body: defenceSchema,
    handle: (asked) => {
      defend(world, asked)
      return { status: 204 }
    }
  }
]

const defend = (world: World, { account, json, params }: Asked) => {
  const infraction = infractionNamed(world, params["id"] ?? "")
  if (infraction.payment.account !== account) {
    throw new WorldRefusal("unknown_infraction", "There is no such infraction.")
  }
  const accepts = textAt(json, "analise") === "aceito"
  defendInfraction(world, infraction, { accepts, text: textAt(json, "justificativa") ?? "" })
  // Whoever accepts a report has nothing left to be decided [?].
  if (accepts) decideInfraction(world, infraction, "accepted")
}

const defenceSchema = {
  type: "object",
  required: ["analise", "justificativa"],
  properties: {
    analise: { enum: ["aceito", "rejeitado"] },
    justificativa: { type: "string", minLength: 1 }
  }
} as const

const statuses = {
  open: "ABERTA",
  defended: "EM_DEFESA",
  accepted: "ACEITA",
  rejected: "REJEITADA",
  cancelled: "CANCELADA_EFI"
} as const

const infractionView = (infraction: Infraction) => {
  const { answerUntil, centavos, decidedAt, defence, id, payment, reason, reportedAt } = infraction
  const { account, payer } = payment
  const changedAt = decidedAt ?? defence?.at ?? reportedAt
  return {
    idInfracao: id,
    endToEndId: payment.endToEndId,
    protocolo: id.slice(0, 8),
    dataTransacao: payment.at.toISOString(),
    valor: toReais(centavos),
    chave: payment.key,
    status: statuses[infraction.status],
    razao: reason,
    tipoSituacao: "golpe",
    ...(defence === undefined ? {} : { defesa: defence.text }),
    identificadorTicket: [],
    dadosAnalise: {
      abertura: reportedAt.toISOString(),
      prazoFinalizacao: answerUntil.toISOString(),
      ...(defence === undefined ? {} : { recebimentoDefesa: defence.at.toISOString() }),
      ...(decidedAt === undefined ? {} : { finalizacao: decidedAt.toISOString() })
    },
    origem: {
      nomeParticipante: "Outro Banco",
      conta: "1",
      nome: payer.name,
      documento: payer.document
    },
    destino: {
      nomeParticipante: "Efí",
      conta: account.id,
      nome: account.name,
      documento: account.document
    },
    criadoEm: reportedAt.toISOString(),
    atualizadoEm: changedAt.toISOString()
  }
}
