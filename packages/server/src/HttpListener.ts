import { createServer } from "node:http"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Scope } from "effect"
import { answerPlainly, inTurn, mountPrefix, pathBelow } from "@pagora/core/node"
import type { PlainError } from "@pagora/core/node"
import { Effect, Schema } from "effect"
import { makeRefused } from "./RefusedConnections.ts"
import {
  demandingHost,
  refuseExpectation,
  refuseTunnel,
  refuseUnreadable
} from "./RefusedRequests.ts"

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
  /** Begins with a slash; `/` is the root. The first mount that fits answers. */
  readonly prefix: string
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void
}

/** What a client may take of a listener. */
export interface ConnectionLimits {
  /** Connections at once. One more is closed without an answer. Default 4,096. */
  readonly maxConnections: number
  /** How long the headers of a request may take. Default 10 seconds. */
  readonly headersMillis: number
  /** How long a whole request may take, no less than its headers. Default 15 seconds. */
  readonly requestMillis: number
  /** How long an answer may wait for a client that does not read it. Default 15 seconds, and up to twice that. */
  readonly answerMillis: number
}

export const connectionLimits: ConnectionLimits = {
  maxConnections: 4_096,
  headersMillis: 10_000,
  requestMillis: 15_000,
  answerMillis: 15_000
}

/** How often the times of headers and requests are looked at. */
const checkMillisMax = 1_000
const keepAliveMillis = 5_000
const headerBytesMax = 16_384
const drainMillisDefault = 20_000
const sweepMillis = 50

/**
 * Serves several mounts on one port of the loopback interface, or of all. When the scope closes it takes no
 * new connections, lets running requests end, and cuts those off that do not end in time.
 */
export const serve = (options: {
  readonly host: string
  readonly port: number
  readonly mounts: ReadonlyArray<Mount>
  /** How long requests may go on after the stop was asked for. Default 20 seconds. */
  readonly drainMillis?: number
  readonly limits?: Partial<ConnectionLimits>
}): Effect.Effect<number, CannotListen, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Server, CannotListen>((resume) => {
      const limits = { ...connectionLimits, ...options.limits }
      const { answerMillis, headersMillis, maxConnections, requestMillis } = limits
      const server = createServer(
        {
          headersTimeout: headersMillis,
          requestTimeout: requestMillis,
          connectionsCheckingInterval: Math.min(checkMillisMax, headersMillis),
          keepAliveTimeout: keepAliveMillis,
          maxHeaderSize: headerBytesMax,
          // Node would answer without a word.
          requireHostHeader: false
        },
        inTurn(demandingHost(dispatch(options.mounts)), answerMillis)
      )
      server.maxConnections = maxConnections
      server.on("clientError", refuseUnreadable)
      server.on("checkExpectation", inTurn(refuseExpectation, answerMillis))
      server.on("connect", refuseTunnel)
      server.once("error", (error: NodeJS.ErrnoException) => {
        resume(
          Effect.fail(new CannotListen({ port: options.port, reason: error.code ?? error.message }))
        )
      })
      server.listen(options.port, options.host, () => resume(Effect.succeed(server)))
    }),
    (server) => close(server, options.drainMillis ?? drainMillisDefault)
  ).pipe(
    Effect.tap((server) =>
      Effect.map(Effect.context<never>(), (context) => {
        const [run, refused] = [Effect.runForkWith(context), makeRefused()]
        server.on("drop", () => run(refused(portOf(server), server.maxConnections)))
      })
    ),
    Effect.map(portOf)
  )

const portOf = (server: Server): number => (server.address() as AddressInfo).port

const close = (server: Server, drainMillis: number): Effect.Effect<void> =>
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

const dispatch = (all: ReadonlyArray<Mount>) => {
  const mounts = all.map((mount) => ({ ...mount, prefix: mountPrefix(mount.prefix) }))
  return (request: IncomingMessage, response: ServerResponse): void => {
    const url = request.url ?? "/"
    for (const { listener, prefix } of mounts) {
      const rest = pathBelow(url, prefix)
      if (rest === undefined) continue
      // As Connect does it: whoever wants to know where it is mounted finds the whole path here.
      Object.assign(request, { originalUrl: pathBelow(url, "") })
      request.url = rest
      listener(request, response)
      return
    }
    answerPlainly(response, noSuchPath(mounts.map(({ prefix }) => prefix)))
  }
}

const noSuchPath = (prefixes: ReadonlyArray<string>): PlainError => ({
  statusCode: 404,
  error: "NotFound",
  message: `There is no such path. Paths begin with ${prefixes.join(" or ")}.`,
  code: "ROUTE_NOT_FOUND"
})
