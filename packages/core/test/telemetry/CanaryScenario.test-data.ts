import type { PagoraInstance, PagoraOptions, PspShape, SendOutcome } from "@pagora/core"
import {
  memory,
  Pagora,
  PspCredentialId,
  StorageDriver,
  StorageError,
  WebhookTransport
} from "@pagora/core"
import { sandbox } from "@pagora/core/sandbox"
import { Duration, Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { canaries } from "./Canaries.test-data.ts"
import { until } from "../world/Embedding.test-data.ts"

const {
  alphanumericCnpj,
  companyCnpj,
  customerCpf,
  customerName,
  description,
  idempotencyKey,
  metadata,
  payerCpf,
  payerName,
  phone,
  pixKey,
  pspCredential,
  urlPassword,
  wrongSecret,
  wrongToken
} = canaries

/** Everything in one sentence, as an error of a database or a bank may quote it. */
const everything = `INSERT INTO x VALUES ('${Object.values(canaries).join("','")}')`

/** What becomes known during the run and must not be told either. */
export interface Secrets {
  readonly masterSecret: string
  readonly operatorKey: string
  clientSecret: string
  webhookSecret: string
  accessToken: string
}

/** Bodies of errors, by what was asked. */
export type Bodies = Array<{
  readonly asked: string
  readonly status: number
  readonly text: string
}>

type Trouble = "none" | "die" | "unavailable" | "unknown"

/** A storage that on demand breaks as databases do, with what was to be written in its errors. */
const breaking = (trouble: { now: Trouble }) =>
  Layer.effect(
    StorageDriver,
    Effect.map(StorageDriver, (driver) => {
      const broken = {
        die: Effect.die(new Error(everything)),
        unavailable: new StorageError({ reason: "Unavailable", cause: new Error(everything) }),
        unknown: new StorageError({ reason: "OutcomeUnknown", cause: { detail: everything } })
      } as const
      const or =
        <A, B>(method: (...args: ReadonlyArray<A>) => Effect.Effect<B, StorageError>) =>
        (...args: ReadonlyArray<A>): Effect.Effect<B, StorageError> =>
          Effect.suspend(() => {
            const way = trouble.now
            return way === "none" ? method(...args) : broken[way]
          })
      return {
        ...driver,
        write: or(driver.write as never) as never,
        rows: or(driver.rows as never) as never,
        look: or(driver.look as never) as never,
        claim: or(driver.claim as never) as never
      }
    })
  ).pipe(Layer.provide(memory()))

/** A receiver that answers everything there is to answer, and a transport that dies of it. */
const hostile: Layer.Layer<WebhookTransport> = Layer.sync(WebhookTransport, () => {
  let sent = 0
  const answers: ReadonlyArray<Effect.Effect<SendOutcome>> = [
    Effect.succeed({ _tag: "Answered", status: 500, durationMillis: 3 }),
    Effect.die(new Error(everything)),
    Effect.succeed({ _tag: "Failed", reason: "tls", durationMillis: 3 }),
    Effect.succeed({ _tag: "Answered", status: 410, durationMillis: 3 })
  ]
  return {
    send: () => Effect.suspend(() => answers[sent++ % answers.length] ?? Effect.never),
    refusal: (url) => (url.includes(urlPassword) ? "url" : undefined)
  }
})

/** A bank whose layer fails in every way that it can. */
const hostilePsp = (): PspShape => {
  let call = 0
  const rejected = { _tag: "Rejected", code: `E${payerCpf}`, message: everything } as const
  const fail = <A>(): Effect.Effect<A> =>
    Effect.suspend(() => {
      const answers: ReadonlyArray<Effect.Effect<unknown>> = [
        Effect.die(
          Object.assign(new Error(everything), { headers: { authorization: pspCredential } })
        ),
        Effect.succeed({ _tag: "Unknown", detail: everything }),
        Effect.succeed(rejected),
        Effect.succeed({ _tag: "NotSent", detail: everything }),
        Effect.withSpan(Effect.die({ everything }), `POST /dict/${pixKey}/${payerCpf}`, {
          kind: "client",
          attributes: {
            "url.full": `https://bank.example.com/${pixKey}`,
            "http.request.header.authorization": pspCredential
          }
        })
      ]
      return (answers[call++ % answers.length] ?? Effect.never) as Effect.Effect<A>
    })
  return {
    provider: "hostile",
    environment: "production",
    capabilities: {
      idempotentByReference: true,
      knowsPayer: true,
      notFoundIsFinalAfter: Duration.minutes(1),
      settlementLag: Duration.minutes(1)
    },
    createCharge: fail,
    findCharge: fail,
    cancelCharge: fail,
    sendPayout: fail,
    findPayout: fail,
    refund: fail,
    findRefund: fail,
    readNotification: () => Effect.die(new Error(everything))
  }
}

const bankId = PspCredentialId.make("00000000-0000-7000-8000-0000000000ba")

type Send = (
  method: string,
  path: string,
  options?: { readonly body?: unknown; readonly headers?: Record<string, string> }
) => Promise<{ readonly status: number; readonly json: Record<string, never> }>

const sender =
  (fetch: PagoraInstance["fetch"], bodies: Bodies, always: Record<string, string> = {}): Send =>
  async (method, path, { body, headers } = {}) => {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body)
    const response = await fetch(
      new Request(`http://pagora.test${path}`, {
        method,
        headers: { "content-type": "application/json", ...always, ...headers },
        ...(text === undefined ? {} : { body: text })
      }),
      { remoteAddress: "203.0.113.9" }
    )
    const received = await response.text()
    if (response.status >= 400)
      bodies.push({ asked: `${method} ${path}`, status: response.status, text: received })
    return { status: response.status, json: received.startsWith("{") ? JSON.parse(received) : {} }
  }

