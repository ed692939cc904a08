import type { Scope } from "effect"
import { Deferred, Effect } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer as createHttpServer } from "node:http"
import type { Server, Socket } from "node:net"
import { createServer } from "node:net"

/** A request as it came over the wire. */
export interface Arrival {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

export interface Receiver {
  readonly url: string
  /** What has arrived so far, whole requests only. */
  readonly arrivals: ReadonlyArray<Arrival>
}

/** A receiver on this machine that speaks HTTP, until the scope closes. */
export const receiver = (
  answer: (response: ServerResponse, arrival: Arrival) => void
): Effect.Effect<Receiver, never, Scope.Scope> => {
  const arrivals: Array<Arrival> = []
  const server = createHttpServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { headers, method = "", url: path = "" } = request
      const arrival = { method, path, headers, body: Buffer.concat(chunks).toString("utf8") }
      arrivals.push(arrival)
      answer(response, arrival)
    })
  })
  return Effect.map(listening(server), (url) => ({ url, arrivals }))
}

export interface RawReceiver {
  readonly url: string
  /** Completes when the other side has closed a connection. */
  readonly closed: Effect.Effect<void>
}

/** A receiver that does with each connection what it likes, HTTP or not. */
export const rawReceiver = (
  meet: (socket: Socket) => void
): Effect.Effect<RawReceiver, never, Scope.Scope> =>
  Effect.gen(function* () {
    const closed = yield* Deferred.make<void>()
    const server = createServer((socket) => {
      socket.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
      meet(socket)
    })
    return { url: yield* listening(server), closed: Deferred.await(closed) }
  })

/** Nobody listens there. */
export const deserted: Effect.Effect<string> = Effect.scoped(listening(createServer()))

function listening(server: Server): Effect.Effect<string, never, Scope.Scope> {
  const sockets = new Set<Socket>()
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
    socket.on("close", () => sockets.delete(socket))
  })
  const open = Effect.callback<string>((resume) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" ? address?.port : undefined
      resume(Effect.succeed(`http://127.0.0.1:${port}/hooks`))
    })
  })
  return Effect.acquireRelease(open, () =>
    Effect.callback<void>((resume) => {
      server.close(() => resume(Effect.void))
      for (const socket of sockets) socket.destroy()
    })
  )
}
