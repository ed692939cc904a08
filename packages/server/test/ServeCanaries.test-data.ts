import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { HttpAnswer, HttpCall } from "@pagora/testkit"
import { canaries, leaksIn } from "../../core/test/telemetry/Canaries.test-data.ts"
import type { Deployment } from "./ServeWorld.test-data.ts"
import { tokenOf } from "./ServeWorld.test-data.ts"

const {
  alphanumericCnpj,
  customerCpf,
  customerName,
  description,
  idempotencyKey,
  metadata,
  payerCpf,
  payerName,
  phone,
  pixKey,
  urlPassword,
  wrongSecret,
  wrongToken
} = canaries

/** A server that answers everything with the same, and keeps every byte that it is sent. */
export const startSink = async (answer: {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}) => {
  const received: Array<readonly [path: string, body: string]> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      received.push([request.url ?? "", Buffer.concat(chunks).toString("utf8")])
      response.writeHead(answer.status, { ...answer.headers }).end(answer.body)
    })
  })
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done())
        server.closeAllConnections()
      })
  }
}

/** Every answer that was an error, with what was asked for. */
export type Told = Array<{ readonly asked: string; readonly answer: HttpAnswer }>

/** Which of the secrets stand in which answer, in its headers too. */
export const leakingAnswers = (told: Told, secrets: Secrets): ReadonlyArray<string> =>
  told.flatMap(({ answer, asked }) =>
    leaksIn(`${JSON.stringify(answer.headers)}\n${answer.text}`, secrets).map(
      (name) => `${asked} → ${name}: ${answer.text}`
    )
  )

/** The lines of a text in which one of the secrets stands. */
export const leakingLines = (text: string, secrets: Secrets): ReadonlyArray<string> =>
  leaksIn(text, secrets).length === 0
    ? []
    : [leaksIn(text, secrets).join()].concat(
        text
          .split("\n")
          .filter((line) => leaksIn(line, secrets).length > 0)
          .map((line) => `${leaksIn(line, secrets).join()}: ${line.slice(0, 800)}`)
      )

const listening =
  (call: HttpCall, told: Told): HttpCall =>
  async (method, path, options) => {
    const answer = await call(method, path, options)
    if (answer.status >= 400) told.push({ asked: `${method} ${path}`, answer })
    return answer
  }

const person = { name: customerName, document: customerCpf, email: pixKey, phone }
const order = {
  amount: 10,
  description,
  externalReference: `order_${payerCpf}`,
  metadata: { note: metadata, cpf: customerCpf },
  customer: person
}
const payout = {
  amount: 1,
  pixKey,
  pixKeyType: "email",
  holderName: payerName,
  holderDocument: customerCpf
}
const signature = { "x-sandbox-signature": wrongToken, "x-forwarded-for": payerCpf }

type HttpOptions = NonNullable<Parameters<HttpCall>[2]>
type Ask = readonly [method: string, path: string, options?: HttpOptions]

const json = (body: unknown): HttpOptions => ({ body })

/** Ids that are none, with what must not be told in them. */
const names = [
  payerCpf,
  "529.982.247-25",
  `cpf${payerCpf}x`,
  `a_${customerCpf}`,
  encodeURIComponent("11.444.777/0001-61"),
  alphanumericCnpj,
  wrongSecret
]

/** Bodies that no endpoint takes. */
const bodies = [
  `{"name":"${payerName}","document":${payerCpf}`,
  { name: { [payerCpf]: payerName }, amount: payerCpf, reason: { description }, by: [payerName] },
  { reason: description.repeat(20), by: payerName.repeat(40), outcome: payerCpf, amount: 10.001 },
  [payerCpf, wrongSecret],
  { url: `https://u:${urlPassword}@example.com/`, events: [payerName], permissions: [wrongSecret] }
]

const everyBody = (method: string, path: string): ReadonlyArray<Ask> =>
  bodies.map((body): Ask => [method, path, json(body)])