const person = { name: customerName, document: customerCpf, email: pixKey, phone }
const order = {
  amount: 10,
  description,
  externalReference: payerCpf,
  metadata: { note: metadata, cpf: customerCpf },
  customer: person
}

/** Requests that are refused, each for another reason, and carry what must not be told. */
const refusals: ReadonlyArray<readonly [string, string, unknown?, Record<string, string>?]> = [
  ["GET", `/transactions/${payerCpf}`],
  ["GET", `/transactions/529.982.247-25`],
  ["GET", `/transactions/${companyCnpj}?cpf=${customerCpf}`],
  ["GET", `/transactions/${encodeURIComponent("11.444.777/0001-61")}`],
  ["GET", `/transactions/${alphanumericCnpj}`],
  [
    "GET",
    `/transactions?cursor=${payerCpf}&type=${encodeURIComponent(payerName)}&limit=${payerCpf}`
  ],
  ["GET", `/nowhere/${payerCpf}/${encodeURIComponent(payerName)}?token=${wrongToken}`],
  ["GET", `/nowhere/${encodeURIComponent("529.982.247-25")}/${wrongSecret}/${pixKey}`],
  ["DELETE", `/transactions/${payerCpf}`],
  ["POST", "/pix", JSON.stringify(order).slice(0, -1)],
  ["POST", "/pix", `${JSON.stringify(order)}${payerCpf}`],
  [
    "POST",
    "/pix",
    JSON.stringify({ ...order, description: "x" }).replace('"x"', `"${description}\u0001"`)
  ],
  ["POST", "/pix", { ...order, amount: payerCpf }],
  ["POST", "/pix", { ...order, amount: 10.001, description: description.repeat(40) }],
  ["POST", "/pix", { ...order, description: { [payerCpf]: payerName } }],
  ["POST", "/pix", { ...order, [payerCpf]: payerName, [`a${payerName}`]: 1 }],
  ["POST", "/pix", { ...order, customer: { ...person, document: `${payerCpf.slice(0, 10)}6` } }],
  [
    "POST",
    "/pix",
    { ...order, customer: { ...person, document: Number(payerCpf), email: payerName } }
  ],
  ["POST", "/pix", { ...order, customer: payerName, metadata: description }],
  ["POST", "/pix", { ...order, projectId: payerCpf, pspCredentialId: customerCpf }],
  ["POST", "/pix", { ...order, split: [{ subAccount: payerCpf, amount: 1 }] }],
  ["POST", "/pix", [payerCpf]],
  ["POST", "/pix", order, { "idempotency-key": payerName.repeat(40) }],
  ["POST", "/pix", order, { "content-type": `text/${payerCpf}` }],
  ["POST", "/pix", order, { "x-sub-account": customerCpf }],
  ["POST", "/pix", " ".repeat(70_000) + payerCpf],
  ["POST", "/withdrawals", { amount: 1, pixKey: payerCpf, pixKeyType: "email" }],
  ["POST", "/withdrawals", { amount: 1, pixKey, pixKeyType: payerName, holderName: payerName }],
  [
    "POST",
    "/withdrawals",
    { amount: 9_999_999, pixKey, pixKeyType: "email", holderDocument: customerCpf }
  ],
  [
    "POST",
    "/withdrawals",
    { amount: 9_999_999, pixKey, pixKeyType: "email", holderDocument: customerCpf },
    { "idempotency-key": idempotencyKey }
  ],
  ["POST", `/transactions/${payerCpf}/refund`, { amount: 1, reason: description }],
  ["POST", "/internal-transfers", { amount: 1, to: payerCpf, description }],
  ["POST", "/sub-accounts", { reference: payerCpf, name: payerName, document: `${companyCnpj}0` }]
]

