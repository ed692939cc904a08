import { pageOf, periodOf } from "../bacen/Pages.ts"
import type { Webhook } from "../bacen/WebhookRoutes.ts"
import type { Answer, Asked, Route } from "../door/Exchange.ts"
import { member, Refused, textAt } from "../door/Exchange.ts"
import { fromReais, toReais } from "../world/Centavos.ts"
import type { Payout } from "../world/Payout.ts"
import { beginPayout } from "../world/Payouts.ts"
import type { World } from "../world/World.ts"
import { ownerOf } from "../world/World.ts"

export interface EfiPayoutsParts {
  readonly world: World
  readonly webhooks: ReadonlyMap<string, Webhook>
  /** What the bank does with one that it has taken. */
  readonly onTaken: (payout: Payout) => void
  /** Refuses one before it is taken: Efí's sandbox does so by the amount. */
  readonly refusesAtOnce: (centavos: number) => boolean
}

/** Pix-out (EFI-SDK, `pixSend`, `pixSendDetail`, `pixSendDetailId`, `pixSendList`). */
export const efiPayoutRoutes = (parts: EfiPayoutsParts): ReadonlyArray<Route> => {
  const { world } = parts
  const found = ({ account, params }: Asked): Payout => {
    const { e2eId, idEnvio } = params
    const payout = world.payouts.find(
      (each) =>
        each.account === account && (each.reference === idEnvio || each.endToEndId === e2eId)
    )
    if (payout !== undefined) return payout
    throw notFound()
  }
  const lookUp = { method: "GET", scope: "gn.pix.send.read", errors: "problem" } as const
  const oldest = () => {
    const [payout] = world.payouts
    if (payout === undefined) throw notFound()
    return payout
  }
  return [
    {
      operation: "sendPayout",
      method: "PUT",
      path: "/v3/gn/pix/:idEnvio",
      scope: "pix.send",
      body: payoutSchema,
      handle: (asked) => send(parts, asked),
      another: () => ({ status: 201, body: takenView(oldest()) })
    },
    {
      ...lookUp,
      operation: "findPayout",
      path: "/v2/gn/pix/enviados/id-envio/:idEnvio",
      handle: (asked) => ({ status: 200, body: payoutView(found(asked)) }),
      another: () => ({ status: 200, body: payoutView(oldest()) }),
      lie: () => {
        throw notFound()
      }
    },
    {
      ...lookUp,
      operation: "findPayoutByEndToEndId",
      path: "/v2/gn/pix/enviados/:e2eId",
      handle: (asked) => ({ status: 200, body: payoutView(found(asked)) })
    },
    {
      ...lookUp,
      operation: "listPayouts",
      path: "/v2/gn/pix/enviados",
      handle: (asked) => listed(world, asked)
    }
  ]
}

const notFound = () =>
  new Refused({ status: 404, type: "PixNaoEncontrado", detail: "Pix não encontrado." })

// The words of these refusals are ours [?]: no stored page has Efí's own.
const refused = (status: number, code: string, detail: string) =>
  new Refused({ status, type: "RequisicaoInvalida", code, detail })

const send = (parts: EfiPayoutsParts, asked: Asked): Answer => {
  const { onTaken, refusesAtOnce, webhooks, world } = parts
  const { account, json, params } = asked
  const { idEnvio = "" } = params
  const centavos = fromReais(member(json, "valor"))
  const payingKey = textAt(json, "pagador", "chave") ?? ""
  const recipientKey = textAt(json, "favorecido", "chave")
  if (!/^[a-zA-Z0-9]{1,35}$/.test(idEnvio))
    throw refused(400, "valor_invalido", "O idEnvio é inválido.")
  if (centavos === undefined || centavos === 0 || recipientKey === undefined) {
    throw refused(400, "json_invalido", "Valores ou tipos de campos inválidos")
  }
  if (!account.keys.includes(payingKey)) {
    throw refused(400, "chave_invalida", "A chave do pagador não pertence à conta.")
  }
  // [P] EFI-DOC docs/APIPix/Pix.
  if (!webhooks.has(payingKey)) {
    throw refused(
      400,
      "webhook_nao_cadastrado",
      "A chave do pagador deve ter um webhook cadastrado."
    )
  }
  if (world.payouts.some((each) => each.account === account && each.reference === idEnvio)) {
    throw refused(409, "id_envio_duplicado", "O idEnvio já foi utilizado.")
  }
  const holder = textAt(json, "favorecido", "cpf") ?? textAt(json, "favorecido", "cnpj")
  if (holder !== undefined && holder !== ownerOf(world, recipientKey).document) {
    throw refused(400, "documento_divergente", "O documento não corresponde ao titular da chave.")
  }
  if (refusesAtOnce(centavos)) throw refused(400, "valor_invalido", "Pix rejeitado.")
  const message = textAt(json, "pagador", "infoPagador")
  const payout = beginPayout(world, account, {
    reference: idEnvio,
    centavos,
    recipientKey,
    payingKey,
    ...(message === undefined ? {} : { message })
  })
  onTaken(payout)
  return { status: 201, body: takenView(payout) }
}

