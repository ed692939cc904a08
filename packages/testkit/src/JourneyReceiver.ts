import { createServer } from "node:http"
import type { IncomingHttpHeaders } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import type { ReceivedEvent } from "./ReceivedEvent.ts"

/** One webhook as it came in over a socket. */
export interface ReceivedWebhook {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly json: ReceivedEvent
}

/** A webhook receiver on a loopback port. */
export interface Receiver {
  readonly url: string
  readonly received: ReadonlyArray<ReceivedWebhook>
  /** How many connections were opened to it, also those that nothing was sent on. */
  readonly connections: number
  /** The status of the next answers, 200 at first. */
  status: number
  readonly close: () => Promise<void>
}

export const startReceiver = async (): Promise<Receiver> => {
  const received: Array<ReceivedWebhook> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8")
      const { headers, method = "", url = "" } = request
      received.push({ method, path: url, headers, body, json: JSON.parse(body) as ReceivedEvent })
      response.writeHead(receiver.status).end()
    })
  })
  await new Promise<void>((done) => {
    server.listen(0, "127.0.0.1", done)
  })
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  let connections = 0
  server.on("connection", () => {
    connections += 1
  })
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    get connections() {
      return connections
    },
    status: 200,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      })
  }
  return receiver
}

/** Asks again until there is an answer; fails when there is none in time. */
export const eventually = async <A>(
  ask: () => A | undefined | Promise<A | undefined>,
  withinMillis = 20_000
): Promise<A> => {
  for (const started = performance.now(); performance.now() - started < withinMillis;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    await sleep(20)
  }
  throw new Error(`Nothing came within ${withinMillis} ms: ${String(ask)}`)
}