const everyQuery = (path: string): ReadonlyArray<Ask> =>
  ["cursor", "limit", "status", "type", "event", "endpoint", "needsReview", "from"].map(
    (name): Ask => ["GET", `${path}?${name}=${encodeURIComponent(`${payerName} ${payerCpf}`)}`]
  )

const tenantAsks: ReadonlyArray<Ask> = [
  ...names.flatMap((name): ReadonlyArray<Ask> => [
    ["GET", `/transactions/${name}`],
    ["GET", `/nowhere/${name}?token=${wrongToken}`],
    ["POST", `/transactions/${name}/refund`, json({ amount: 1, reason: description })],
    ["POST", `/pix/${name}/cancel`, json({ note: description })],
    ["PATCH", `/webhook-endpoints/${name}`, json({ url: `https://u:${urlPassword}@x.example/` })],
    ["POST", "/pix", { body: order, headers: { "x-sub-account": name } }],
    ["POST", "/pix", json({ ...order, projectId: name })],
    ["POST", "/pix", json({ ...order, split: [{ subAccount: name, amount: 1 }] })]
  ]),
  ...["/pix", "/withdrawals", "/projects", "/sub-accounts", "/internal-transfers"].flatMap((path) =>
    everyBody("POST", path)
  ),
  ...everyBody("POST", "/webhook-endpoints"),
  ...everyQuery("/transactions"),
  ["POST", "/pix", { body: order, headers: { "idempotency-key": payerCpf.slice(0, 7) } }],
  ["POST", "/pix", { body: order, headers: { "content-type": `text/${payerCpf}` } }],
  ["POST", "/withdrawals", { body: { ...payout, amount: 9_999_999 }, headers: signature }],
  ["GET", "/account", { headers: { authorization: `Bearer ${wrongToken}` } }],
  ["GET", "/account", { headers: { authorization: `Basic ${btoa(`${payerCpf}:x`)}` } }],
  ["POST", "/auth", json({ client_id: payerCpf, client_secret: wrongSecret })],
  ["POST", "/auth", json(`{"client_secret":"${wrongSecret}"`)],
  ["POST", "/auth", json({ client_id: 1, client_secret: { [wrongSecret]: payerCpf } })],
  ...["00000000-0000-7000-8000-00000000005b", payerCpf].map((psp): Ask => [
    "POST",
    `/psp/${psp}/webhook`,
    {
      body: { pix: [{ txid: "x".repeat(30), pagador: { cpf: payerCpf, nome: payerName } }] },
      headers: signature
    }
  ])
]

const operatorAsks = (account: string): ReadonlyArray<Ask> => [
  ...names.flatMap((name): ReadonlyArray<Ask> => [
    ["GET", `/accounts/${name}`],
    ["GET", `/deliveries/${name}`],
    ["GET", `/returns/${name}`],
    ["GET", `/reviews?account=${name}`],
    ["GET", `/accounts/${account}/transactions?subAccount=${name}`],
    ["PATCH", `/accounts/${account}/sub-accounts/${name}`, json({ status: payerName })],
    ["DELETE", `/accounts/${account}/credentials/${name}`],
    ...["returns", "refunds", "discrepancies", "withdrawals", "balance-blocks"].map((kind): Ask => [
      "POST",
      `/${kind}/${name}/resolve`,
      json({ outcome: "completed", reason: description, by: payerName })
    ]),
    ["POST", `/returns/${name}/retry`, json({ reason: description, by: payerName })],
    ["POST", `/deliveries/${name}/resend`],
    [
      "POST",
      `/accounts/${account}/balance-blocks`,
      json({ transactionId: name, blockType: "med", amount: 1 })
    ]
  ]),
  ...["reviews", "suspense", "discrepancies", "accounts"].flatMap((list) => everyQuery(`/${list}`)),
  ...["deliveries", "transactions", "entries", "balances"].flatMap((list) =>
    everyQuery(`/accounts/${account}/${list}`)
  ),
  ...["adjustments", "credentials", "webhook-endpoints", "balance-blocks", "referral-commissions"]
    .map((path) => `/accounts/${account}/${path}`)
    .concat("/accounts", `/discrepancies/${account}/resolve`, `/returns/${account}/resolve`)
    .flatMap((path) => everyBody("POST", path)),
  ...everyBody("PATCH", `/accounts/${account}`),
  ["GET", "/audit", { headers: { authorization: `Bearer ${wrongToken}` } }]
]