const begin = async (options: Partial<PagoraOptions>, told: { readonly bodies: Bodies }) => {
  const secrets: Secrets = {
    masterSecret: randomBytes(32).toString("base64"),
    operatorKey: randomBytes(32).toString("base64"),
    clientSecret: "",
    webhookSecret: "",
    accessToken: ""
  }
  const trouble: { now: Trouble } = { now: "none" }
  const pagora = await Pagora.start({
    storage: breaking(trouble),
    psp: sandbox({ settleAfter: "manual" }),
    secret: secrets.masterSecret,
    operatorKey: secrets.operatorKey,
    transport: hostile,
    rateLimits: false,
    ...options
  })
  const shop = await pagora.accounts.create({ name: "Loja", document: companyCnpj })
  const issued = await pagora.credentials.issue(shop.id, {
    permissions: ["FULL_ACCESS"],
    subAccountAccess: true
  })
  secrets.clientSecret = issued.clientSecret
  const hook = await pagora.webhooks.create(shop.id, { url: "https://hooks.example.com/pagora" })
  secrets.webhookSecret = hook.secret
  const open = sender(pagora.fetch, told.bodies)
  const auth = await open("POST", "/auth", {
    body: { client_id: issued.clientId, client_secret: issued.clientSecret }
  })
  secrets.accessToken = String(auth.json["access_token"])
  const tenant = sender(pagora.fetch, told.bodies, {
    authorization: `Bearer ${secrets.accessToken}`
  })
  const key = { authorization: `Bearer ${secrets.operatorKey}` }
  return {
    pagora,
    secrets,
    trouble,
    shop,
    open,
    tenant,
    clientId: issued.clientId,
    operator: sender(pagora.operatorFetch, told.bodies, key),
    simulator: sender(pagora.sandboxFetch, told.bodies, key)
  }
}
type Begun = Awaited<ReturnType<typeof begin>>

/** Whoever knows no key, and whoever has a wrong one. */
const strangers = async ({ clientId, open, pagora, shop }: Begun, bodies: Bodies) => {
  for (const secret of [wrongSecret, payerCpf, { [payerCpf]: payerName }, null])
    await open("POST", "/auth", { body: { client_id: clientId, client_secret: secret } })
  await open("POST", "/auth", {
    body: { client_id: payerCpf, client_secret: wrongSecret, [pixKey]: 1 }
  })
  await open("POST", "/auth", { body: `{"client_secret":"${wrongSecret}"` })
  const wrong = { headers: { authorization: `Bearer ${wrongToken}` } }
  await open("GET", "/account", wrong)
  await open("GET", "/account", {
    headers: { authorization: `Basic ${btoa(`${payerCpf}:${wrongSecret}`)}` }
  })
  await sender(pagora.operatorFetch, bodies)("GET", `/accounts/${shop.id}`, wrong)
  await sender(pagora.sandboxFetch, bodies)("GET", "/faults", wrong)
  await open("POST", "/psp/00000000-0000-7000-8000-00000000005b/webhook", {
    body: { pix: [{ txid: "x".repeat(30), pagador: { cpf: payerCpf, nome: payerName } }] },
    headers: { "x-sandbox-signature": wrongToken }
  })
}

const operatorRefusals = async ({ operator, shop, simulator }: Begun) => {
  const hooks = `/accounts/${shop.id}/webhook-endpoints`
  await operator("POST", hooks, { body: { url: `https://u:${urlPassword}@example.com/` } })
  await operator("POST", "/accounts", { body: { name: 1, document: payerCpf } })
  await operator("POST", "/accounts", { body: { name: payerName, document: `${payerCpf}1` } })
  await operator("GET", `/accounts/${payerCpf}`)
  await operator("POST", `/accounts/${shop.id}/adjustments`, {
    body: { amount: payerCpf, reason: description }
  })
  await simulator("POST", `/charges/${payerCpf}/pay`, {
    body: { payerName, payerDocument: customerCpf }
  })
  await simulator("PUT", "/faults", {
    body: { faults: [{ kind: payerCpf, operation: payerName }] }
  })
}