const statuses = {
  awaiting_approval: "EM_PROCESSAMENTO",
  processing: "EM_PROCESSAMENTO",
  completed: "REALIZADO",
  reversed: "REALIZADO",
  failed: "NAO_REALIZADO"
} as const

export const payoutStatus = ({ status }: Payout) => statuses[status]

const takenView = (payout: Payout) => ({
  idEnvio: payout.reference,
  e2eId: payout.endToEndId,
  valor: toReais(payout.centavos),
  horario: { solicitacao: payout.requestedAt.toISOString() },
  status: payoutStatus(payout)
})

const payoutView = (payout: Payout) => ({
  endToEndId: payout.endToEndId,
  idEnvio: payout.reference,
  valor: toReais(payout.centavos),
  chave: payout.payingKey,
  status: payoutStatus(payout),
  ...(payout.message === undefined ? {} : { infoPagador: payout.message }),
  horario: {
    solicitacao: payout.requestedAt.toISOString(),
    ...(payout.settledAt === undefined ? {} : { liquidacao: payout.settledAt.toISOString() })
  },
  favorecido: {
    chave: payout.recipientKey,
    identificacao: { nome: payout.recipient.name, ...masked(payout.recipient.document) }
  },
  ...extrasOf(payout)
})

/** What an answer and a callback alike say of how it failed or came back. */
export const extrasOf = (payout: Payout) => ({
  ...(payout.status === "failed" && payout.failure !== undefined
    ? { gnExtras: { idEnvio: payout.reference, erro: errorOf(payout.failure) } }
    : {}),
  ...(payout.returns.length === 0
    ? {}
    : {
        devolucoes: payout.returns.map(({ at, centavos, returnId }) => ({
          id: returnId.slice(1),
          rtrId: returnId,
          valor: toReais(centavos),
          horario: { solicitacao: at.toISOString(), liquidacao: at.toISOString() },
          status: "DEVOLVIDO"
        }))
      })
})

const errorOf = ({ code, message }: NonNullable<Payout["failure"]>) => ({
  codigo: code,
  origem: "PSP do usuário recebedor",
  motivo: message
})

/** [P] EFI-SDK: a CPF comes masked; a CNPJ is public. */
const masked = (document: string) =>
  document.length === 11
    ? { cpf: `***.${document.slice(3, 6)}.${document.slice(6, 9)}-**` }
    : { cnpj: document }

const listed = (world: World, asked: Asked): Answer => {
  const type = "PixConsultaInvalida"
  const { isIn, parametros } = periodOf(asked, type)
  const { status } = asked.query
  const payouts = world.payouts
    .filter(({ account, requestedAt }) => account === asked.account && isIn(requestedAt))
    .filter((payout) => status === undefined || payoutStatus(payout) === status)
  const { items, paginacao } = pageOf(asked, type, payouts)
  return {
    status: 200,
    body: { parametros: { ...parametros, paginacao }, pix: items.map(payoutView) }
  }
}

const payoutSchema = {
  type: "object",
  required: ["valor", "pagador", "favorecido"],
  properties: {
    valor: { type: "string", pattern: "^\\d{1,10}\\.\\d{2}$" },
    pagador: {
      type: "object",
      required: ["chave"],
      properties: {
        chave: { type: "string", maxLength: 77 },
        infoPagador: { type: "string", maxLength: 140 }
      }
    },
    favorecido: {
      type: "object",
      required: ["chave"],
      properties: {
        chave: { type: "string", maxLength: 77 },
        cpf: { type: "string", pattern: "^\\d{11}$" },
        cnpj: { type: "string", pattern: "^[0-9A-Z]{14}$" }
      }
    }
  }
} as const