const sandboxAsks: ReadonlyArray<Ask> = [
  ...names.flatMap((name): ReadonlyArray<Ask> => [
    ["POST", `/charges/${name}/pay`, json({ payerName, payerDocument: customerCpf })],
    ["POST", `/withdrawals/${name}/settle`, json({ outcome: payerName })],
    ["POST", `/refunds/${name}/settle`, json({ outcome: payerName })]
  ]),
  ...everyBody("PUT", "/faults"),
  ...everyBody("POST", "/clock/advance")
]

const probeAsks: ReadonlyArray<Ask> = names.flatMap((name): ReadonlyArray<Ask> => [
  ["GET", `/health/${name}`],
  ["POST", `/metrics?x=${name}`, json(order)],
  ["GET", `/${name}`]
])

/** Several at a time. */
const askAll = async (call: HttpCall, asks: ReadonlyArray<Ask>): Promise<void> => {
  const left = [...asks]
  const one = async (): Promise<void> => {
    for (let ask = left.shift(); ask !== undefined; ask = left.shift()) await call(...ask)
  }
  await Promise.all(Array.from({ length: 8 }, one))
}

/** What becomes known in a run and must not be told. */
export type Secrets = Readonly<Record<string, string>>

/**
 * A day of a shop with canaries in every input: what works, with a receiver that answers `hook`; what is refused, at
 * every listener; and a PSP that breaks.
 */
export const runOf = async (
  deployment: Deployment,
  hook: string
): Promise<{ readonly told: Told; readonly secrets: Secrets }> => {
  const told: Told = []
  const shop = await deployment.shop()
  const open = listening(deployment.api, told)
  const operator = listening(deployment.operator, told)
  const sandbox = listening(deployment.sandbox, told)
  const endpoint = await operator("POST", `/accounts/${shop.accountId}/webhook-endpoints`, {
    body: { url: `${hook}/${wrongToken}` }
  })
  const token = await tokenOf(open, shop)
  const tenant: HttpCall = (method, path, options = {}) =>
    open(method, path, {
      ...options,
      headers: { authorization: `Bearer ${token}`, ...options.headers }
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
  await sandbox("POST", `/charges/${String(charge.json["id"])}/pay`, {
    body: { ...payer, times: 2 }
  })
  await operator("POST", `/accounts/${shop.accountId}/adjustments`, {
    body: { amount: 100, reason: description }
  })
  await tenant("POST", "/withdrawals", { body: payout })
  await tenant("POST", `/transactions/${String(charge.json["id"])}/refund`, {
    body: { amount: 1, reason: description }
  })
  const asks: ReadonlyArray<readonly [HttpCall, ReadonlyArray<Ask>]> = [
    [tenant, tenantAsks],
    [operator, operatorAsks(shop.accountId)],
    [sandbox, sandboxAsks],
    [listening(deployment.probe, told), probeAsks]
  ]
  for (const [call, all] of asks) await askAll(call, all)
  await sandbox("PUT", "/faults", {
    body: {
      faults: ["createCharge", "sendPayout"].flatMap((operation) => [
        { operation, kind: "lie", times: 1 },
        { operation, kind: "dropAnswer", times: 1 }
      ])
    }
  })
  for (let tries = 0; tries < 2; tries++) {
    await tenant("POST", "/pix", { body: order })
    await tenant("POST", "/withdrawals", { body: payout })
  }
  const secrets = {
    clientSecret: shop.clientSecret,
    webhookSecret: String(endpoint.json["secret"]),
    accessToken: token
  }
  return { told, secrets }
}
