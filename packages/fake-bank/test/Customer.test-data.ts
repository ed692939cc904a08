import { Buffer } from "node:buffer"
import type { IncomingHttpHeaders } from "node:http"
import { createServer } from "node:https"
import { request } from "node:https"
import type { AddressInfo } from "node:net"
import type { TLSSocket } from "node:tls"
import type { FakeBank } from "@pagora/fake-bank"

export interface Heard {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // What is asked of an answer here is known to the test that asks.
  readonly json: Readonly<Record<string, unknown>>
}

export interface Call {
  readonly method?: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Whether the certificate is shown. */
  readonly shows?: boolean
}

/** One request with the customer's certificate, on a connection of its own. */
export const call = (bank: FakeBank, { body, headers, method = "GET", shows = true, url }: Call) =>
  new Promise<Heard>((resolve, reject) => {
    const { certificate, key } = bank.client
    const identity = shows ? { cert: certificate, key } : {}
    const sent = request(
      url,
      { method, headers: { ...headers }, agent: false, ca: bank.ca, ...identity },
      (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8")
          const { headers: told, statusCode = 0 } = response
          resolve({ status: statusCode, headers: told, text, json: parsed(text) })
        })
        response.on("error", reject)
      }
    )
    sent.on("error", reject)
    sent.end(body)
  })

const parsed = (text: string): Heard["json"] => {
  try {
    return JSON.parse(text) as Heard["json"]
  } catch {
    return {}
  }
}

const scopes =
  "cob.write cob.read pix.write pix.read webhook.write webhook.read pagamento-pix.write pagamento-pix.read webhook-banking.write webhook-banking.read"

/** The token request of this bank, as its profile says. */
export const tokenCall = ({ client, profile, urls }: FakeBank): Call => {
  const { body, client: how, grantType, scope } = profile.token
  const fields = {
    ...(grantType === "body" ? { grant_type: "client_credentials" } : {}),
    ...(how === "basic" ? {} : { client_id: client.clientId }),
    ...(how === "form" ? { client_secret: client.clientSecret } : {}),
    ...(scope === "required" ? { scope: scopes } : {})
  }
  const basic = Buffer.from(`${client.clientId}:${client.clientSecret}`).toString("base64")
  return {
    method: "POST",
    url: grantType === "query" ? `${urls.token}?grant_type=client_credentials` : urls.token,
    headers: {
      "content-type": body === "json" ? "application/json" : "application/x-www-form-urlencoded",
      ...(how === "basic" ? { authorization: `Basic ${basic}` } : {})
    },
    body: body === "json" ? JSON.stringify(fields) : new URLSearchParams(fields).toString()
  }
}

/** Asks as a customer with a token does. */
export const customerOf = async (bank: FakeBank) => {
  const token = await call(bank, tokenCall(bank))
  const { client, profile } = bank
  return (
    method: string,
    url: string,
    body?: unknown,
    more: Readonly<Record<string, string>> = {}
  ) => {
    const asked = new URL(url)
    const [appKeyName] = profile.appKeyNames
    if (appKeyName !== undefined) asked.searchParams.set(appKeyName, client.appKey)
    return call(bank, {
      method,
      url: asked.href,
      headers: {
        authorization: `Bearer ${String(token.json["access_token"])}`,
        "x-correlationid": "1",
        client_id: client.clientId,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...more
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  }
}

export interface Delivery {
  readonly path: string
  readonly body: unknown
  readonly headers: IncomingHttpHeaders
  /** Whether the bank's certificate was shown. */
  readonly isBank: boolean
}

export interface Receiver {
  readonly url: string
  readonly got: ReadonlyArray<Delivery>
  /** What is answered from now on. */
  readonly answer: (status: number) => void
  readonly close: () => Promise<void>
}

/** Takes callbacks of those who show the bank's certificate, and refuses others with 403. */
export const openReceiver = async ({ callbacks }: FakeBank): Promise<Receiver> => {
  const got: Array<Delivery> = []
  let status = 200
  const { certificate, key } = callbacks.receiver
  const server = createServer(
    { cert: certificate, key, ca: callbacks.ca, requestCert: true, rejectUnauthorized: false },
    (asked, response) => {
      const chunks: Array<Buffer> = []
      asked.on("data", (chunk: Buffer) => chunks.push(chunk))
      asked.on("end", () => {
        const isBank = (asked.socket as TLSSocket).authorized
        const body = parsed(Buffer.concat(chunks).toString("utf8"))
        got.push({ path: asked.url ?? "", body, headers: asked.headers, isBank })
        response.writeHead(isBank ? status : 403).end()
      })
    }
  )
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `https://127.0.0.1:${port}/webhook`,
    got,
    answer: (next) => void (status = next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
