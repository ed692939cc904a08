import type { Answer, Asked, Route } from "../door/Exchange.ts"
import { member, Refused, textAt } from "../door/Exchange.ts"
import type { BankFinding } from "../openapi/Findings.ts"
import type { Centavos } from "../world/Centavos.ts"
import type { Payout } from "../world/Payout.ts"
import { beginPayout, payoutNamed } from "../world/Payouts.ts"
import type { World } from "../world/World.ts"
import { WorldRefusal } from "../world/World.ts"
import type { InterHistory } from "./InterStates.ts"
import { stateOf } from "./InterStates.ts"

export interface InterPayoutsParts {
  readonly world: World
  readonly history: InterHistory
  readonly needsApproval: boolean
  readonly onTaken: (payout: Payout) => void
  readonly report: (finding: BankFinding) => void
}

/** Pix-out (INTER-PY banking/pix/BankingPixClient.py; INTER-TS `PagamentoPixRequestBody`, `ConsultaPixAsyncResponse`). */
export const interPayoutRoutes = (parts: InterPayoutsParts): ReadonlyArray<Route> => {
  const { history, world } = parts
  const oldest = () => {
    const [payout] = world.payouts
    return payout ?? payoutNamed(world, "of anybody")
  }
  return [
    {
      operation: "sendPayout",
      method: "POST",
      path: "/banking/v2/pix",
      scope: "pagamento-pix.write",
      errors: "inter_banking",
      body: payoutSchema,
      handle: (asked) => send(parts, asked),
      another: () => ({ status: 200, body: takenView(oldest()) })
    },
    {
      operation: "findPayout",
      method: "GET",
      path: "/banking/v2/pix/:codigo",
      scope: "pagamento-pix.read",
      errors: "inter_banking",
      handle: ({ account, params }) => {
        const payout = world.payouts.find((each) => each.id === params["codigo"])
        if (payout?.account !== account) throw new WorldRefusal("unknown_payout", "No such payout.")
        return { status: 200, body: lookUpView(payout, history) }
      },
      another: () => ({ status: 200, body: lookUpView(oldest(), history) }),
      lie: () => {
        throw new WorldRefusal("unknown_payout", "No such payout.")
      }
    },
    {
      operation: "findBalance",
      method: "GET",
      path: "/banking/v2/saldo",
      scope: "extrato.read",
      errors: "inter_banking",
      handle: ({ account }) => {
        const { balance, blocked } = account
        const { judicial, med } = blocked
        const body = {
          disponivel: toNumber(balance - judicial - med),
          bloqueadoJudicialmente: toNumber(judicial),
          bloqueadoAdministrativo: toNumber(med)
        }
        return { status: 200, body }
      }
    }
  ]
}

const toNumber = (centavos: Centavos): number => centavos / 100

/** Undefined where the number has fractions of a centavo. */
const fromNumber = (value: unknown): Centavos | undefined => {
  if (typeof value !== "number") return undefined
  const centavos = Math.round(value * 100)
  return Math.abs(centavos - value * 100) < 1e-6 && centavos > 0 ? centavos : undefined
}

const send = (parts: InterPayoutsParts, asked: Asked): Answer => {
  const { history, needsApproval, onTaken, report, world } = parts
  const { account, headers, json } = asked
  const key = headers["x-id-idempotente"]
  // [C] id 35178911802, id 69482142341: a key that is known is answered with the first result, whatever is asked under it.
  const before = world.payouts.find((each) => each.account === account && each.reference === key)
  if (before !== undefined) return { status: 200, body: takenView(before) }
  if (key === undefined) {
    const faults = ["x-id-idempotente is missing: whoever repeats this pays twice."]
    report({ by: "caller", operation: "sendPayout", faults })
  } else if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(key)) {
    throw refused("O x-id-idempotente não é um UUID.")
  }
  const centavos = fromNumber(member(json, "valor"))
  const recipientKey = textAt(json, "destinatario", "chave")
  if (centavos === undefined) throw refused("O valor é inválido.")
  if (recipientKey === undefined) throw refused("A chave do destinatário é inválida.")
  const message = textAt(json, "descricao")
  const payout = beginPayout(world, account, {
    reference: key ?? world.ids.uuid(),
    centavos,
    recipientKey,
    needsApproval,
    ...(message === undefined ? {} : { message })
  })
  history.note(payout)
  onTaken(payout)
  return { status: 200, body: takenView(payout) }
}

const refused = (detail: string) => new Refused({ status: 400, type: "RequisicaoInvalida", detail })

const day = (at: Date) => at.toISOString().slice(0, 10)

const takenView = ({ id, requestedAt, status }: Payout) => ({
  tipoRetorno: status === "awaiting_approval" ? "APROVACAO" : "PROCESSADO",
  codigoSolicitacao: id,
  dataPagamento: day(requestedAt),
  dataOperacao: day(requestedAt)
})

const lookUpView = (payout: Payout, history: InterHistory) => ({
  transacaoPix: {
    contaCorrente: payout.account.id,
    recebedor: recipientView(payout),
    erros: errorsOf(payout),
    // It has one once it was sent.
    ...(payout.status === "awaiting_approval" ? {} : { endToEnd: payout.endToEndId }),
    valor: toNumber(payout.centavos),
    status: stateOf(payout),
    dataHoraMovimento: (payout.settledAt ?? payout.requestedAt).toISOString(),
    dataHoraSolicitacao: payout.requestedAt.toISOString(),
    chave: payout.recipientKey,
    codigoSolicitacao: payout.id
  },
  historico: history.of(payout).map(({ at, state }) => ({
    status: state,
    dataHoraEvento: at.toISOString()
  }))
})

/** A CPF comes masked (INTER-TS `DadosConta`). */
export const recipientView = ({ recipient }: Payout) => {
  const { document, name } = recipient
  const isPerson = document.length === 11
  return {
    nome: name,
    cpfCnpj: isPerson ? `***.${document.slice(3, 6)}.${document.slice(6, 9)}-**` : document
  }
}

export const errorsOf = ({ failure, status }: Payout) =>
  status === "failed" && failure !== undefined
    ? [{ codigoErro: failure.code, descricaoErro: failure.message }]
    : []

const payoutSchema = {
  type: "object",
  required: ["valor", "destinatario"],
  properties: {
    valor: { type: "number" },
    dataPagamento: { type: "string", format: "date" },
    descricao: { type: "string", maxLength: 140 },
    destinatario: {
      type: "object",
      required: ["tipo", "chave"],
      properties: { tipo: { const: "CHAVE" }, chave: { type: "string", maxLength: 77 } }
    }
  }
} as const