/** What the story needs from a run. */
export interface Run {
  readonly bodies: Bodies
  readonly secrets: Secrets
  readonly metrics: string
}

/** A shop with the simulated PSP: everything that works, everything that is refused, and a storage that breaks. */
export const runOfShop = async (options: Partial<PagoraOptions>): Promise<Run> => {
  const bodies: Bodies = []
  const begun = await begin(options, { bodies })
  const { pagora, secrets, shop, simulator, tenant, trouble } = begun
  let handled = 0
  await pagora.on("payment_completed", { name: "orders" }, async () => {
    handled++
    throw new Error(everything)
  })
  const charge = await tenant("POST", "/pix", {
    body: order,
    headers: { "idempotency-key": idempotencyKey }
  })
  await tenant("POST", "/pix", {
    body: { ...order, amount: 11 },
    headers: { "idempotency-key": idempotencyKey }
  })
  const payer = { payerName, payerDocument: payerCpf }
  await simulator("POST", `/charges/${String(charge.json["id"])}/pay`, {
    body: { ...payer, times: 2 }
  })
  await until(() => handled > 0)
  await tenant("POST", `/transactions/${String(charge.json["id"])}/refund`, {
    body: { amount: 1, reason: description }
  })
  await pagora.accounts.adjust(shop.id, { amount: 100, reason: description })
  const payout = {
    amount: 1,
    pixKey,
    pixKeyType: "email",
    holderName: payerName,
    holderDocument: customerCpf
  }
  await tenant("POST", "/withdrawals", { body: payout })
  await pagora.sandbox.setFaults({
    faults: [
      { kind: "lie", times: 1 },
      { kind: "dropAnswer", times: 1 }
    ]
  })
  await tenant("POST", "/pix", { body: order })
  await pagora.sandbox.setFaults({ faults: [] })
  for (const [method, path, body, headers = {}] of refusals)
    await tenant(method, path, { body, headers })
  await strangers(begun, bodies)
  await operatorRefusals(begun)
  for (const kind of ["die", "unavailable", "unknown"] as const) {
    trouble.now = kind
    await tenant("POST", "/pix", { body: order })
    await tenant("GET", `/transactions/${payerCpf}`)
    await begun.open("POST", "/auth", {
      body: { client_id: begun.clientId, client_secret: secrets.clientSecret }
    })
    await begun.operator("GET", "/audit")
    await begun.operator("POST", "/accounts", { body: { name: payerName, document: customerCpf } })
  }
  await pagora.charges.create(shop.id, order as never).catch(() => undefined)
  trouble.now = "none"
  await pagora.sandbox.advance({ seconds: 600 })
  await pagora.audit()
  const metrics = await pagora.metrics()
  await pagora.stop()
  return { bodies, secrets, metrics }
}

/** The same shop at a bank whose layer breaks in every way. */
export const runOfBank = async (options: Partial<PagoraOptions>): Promise<Run> => {
  const bodies: Bodies = []
  const psp = { default: bankId, psps: { [bankId]: hostilePsp() } }
  const { open, operator, pagora, secrets, shop, tenant } = await begin(
    { ...options, psp },
    { bodies }
  )
  await pagora.accounts.adjust(shop.id, { amount: 100, reason: description })
  for (let tries = 0; tries < 6; tries++) await tenant("POST", "/pix", { body: order })
  const payout = {
    amount: 1,
    pixKey,
    pixKeyType: "email",
    holderName: payerName,
    holderDocument: customerCpf
  }
  for (let tries = 0; tries < 6; tries++) await tenant("POST", "/withdrawals", { body: payout })
  await open("POST", `/psp/${bankId}/webhook`, { body: everything })
  await open("POST", `/psp/${payerCpf}/webhook`, { body: everything })
  await new Promise((resolve) => setTimeout(resolve, 100))
  await operator("GET", "/audit")
  const metrics = await pagora.metrics()
  await pagora.stop()
  return { bodies, secrets, metrics }
}
