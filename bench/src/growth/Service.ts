import { Pagora, WebhookTransport } from "@pagora/core"
import { postgres } from "@pagora/postgres"
import { Effect, Layer } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import { growthPsp } from "./GrowthPsp.ts"

const pspId = "00000000-0000-7000-8000-0000000000b2"

/** A receiver that takes everything at once. */
const transport = Layer.succeed(WebhookTransport, {
  send: () => Effect.succeed({ _tag: "Answered" as const, status: 200, durationMillis: 12 }),
  refusal: () => undefined
})

export interface Call {
  readonly method?: string
  readonly path: string
  readonly token?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The service whole, in this process, with its workers; and what the world around it does. */
export const startService = async (url: string) => {
  const psp = growthPsp()
  const pagora = await Pagora.start({
    storage: postgres({ url }),
    psp: { default: pspId, psps: { [pspId]: psp.shape } },
    secret: randomBytes(32).toString("base64"),
    transport,
    rateLimits: false,
    // What is filled in is of the past, and is to stay until it is purged on purpose.
    deliveriesKeptDays: 36_500,
    logger: false
  })
  const answer = async ({ body, headers = {}, method = "GET", path, token }: Call) => {
    const response = await pagora.fetch(
      new Request(`http://bench${path}`, {
        method,
        headers: {
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...headers
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    )
    const text = await response.text()
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return (text === "" ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>
  }
  /** A charge is paid, and the PSP tells; it is settled some time after that. */
  const pay = async (chargeId: string): Promise<void> => {
    const reference = chargeId.replaceAll("-", "")
    psp.pay(reference)
    const response = await pagora.fetch(
      new Request(`http://bench/psp/${pspId}/webhook`, { method: "POST", body: reference })
    )
    if (!response.ok) throw new Error(`A notice was answered ${response.status}.`)
  }
  return { pagora, answer, pay, forget: psp.forget }
}

export type Service = Awaited<ReturnType<typeof startService>>

/** One tenant: an account with money, an endpoint, a sub-account and a credential. */
export interface Tenant {
  readonly id: string
  readonly endpoint: string
  readonly credential: { readonly client_id: string; readonly client_secret: string }
}

export const openTenant = async ({ pagora }: Service, name: string): Promise<Tenant> => {
  const { id } = await pagora.accounts.create({
    name,
    fees: { payment: { percent: 1 }, withdrawal: { fixed: 0.5 } }
  })
  await pagora.accounts.adjust(id, { amount: 100_000, reason: "Funds for what is measured" })
  const endpoint = await pagora.webhooks.create(id, { url: "https://shop.example.com/pix" })
  await pagora.subAccounts.create(id, { reference: "filial", name: "Filial" })
  await pagora.projects.create(id, { name: "Loja" })
  const issued = await pagora.credentials.issue(id, {
    permissions: ["FULL_ACCESS"],
    subAccountAccess: true
  })
  const credential = { client_id: issued.clientId, client_secret: issued.clientSecret }
  return { id, endpoint: endpoint.id, credential }
}

/** A token lives for five minutes: each part of what is measured takes one of its own. */
export const tokenOf = async ({ answer }: Service, { credential }: Tenant): Promise<string> =>
  String((await answer({ method: "POST", path: "/auth", body: credential }))["access_token"])

export const newCharge = (reference: string) => ({
  amount: 129.9,
  description: "Pedido 100123 da Loja Azul",
  externalReference: reference,
  customer: { name: "Maria da Silva", document: "52998224725" }
})

export const newWithdrawal = (reference: string) => ({
  amount: 12.5,
  pixKey: "52998224725",
  pixKeyType: "cpf",
  holderName: "Maria da Silva",
  holderDocument: "52998224725",
  externalReference: reference
})

export const once = (key: string = randomUUID()) => ({ "idempotency-key": key })
