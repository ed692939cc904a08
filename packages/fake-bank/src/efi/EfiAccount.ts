import type { NewCallback } from "../callbacks/Courier.ts"
import type { Answer, Asked, Route } from "../door/Exchange.ts"
import { member, Refused, textAt } from "../door/Exchange.ts"
import { toReais } from "../world/Centavos.ts"
import type { World, WorldEvent } from "../world/World.ts"

export interface EfiAccountParts {
  readonly world: World
  readonly voice: (event: WorldEvent) => ReadonlyArray<NewCallback>
  readonly send: (callback: NewCallback) => void
}

/** The balance and the callbacks that are sent again (EFI-SDK, `getAccountBalance`, pix.d.ts 3345). */
export const efiAccountRoutes = (parts: EfiAccountParts): ReadonlyArray<Route> => [
  {
    operation: "findBalance",
    method: "GET",
    path: "/v2/gn/saldo",
    scope: "gn.balance.read",
    handle: ({ account, query }) => {
      const { balance, blocked } = account
      const { judicial, med } = blocked
      const bloqueios = {
        judicial: toReais(judicial),
        med: toReais(med),
        total: toReais(judicial + med)
      }
      const saldo = toReais(balance)
      return { status: 200, body: query["bloqueios"] === "true" ? { saldo, bloqueios } : { saldo } }
    }
  },
  {
    operation: "resendCallbacks",
    method: "POST",
    path: "/v2/gn/webhook/reenviar",
    scope: "webhook.write",
    body: {
      type: "object",
      required: ["tipo", "e2eids"],
      properties: {
        tipo: { enum: ["PIX_RECEBIDO", "PIX_ENVIADO", "DEVOLUCAO_RECEBIDA", "DEVOLUCAO_ENVIADA"] },
        e2eids: { type: "array", items: { type: "string" } }
      }
    },
    handle: (asked) => resend(parts, asked)
  }
]

const resend = ({ send, voice, world }: EfiAccountParts, { account, json }: Asked): Answer => {
  const names = member(json, "e2eids")
  const isOfPayouts = ["PIX_ENVIADO", "DEVOLUCAO_RECEBIDA"].includes(textAt(json, "tipo") ?? "")
  const events = (Array.isArray(names) ? names : []).map((name: unknown): WorldEvent => {
    const payout = world.payouts.find((each) => each.endToEndId === name)
    const payment = world.payments.get(String(name))
    if (isOfPayouts && payout?.account === account) return { type: "payout_changed", payout }
    if (!isOfPayouts && payment?.account === account) return { type: "payment_received", payment }
    const detail = `O Pix ${String(name)} não foi encontrado.`
    throw new Refused({ status: 404, type: "PixNaoEncontrado", code: "pix_nao_encontrado", detail })
  })
  events.flatMap(voice).forEach(send)
  return { status: 202 }
}
