import type { Answer, Asked, Route } from "../door/Exchange.ts"
import { Refused, textAt } from "../door/Exchange.ts"
import type { World } from "../world/World.ts"
import type { BankProfile } from "./BankProfile.ts"
import { pageOf } from "./Pages.ts"

/** Where a customer wants to be called. */
export interface Webhook {
  readonly key: string
  readonly url: string
  readonly createdAt: Date
}

/** What a bank does before it takes an address: why it does not, in a sentence, or undefined. */
export type WebhookTrial = (asked: Asked, url: string) => Promise<Refused | undefined>

export const webhookRoutes = (
  world: World,
  { base, bases }: BankProfile,
  webhooks: Map<string, Webhook>,
  trial: WebhookTrial
): ReadonlyArray<Route> => {
  const all = `${bases.webhook ?? base}/webhook`
  const path = `${all}/:chave`
  return [
    {
      operation: "setWebhook",
      method: "PUT",
      path,
      scope: "webhook.write",
      handle: async (asked) => {
        const key = ownKey(asked)
        const url = textAt(asked.json, "webhookUrl")
        if (url === undefined || !URL.canParse(url))
          throw invalid("webhookUrl não respeita o schema.")
        const refused = await trial(asked, url)
        if (refused !== undefined) throw refused
        webhooks.set(key, { key, url, createdAt: world.clock.now() })
        return { status: 200, body: { webhookUrl: url } }
      }
    },
    {
      operation: "findWebhook",
      method: "GET",
      path,
      scope: "webhook.read",
      handle: (asked) => ({ status: 200, body: webhookView(asked, found(webhooks, asked)) })
    },
    {
      operation: "removeWebhook",
      method: "DELETE",
      path,
      scope: "webhook.write",
      handle: (asked) => {
        webhooks.delete(found(webhooks, asked).key)
        return { status: 204 }
      }
    },
    {
      operation: "listWebhooks",
      method: "GET",
      path: all,
      scope: "webhook.read",
      handle: (asked) => listed(webhooks, asked)
    }
  ]
}

const invalid = (detail: string) =>
  new Refused({ status: 400, type: "WebhookOperacaoInvalida", detail, code: "webhook_invalido" })

const ownKey = ({ account, params }: Asked): string => {
  const { chave = "" } = params
  if (account.keys.includes(chave)) return chave
  throw invalid("o parâmetro chave não corresponde a uma chave DICT deste usuário recebedor.")
}

const found = (webhooks: ReadonlyMap<string, Webhook>, asked: Asked): Webhook => {
  const webhook = webhooks.get(asked.params["chave"] ?? "")
  if (webhook !== undefined && asked.account.keys.includes(webhook.key)) return webhook
  const detail = "O webhook denotado por chave não se encontra estabelecido."
  throw new Refused({ status: 404, type: "WebhookNaoEncontrado", detail })
}

const listed = (webhooks: ReadonlyMap<string, Webhook>, asked: Asked): Answer => {
  const own = [...webhooks.values()].filter(({ key }) => asked.account.keys.includes(key))
  const { items, paginacao } = pageOf(asked, "WebhookConsultaInvalida", own)
  const { fim, inicio } = asked.query
  const period = {
    ...(inicio === undefined ? {} : { inicio }),
    ...(fim === undefined ? {} : { fim })
  }
  return {
    status: 200,
    body: {
      parametros: { ...period, paginacao },
      webhooks: items.map((webhook) => webhookView(asked, webhook))
    }
  }
}

/** The file asks for a CNPJ and shows a key in its examples: both are told. */
const webhookView = ({ account }: Asked, { createdAt, key, url }: Webhook) => ({
  webhookUrl: url,
  chave: key,
  cnpj: account.document,
  criacao: createdAt.toISOString()
})
