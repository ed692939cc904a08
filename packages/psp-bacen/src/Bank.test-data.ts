import { Effect } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import type { TLSSocket } from "node:tls"
import type { BacenOptions } from "./BacenOptions.ts"
import { authority, clientOne, server } from "./Certificates.test-data.ts"
import { Certificate } from "./certificates/Certificate.ts"

/** A request as the bank has got it. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage["headers"]
  readonly body: string
  /** The common name of the certificate that came with it. */
  readonly client: string | undefined
}

/** `drop` closes the connection once the request was read; `hang` answers nothing. */
export type Says =
  | "drop"
  | "hang"
  | {
      readonly status?: number
      readonly json?: unknown
      readonly text?: string
      readonly headers?: Readonly<Record<string, string>>
    }

/** A bank of one program, over TLS, that wants a certificate of ours. Tokens are `t1`, `t2`, … unless it says something else. */
export const startBank = (
  answer: (asked: Asked, asks: ReadonlyArray<Asked>) => Says,
  token: (asked: Asked, count: number) => Says = (_, count) => ({
    json: { access_token: `t${count}`, expires_in: 3600 }
  })
) =>
  Effect.acquireRelease(
    Effect.callback<{
      readonly origin: string
      readonly asks: ReadonlyArray<Asked>
      readonly tokens: ReadonlyArray<Asked>
      readonly stop: () => void
    }>((resume) => {
      const asks: Array<Asked> = []
      const tokens: Array<Asked> = []
      const listener = createServer(
        {
          cert: server.certificate,
          key: server.privateKey,
          ca: authority,
          requestCert: true,
          rejectUnauthorized: true
        },
        (request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => {
            const asked = askedOf(request, Buffer.concat(chunks).toString())
            if (/oauth|token|jwt/.test(asked.path)) {
              tokens.push(asked)
              return say(response, token(asked, tokens.length))
            }
            asks.push(asked)
            say(response, answer(asked, asks))
          })
        }
      )
      listener.listen(0, "127.0.0.1", () => {
        const { port } = listener.address() as AddressInfo
        const stop = () => {
          listener.closeAllConnections()
          listener.close()
        }
        resume(Effect.succeed({ origin: `https://localhost:${port}`, asks, tokens, stop }))
      })
    }),
    ({ stop }) => Effect.sync(stop)
  )

const askedOf = (request: IncomingMessage, body: string): Asked => {
  const url = new URL(request.url ?? "/", "https://localhost")
  const name = (request.socket as TLSSocket).getPeerCertificate().subject?.CN
  return {
    method: request.method ?? "",
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body,
    client: Array.isArray(name) ? name[0] : name
  }
}

const say = (response: ServerResponse, says: Says): void => {
  if (says === "hang") return
  if (says === "drop") {
    response.socket?.destroy()
    return
  }
  const { headers = {}, json, status = 200, text } = says
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(text ?? (json === undefined ? "" : JSON.stringify(json)))
}

export const pixKey = "11222333000181"
export const secret = "segredo-do-cliente-1"

/** Options for a bank that is started as above. */
export const optionsFor = (
  bank: BacenOptions["bank"],
  origin: string,
  more: Partial<BacenOptions> = {}
): BacenOptions => ({
  bank,
  environment: "production",
  pixKey,
  clientId: "cliente-1",
  clientSecret: secret,
  certificate: Certificate.pem(clientOne),
  certificateAuthority: authority,
  origin,
  ...more
})

export const txid = "0123456789abcdef0123456789abcdef"
export const endToEndId = "E1234567820260102030400000000abc"

/** A charge as the Central Bank's file has it. */
export const cob = (fields: Readonly<Record<string, unknown>> = {}) => ({
  txid,
  revisao: 0,
  status: "ATIVA",
  calendario: { criacao: "2026-01-02T03:04:05Z", expiracao: 3600 },
  valor: { original: "12.34" },
  chave: pixKey,
  location: "pix.example.com/qr/v2/cob/9d36b84fc70b478fb95c12729b90ca25",
  pixCopiaECola: "00020126…6304ABCD",
  ...fields
})

export const pix = (fields: Readonly<Record<string, unknown>> = {}) => ({
  endToEndId,
  txid,
  valor: "12.34",
  chave: pixKey,
  horario: "2026-01-02T03:05:00.123Z",
  ...fields
})
