import { bacenVoice } from "../bacen/Callbacks.ts"
import type { Voice } from "../bacen/Callbacks.ts"
import type { BankProfile } from "../bacen/BankProfile.ts"
import type { Webhook, WebhookTrial } from "../bacen/WebhookRoutes.ts"
import type { Courier, NewCallback } from "../callbacks/Courier.ts"
import type { Asked, Route } from "../door/Exchange.ts"
import { Refused, textAt } from "../door/Exchange.ts"
import type { BankAccount } from "../world/BankAccount.ts"
import { toReais } from "../world/Centavos.ts"
import type { Payout } from "../world/Payout.ts"
import type { World } from "../world/World.ts"
import { errorsOf, recipientView } from "./InterPayouts.ts"
import { toldStateOf } from "./InterStates.ts"

export interface InterCallbacksParts {
  readonly world: World
  readonly profile: BankProfile
  readonly webhooks: ReadonlyMap<string, Webhook>
  readonly courier: Courier
  readonly trial: WebhookTrial
}

export interface InterCallbacks {
  readonly routes: ReadonlyArray<Route>
  readonly voice: Voice
  readonly tellPayoutsTo: (account: BankAccount, url: string) => void
}

const payoutWebhook = "/banking/v2/webhooks/pix-pagamento"

/** Inter's two addresses: one for each key's receipts, one for payouts. Its header names the account (INTER-HOOK, Constants.java). */
export const makeInterCallbacks = (parts: InterCallbacksParts): InterCallbacks => {
  const { courier, profile, webhooks, world } = parts
  const ofPayouts = new Map<BankAccount, Webhook>()
  const receipts = bacenVoice(profile, webhooks)
  const named = (account: BankAccount) => (callback: NewCallback) => ({
    ...callback,
    headers: { "x-conta-corrente": account.id }
  })
  return {
    routes: [
      ...payoutWebhookRoutes(parts, ofPayouts),
      deliveryLog(courier, `${payoutWebhook}/callbacks`, "payout", "webhook-banking.read"),
      deliveryLog(courier, `${profile.base}/webhook/callbacks`, "pix", "webhook.read")
    ],
    voice: (event) => {
      if (event.type === "payout_changed") {
        const { payout } = event
        const webhook = ofPayouts.get(payout.account)
        return webhook === undefined
          ? []
          : payoutCallbacks(webhook, payout).map(named(payout.account))
      }
      if (event.type !== "payment_received" && event.type !== "return_changed") return []
      return receipts(event).map(named(event.payment.account))
    },
    tellPayoutsTo: (account, url) =>
      void ofPayouts.set(account, { key: "", url, createdAt: world.clock.now() })
  }
}

const payoutWebhookRoutes = (
  { trial, world }: InterCallbacksParts,
  ofPayouts: Map<BankAccount, Webhook>
): ReadonlyArray<Route> => {
  const registered = ({ account }: Asked): Webhook => {
    const webhook = ofPayouts.get(account)
    if (webhook !== undefined) return webhook
    throw new Refused({ status: 404, type: "NaoEncontrado", detail: "Webhook não encontrado." })
  }
  const banking = { path: payoutWebhook, errors: "inter_banking" } as const
  return [
    {
      ...banking,
      operation: "setPayoutWebhook",
      method: "PUT",
      scope: "webhook-banking.write",
      body: {
        type: "object",
        required: ["webhookUrl"],
        properties: { webhookUrl: { type: "string", format: "uri" } }
      },
      handle: async (asked) => {
        const url = textAt(asked.json, "webhookUrl") ?? ""
        const refused = await trial(asked, url)
        if (refused !== undefined) throw refused
        ofPayouts.set(asked.account, { key: "", url, createdAt: world.clock.now() })
        return { status: 204 }
      }
    },
    {
      ...banking,
      operation: "findPayoutWebhook",
      method: "GET",
      scope: "webhook-banking.read",
      handle: (asked) => {
        const { createdAt, url } = registered(asked)
        return { status: 200, body: { webhookUrl: url, criacao: createdAt.toISOString() } }
      }
    },
    {
      ...banking,
      operation: "removePayoutWebhook",
      method: "DELETE",
      scope: "webhook-banking.write",
      handle: (asked) => {
        registered(asked)
        ofPayouts.delete(asked.account)
        return { status: 204 }
      }
    }
  ]
}

const payoutCallbacks = ({ url }: Webhook, payout: Payout): ReadonlyArray<NewCallback> => {
  const status = toldStateOf(payout)
  if (status === undefined) return []
  const view = (centavos: number) => ({
    codigoSolicitacao: payout.id,
    chave: payout.recipientKey,
    dataHoraMovimento: (payout.settledAt ?? payout.requestedAt).toISOString(),
    dataHoraSolicitacao: payout.requestedAt.toISOString(),
    endToEnd: payout.endToEndId,
    recebedor: recipientView(payout),
    erros: errorsOf(payout),
    status,
    tipoMovimentacao: "PAGAMENTO",
    valor: toReais(centavos)
  })
  const { centavos } = payout
  return [{ kind: "payout", url, body: view(centavos), misquoted: view(centavos + 1) }]
}

/** What was sent, try by try (INTER-PY Constants; the fields are those of its models). */
const deliveryLog = (courier: Courier, path: string, kind: string, scope: string): Route => ({
  operation: kind === "pix" ? "listCallbacks" : "listPayoutCallbacks",
  method: "GET",
  path,
  scope,
  handle: ({ query }) => {
    const from = new Date(query["dataHoraInicio"] ?? 0)
    const to = new Date(query["dataHoraFim"] ?? 8.64e15)
    const data = courier.all
      .filter((callback) => callback.kind === kind)
      .flatMap(({ body, tries, url }) =>
        tries.map((each, index) => ({
          ...triedView(each),
          webhookUrl: url,
          numeroTentativa: index + 1,
          payload: body
        }))
      )
      .filter(({ dataHoraDisparo }) => {
        const at = new Date(dataHoraDisparo)
        return from <= at && at <= to
      })
    return {
      status: 200,
      body: {
        totalPaginas: 1,
        totalElementos: data.length,
        ultimaPagina: true,
        primeiraPagina: true,
        data
      }
    }
  }
})

const triedView = (tried: Courier["all"][number]["tries"][number]) => ({
  dataHoraDisparo: tried.at.toISOString(),
  sucesso: "status" in tried && tried.status >= 200 && tried.status < 300,
  ...("status" in tried ? { httpStatus: tried.status } : { mensagemErro: tried.failure })
})
