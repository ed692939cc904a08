import type { PagoraInstance } from "@pagora/core"
import { Effect } from "effect"
import type { Scope } from "effect"
import { createServer } from "node:http"
import type { RequestListener } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { connect } from "node:net"
import type { Call } from "./compare/Wire.ts"

export const connections = 32

/** What is measured: the packages of this checkout or of another one. */
export interface FrontPackages {
  readonly core: Pick<typeof import("@pagora/core"), "memory" | "Pagora">
  readonly adapter: Pick<typeof import("@pagora/express"), "pagoraExpress">
  readonly express: () => ReturnType<typeof import("express")>
  readonly shop: Pick<typeof import("./compare/Shop.ts"), "account" | "credential" | "psp">
}

/** A request that is asked for again and again at one host. */
export interface FrontJob {
  readonly host: string
  readonly name: string
  /** Asks for it so often, and tells the CPU of one, in microseconds, the load's in it. */
  readonly measure: (requests: number) => Effect.Effect<number>
}

/** What is asked for, and how it must be answered. */
interface Asked {
  readonly name: string
  readonly call: Call
  readonly status: number
}

/** Opens the hosts: the storage in memory, no rate limits, no logs. The first job is the constant answer. */
export const openFront = Effect.fnUntraced(function* ({
  adapter,
  core,
  express,
  shop
}: FrontPackages) {
  const { memory, Pagora } = core
  const pagora = yield* Effect.acquireRelease(
    Effect.promise(() =>
      Pagora.start({ storage: memory(), psp: shop.psp(), rateLimits: false, logger: false })
    ),
    (running) => Effect.promise(() => running.stop())
  )
  const token = yield* Effect.promise(() => tokenOf(pagora, shop))
  const asked: ReadonlyArray<Asked> = [
    { name: "unknown route", call: { method: "GET", path: "/nothing" }, status: 404 },
    { name: "no token", call: { method: "GET", path: "/account" }, status: 401 },
    { name: "GET /account", call: { method: "GET", path: "/account", token }, status: 200 },
    {
      name: "POST /pix, refused",
      call: { method: "POST", path: "/pix", token, body: { amount: -1, description: "Pedido" } },
      status: 400
    }
  ]
  const jobAt =
    (host: string, baseUrl: string) =>
    (ask: Asked): FrontJob => ({
      host,
      name: ask.name,
      measure: (requests) => Effect.scoped(measured(baseUrl, ask, requests))
    })
  const constantAt = yield* listening((_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": 2 }).end("{}")
  })
  const nodeAt = yield* listening(pagora.listener)
  const mounted = express().use("/payments", adapter.pagoraExpress(pagora))
  const expressAt = yield* listening(mounted)
  return [
    jobAt("constant", constantAt)(constant),
    ...asked.map(jobAt("node:http", nodeAt)),
    ...asked.map(jobAt("Express", `${expressAt}/payments`))
  ]
})

const constant: Asked = {
  name: "a constant answer",
  call: { method: "GET", path: "/" },
  status: 200
}

const tokenOf = async (pagora: PagoraInstance, shop: FrontPackages["shop"]): Promise<string> => {
  const { id } = await pagora.accounts.create(shop.account)
  const { clientId, clientSecret } = await pagora.credentials.issue(id, shop.credential)
  const answer = await pagora.fetch(
    new Request("http://localhost/auth", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ client_id: clientId, client_secret: clientSecret })
    })
  )
  return ((await answer.json()) as { readonly access_token: string }).access_token
}

const listening = (listener: RequestListener): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer(listener)
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  )

/** One round: every connection sends its next request when it has its answer. */
const measured = Effect.fnUntraced(function* (baseUrl: string, asked: Asked, requests: number) {
  const { hostname, pathname, port } = new URL(baseUrl)
  const sockets = yield* Effect.acquireRelease(
    Effect.promise(() =>
      Promise.all(Array.from({ length: connections }, () => opened(hostname, Number(port))))
    ),
    (open) => Effect.sync(() => open.forEach((socket) => socket.destroy()))
  )
  const request = requestOf(asked.call, pathname.replace(/\/$/, ""))
  const before = process.cpuUsage()
  yield* Effect.promise(() => driven(sockets, request, asked, requests))
  const { system, user } = process.cpuUsage(before)
  return (user + system) / requests
})

const opened = (host: string, port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true }, () => resolve(socket))
    socket.once("error", reject)
  })

const requestOf = ({ body, method, path, token }: Call, prefix: string): Buffer => {
  const text = body === undefined ? "" : JSON.stringify(body)
  const headers = [
    `${method} ${prefix}${path} HTTP/1.1`,
    "host: 127.0.0.1",
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    ...(text === ""
      ? []
      : ["content-type: application/json", `content-length: ${Buffer.byteLength(text)}`])
  ]
  return Buffer.from(`${headers.join("\r\n")}\r\n\r\n${text}`)
}

/** Answers come as one piece: they are small, and nothing is sent before the last one is there. */
const driven = (
  sockets: ReadonlyArray<Socket>,
  request: Buffer,
  { name, status }: Asked,
  requests: number
) =>
  new Promise<void>((resolve, reject) => {
    const head = Buffer.from(`HTTP/1.1 ${status} `)
    let toSend = requests
    let toCome = requests
    const send = (socket: Socket) => {
      if (toSend-- > 0) socket.write(request)
    }
    for (const socket of sockets) {
      socket.on("data", (answer: Buffer) => {
        if (head.compare(answer, 0, head.length) !== 0)
          reject(new Error(`${name}: ${answer.toString("utf8")}`))
        else if (--toCome === 0) resolve()
        else send(socket)
      })
      send(socket)
    }
  })
