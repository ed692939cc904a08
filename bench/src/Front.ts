import { memory, Pagora } from "@pagora/core"
import type { PagoraInstance } from "@pagora/core"
import { pagoraExpress } from "@pagora/express"
import { Console, Effect } from "effect"
import type { Scope } from "effect"
import express from "express"
import { createServer } from "node:http"
import type { RequestListener } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { connect } from "node:net"
import { median, spread, table } from "./Measure.ts"
import { account, credential, psp } from "./compare/Shop.ts"
import type { Call } from "./compare/Wire.ts"

const connections = 32
const perRound = 8_000

/** What a round asks for, and how it must be answered. */
interface Asked {
  readonly name: string
  readonly call: Call
  readonly status: number
}

/**
 * What the HTTP front costs by itself: the storage in memory, no rate limits, no logs, and the load in the same
 * process, so that all of its CPU is counted. The constant answer tells how much of it is Node's and the load's own.
 */
export const front = Effect.fnUntraced(function* (rounds: number) {
  const pagora = yield* Effect.acquireRelease(
    Effect.promise(() =>
      Pagora.start({ storage: memory(), psp: psp(), rateLimits: false, logger: false })
    ),
    (running) => Effect.promise(() => running.stop())
  )
  const token = yield* Effect.promise(() => tokenOf(pagora))
  const hosts = {
    "node:http": yield* listening(pagora.listener),
    Express: yield* listening(express().use("/payments", pagoraExpress(pagora))),
    constant: yield* listening((_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": 2 }).end("{}")
    })
  }
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
  const jobs = [
    { host: "constant", baseUrl: hosts.constant, ask: constant },
    ...asked.map((ask) => ({ host: "node:http", baseUrl: hosts["node:http"], ask })),
    ...asked.map((ask) => ({ host: "Express", baseUrl: `${hosts.Express}/payments`, ask }))
  ]
  const taken = jobs.map((): Array<number> => [])
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { ask, baseUrl }] of jobs.entries()) {
      const micros = yield* Effect.scoped(measured(baseUrl, ask))
      // The first round only warms everything up.
      if (round > 0) taken[index]?.push(micros)
    }
  }
  const rows = jobs.map(({ ask, host }, index) => [
    host,
    ask.name,
    spread(taken[index] ?? [], 0),
    (median(taken[index] ?? []) - median(taken[0] ?? [])).toFixed(0)
  ])
  const head = ["host", "request", "CPU µs a request, the load's in it", "above constant"]
  yield* Console.log(
    `\nThe HTTP front, everything in memory and in one process, ${connections} connections\n${table([head, ...rows])}`
  )
})

const constant: Asked = {
  name: "a constant answer",
  call: { method: "GET", path: "/" },
  status: 200
}

const tokenOf = async (pagora: PagoraInstance): Promise<string> => {
  const { id } = await pagora.accounts.create(account)
  const { clientId, clientSecret } = await pagora.credentials.issue(id, credential)
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
const measured = Effect.fnUntraced(function* (baseUrl: string, asked: Asked) {
  const { hostname, pathname, port } = new URL(baseUrl)
  const sockets = yield* Effect.acquireRelease(
    Effect.promise(() =>
      Promise.all(Array.from({ length: connections }, () => opened(hostname, Number(port))))
    ),
    (open) => Effect.sync(() => open.forEach((socket) => socket.destroy()))
  )
  const request = requestOf(asked.call, pathname.replace(/\/$/, ""))
  const before = process.cpuUsage()
  yield* Effect.promise(() => driven(sockets, request, asked))
  const { system, user } = process.cpuUsage(before)
  return (user + system) / perRound
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
const driven = (sockets: ReadonlyArray<Socket>, request: Buffer, { name, status }: Asked) =>
  new Promise<void>((resolve, reject) => {
    const head = Buffer.from(`HTTP/1.1 ${status} `)
    let toSend = perRound
    let toCome = perRound
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
