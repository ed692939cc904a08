import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import type { IncomingHttpHeaders } from "node:http"
import type { Json } from "./Wire.ts"

/** One delivery as it came in. */
export interface Delivered {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly json: Json
  readonly at: number
}

/** A path of the receiver that belongs to one webhook endpoint. */
export interface HookPath {
  readonly url: string
  readonly received: ReadonlyArray<Delivered>
  /** The status of the next answers, 200 at first. */
  status: number
}

/** One HTTP server for the webhooks of all checks. */
export interface HookReceiver {
  readonly path: () => HookPath
  readonly close: () => Promise<void>
}

const parsed = (body: string): Json => {
  try {
    return JSON.parse(body) as Json
  } catch {
    return null
  }
}

/** Listens on a free port: on loopback, or on every address where the deployment knows us by another name. */
export const startHookReceiver = async (host = "127.0.0.1"): Promise<HookReceiver> => {
  const paths = new Map<string, HookPath & { readonly received: Array<Delivered> }>()
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const found = paths.get(request.url ?? "")
      const body = Buffer.concat(chunks).toString("utf8")
      const { headers, method = "" } = request
      found?.received.push({ method, headers, body, json: parsed(body), at: Date.now() })
      response.writeHead(found?.status ?? 404).end()
    })
  })
  await new Promise<void>((done, fail) => {
    server.once("error", fail)
    server.listen(0, host === "127.0.0.1" ? host : undefined, done)
  })
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    path: () => {
      const path = `/hook/${randomUUID()}`
      const hook = { url: `http://${host}:${port}${path}`, received: [], status: 200 }
      paths.set(path, hook)
      return hook
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      })
  }
}
