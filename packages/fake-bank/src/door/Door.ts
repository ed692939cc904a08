import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { createServer as createPlainServer } from "node:http"
import type { Server as TlsServer } from "node:https"
import { createServer } from "node:https"
import type { AddressInfo, Socket } from "node:net"
import type { PeerCertificate, TLSSocket } from "node:tls"
import type { BankCertificates } from "../tls/BankCertificates.ts"
import type { Answer, Received } from "./Exchange.ts"
import { receivedFrom, written } from "./Wire.ts"

/** The bank's server: HTTPS on this machine, for customers who show a certificate of the bank. */
export interface Door {
  /** `https://127.0.0.1:…`; of a plain one, with `http`. */
  readonly origin: string
  /** New connections see what the bank's server shows now; those that are open end. */
  readonly showNewCertificate: () => void
  /** Nobody gets in or on until it opens again, at the same place. */
  readonly shut: () => Promise<void>
  readonly reopen: () => Promise<void>
}

export interface DoorOptions {
  readonly certificates: BankCertificates
  readonly port: number
  /** Whether customers have to show a certificate. */
  readonly asksForCertificate: boolean
  readonly serve: (received: Received) => Promise<Answer | undefined>
}

/** No request of the API is larger. */
const bodyBytesMax = 1_048_576

export const openDoor = async (options: DoorOptions): Promise<Door> => {
  const { asksForCertificate, certificates, port, serve } = options
  const shown = () => {
    const { certificate, key } = certificates.server()
    return { cert: certificate, key, ca: certificates.ca, minVersion: "TLSv1.2" } as const
  }
  const server = createServer({
    ...shown(),
    requestCert: asksForCertificate,
    rejectUnauthorized: asksForCertificate
  })
  // A socket that has ended tells no certificate any more.
  const shownBy = new WeakMap<Socket, string>()
  const isStranger = (socket: Socket) =>
    asksForCertificate && !certificates.isKnownClient(shownBy.get(socket) ?? "")
  server.on("secureConnection", (socket: TLSSocket) => {
    // Without a certificate there is none, whatever the type says.
    const { fingerprint256 } = socket.getPeerCertificate() as Partial<PeerCertificate>
    if (fingerprint256 !== undefined) shownBy.set(socket, fingerprint256)
    if (isStranger(socket)) socket.destroy()
  })
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    // A connection may be older than the revocation of its certificate.
    if (isStranger(request.socket)) request.socket.destroy()
    else void reply(request, response, serve)
  })
  const { opened, ...leaves } = await opening(server, port)
  return {
    ...leaves,
    origin: `https://127.0.0.1:${opened}`,
    showNewCertificate: () => {
      server.setSecureContext(shown())
      server.closeAllConnections()
    }
  }
}

/** The server of whom no certificate is asked: plain HTTP on this machine, for customers who show a secret. */
export const openPlainDoor = async ({
  port,
  serve
}: Pick<DoorOptions, "port" | "serve">): Promise<Omit<Door, "showNewCertificate">> => {
  const server = createPlainServer((request, response) => void reply(request, response, serve))
  const { opened, ...leaves } = await opening(server, port)
  return { ...leaves, origin: `http://127.0.0.1:${opened}` }
}

const opening = async (server: Server | TlsServer, port: number) => {
  const listen = (at: number) =>
    new Promise<void>((resolve, reject) => {
      server.once("error", reject)
      server.listen(at, "127.0.0.1", () => {
        server.removeListener("error", reject)
        resolve()
      })
    })
  await listen(port)
  const { port: opened } = server.address() as AddressInfo
  return {
    opened,
    shut: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
    reopen: () => listen(opened)
  }
}

const reply = async (
  request: IncomingMessage,
  response: ServerResponse,
  serve: DoorOptions["serve"]
) => {
  try {
    const answer = await serve(await received(request))
    if (answer === undefined) request.socket.destroy()
    else send(response, answer)
  } catch (error) {
    // Ours, and no bank's: whoever writes the test should see it.
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    send(response, { status: 500, text: `The fake bank failed: ${message}` })
  }
}

const send = (response: ServerResponse, answer: Answer) => {
  const { headers, status, text } = written(answer)
  response.writeHead(status, headers)
  response.end(text)
}

const received = async (request: IncomingMessage): Promise<Received> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > bodyBytesMax) throw new RangeError("The body of the request is too large.")
    chunks.push(chunk)
  }
  const headers = Object.entries(request.headers).map(
    ([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value] as const
  )
  return receivedFrom({
    method: request.method ?? "GET",
    url: request.url ?? "/",
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks)
  })
}
