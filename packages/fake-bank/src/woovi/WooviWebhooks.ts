import { createHash, createHmac } from "node:crypto"
import type { NewCallback } from "../callbacks/Courier.ts"
import type { Asked, Route } from "../door/Exchange.ts"
import { member, textAt } from "../door/Exchange.ts"
import type { WorldEvent } from "../world/World.ts"
import { eventsOf } from "./WooviEvents.ts"
import type { WooviOffice, WooviWebhook } from "./WooviOffice.ts"
import { refused } from "./WooviRefusals.ts"
import { mongoId } from "./WooviShapes.ts"

const base = "/api/v1/webhook"

export const webhookRoutes = (office: WooviOffice): ReadonlyArray<Route> => [
  {
    operation: "findCompany",
    method: "GET",
    path: "/api/v1/company",
    handle: ({ account }) => ({
      status: 200,
      body: { company: { id: mongoId(account.id, office.world.clock.now()), name: account.name } }
    })
  },
  {
    operation: "listWebhooks",
    method: "GET",
    path: base,
    handle: ({ query }) => {
      const { url } = query
      const webhooks = office.webhooks.filter((each) => url === undefined || each.url === url)
      const pageInfo = { skip: 0, limit: 100, hasPreviousPage: false, hasNextPage: false }
      return { status: 200, body: { webhooks: webhooks.map(shape), pageInfo } }
    }
  },
  {
    operation: "setWebhook",
    method: "POST",
    path: base,
    handle: ({ json }) => {
      const webhook = newWebhook(office, json)
      office.webhooks.push(webhook)
      office.test(webhook)
      return { status: 200, body: { webhook: shape(webhook) } }
    }
  },
  {
    operation: "listSigningKeys",
    method: "GET",
    path: `${base}/public-keys`,
    handle: () => ({
      status: 200,
      body: {
        public_keys: office.keys.published().map((key, index, all) => ({
          key_identifier: createHash("sha256").update(key).digest("hex"),
          is_current: index === all.length - 1,
          key
        }))
      }
    })
  }
]

const shape = ({ hmacSecretKey: _, ...webhook }: WooviWebhook) => webhook

const newWebhook = ({ webhooks, world }: WooviOffice, json: Asked["json"]): WooviWebhook => {
  const url = textAt(json, "webhook", "url") ?? ""
  if (!URL.canParse(url)) throw refused("url inválida")
  const authorization = textAt(json, "webhook", "authorization")
  return {
    id: mongoId(`webhook ${webhooks.length}`, world.clock.now()),
    name: textAt(json, "webhook", "name") ?? "",
    event: textAt(json, "webhook", "event") ?? "OPENPIX:TRANSACTION_RECEIVED",
    url,
    isActive: member(json, "webhook", "isActive") !== false,
    hmacSecretKey: world.ids.uuid(),
    ...(authorization === undefined ? {} : { authorization })
  }
}

/** The callbacks of what happened, to each webhook that wants them. */
export const wooviVoice = (office: WooviOffice, event: WorldEvent): ReadonlyArray<NewCallback> =>
  eventsOf(office.world, event).flatMap((body) =>
    office.webhooks
      .filter((webhook) => webhook.isActive && webhook.event === body.event)
      .map((webhook) => ({ ...callbackOf(webhook, body), misquoted: misquoted(body) }))
  )

/** What a new webhook is sent (docs/webhook/webhook-test). */
export const testOf = (webhook: WooviWebhook, now: Date): NewCallback => {
  const { event } = webhook
  return callbackOf(webhook, {
    data_criacao: now.toISOString(),
    evento: "teste_webhook",
    event
  })
}

/** With the secret of the webhook that is told; what Woovi signs by its own key is signed as it is sent (docs/webhook/seguranca). */
const callbackOf = (
  { authorization, event, hmacSecretKey, url }: WooviWebhook,
  body: object
): NewCallback => ({
  kind: event,
  url,
  body,
  headers: {
    "x-openpix-signature": createHmac("sha1", hmacSecretKey)
      .update(JSON.stringify(body))
      .digest("base64"),
    ...(authorization === undefined ? {} : { authorization })
  }
})

/** For the fault `lie`: one centavo more, wherever an amount stands. */
const misquoted = (body: object): unknown =>
  JSON.parse(JSON.stringify(body), (name, told: unknown) =>
    name === "value" && typeof told === "number" ? told + 1 : told
  )
