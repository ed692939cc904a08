import { createServer } from "node:http"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Scope } from "effect"
import { Effect, Schema } from "effect"

/** The address cannot be listened on. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  port: Schema.Int,
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason === "EADDRINUSE"
      ? `Port ${this.port} is in use. Choose another with --port, or --port 0 for any that is free.`
      : `Port ${this.port} cannot be listened on (${this.reason}).`
  }
}

export interface Mount {
  /** Begins with a slash and does not end in one. */
  readonly prefix: string
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void
}

/** Bounds on what a client may take its time for, in milliseconds, and on the size of its headers in bytes. */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  /** How often the two above are looked at. */
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16_384
}
/** How long requests may go on after the stop was asked for. */
const drainMillis = 20_000
const sweepMillis = 50

/**
 * Serves several mounts on one port of the loopback interface, or of all. When the scope closes it takes no
 * new connections, lets running requests end, and cuts those off that do not end in time.
 */
export const serve = (options: {
  readonly host: string
  readonly port: number
  readonly mounts: ReadonlyArray<Mount>
}): Effect.Effect<number, CannotListen, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Server, CannotListen>((resume) => {
      const server = createServer({ ...limits, requireHostHeader: true }, dispatch(options.mounts))
      server.on("clientError", refuseUnreadable)
      server.once("error", (error: NodeJS.ErrnoException) => {
        resume(
          Effect.fail(new CannotListen({ port: options.port, reason: error.code ?? error.message }))
        )
      })
      server.listen(options.port, options.host, () => resume(Effect.succeed(server)))
    }),
    close
  ).pipe(
    Effect.map((server) => {
      const address = server.address()
      return typeof address === "object" && address !== null ? address.port : options.port
    })
  )

const close = (server: Server): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const cutOff = setTimeout(() => server.closeAllConnections(), drainMillis)
    // A connection whose last request was just answered would be kept alive.
    const sweep = setInterval(() => server.closeIdleConnections(), sweepMillis)
    server.close(() => {
      clearTimeout(cutOff)
      clearInterval(sweep)
      resume(Effect.void)
    })
    server.closeIdleConnections()
  })

const dispatch =
  (mounts: ReadonlyArray<Mount>) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    // Node's parser also takes requests without a version, and versions that do not exist.
    if (request.httpVersion !== "1.1" && request.httpVersion !== "1.0") {
      response.setHeader("connection", "close")
      answer(response, 400, "BadRequest", "This server speaks HTTP/1.1.")
      return
    }
    const url = request.url ?? "/"
    const mount = mounts.find(
      ({ prefix }) => url === prefix || url.startsWith(`${prefix}/`) || url.startsWith(`${prefix}?`)
    )
    if (mount === undefined) {
      answer(response, 404, "NotFound", "There is no such path.")
      return
    }
    const rest = url.slice(mount.prefix.length)
    // As Connect does it: whoever wants to know where it is mounted finds the whole path here.
    Object.assign(request, { originalUrl: url })
    request.url = rest.startsWith("/") ? rest : `/${rest}`
    mount.listener(request, response)
  }

const body = (statusCode: number, error: string, message: string): string =>
  JSON.stringify({ statusCode, error, message, timestamp: new Date().toISOString() })

const answer = (response: ServerResponse, status: number, error: string, message: string): void => {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
  response.end(body(status, error, message))
}

/** What is not HTTP at all never reaches an app; it gets the envelope too, and the connection ends. */
const refuseUnreadable = (error: NodeJS.ErrnoException, socket: Socket): void => {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, name, reason, message] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? [
          431,
          "BadRequest",
          "Request Header Fields Too Large",
          "The request's headers are too large."
        ]
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? [408, "BadRequest", "Request Timeout", "The request did not arrive in time."]
        : [400, "BadRequest", "Bad Request", "The request is not valid HTTP."]
  const text = body(Number(status), String(name), String(message))
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  )
}
