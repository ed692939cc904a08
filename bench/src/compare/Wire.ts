import { Effect } from "effect"
import { connect } from "node:net"
import type { Socket } from "node:net"

export interface Call {
  readonly method: "GET" | "POST" | "DELETE"
  readonly path: string
  readonly token?: string
  readonly idempotencyKey?: string
  readonly body?: unknown
}

export interface Answer {
  readonly status: number
  readonly text: string
}

/**
 * One keep-alive connection, one request at a time. It knows no more of HTTP than its own servers speak, because
 * Node's client takes as long for a request as some servers for an answer, and shares its core with the database.
 */
export interface Wire {
  readonly send: (call: Call) => Effect.Effect<Answer, Error>
  /** Whether it can be used: a server closes what nobody uses, and may be about to. */
  readonly isOpen: () => boolean
  readonly close: () => void
}

export const openWire = (baseUrl: string): Effect.Effect<Wire, Error> =>
  Effect.callback((resume) => {
    const { host, hostname, pathname, port } = new URL(baseUrl)
    const prefix = pathname.replace(/\/$/, "")
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    const refused = (error: Error) => resume(Effect.fail(error))
    socket.once("error", refused)
    socket.once("connect", () => {
      socket.off("error", refused)
      resume(Effect.succeed(wireOver(socket, host, prefix)))
    })
  })

/** Node.js itself closes after 5 seconds. */
const idleMillisMax = 3_000

const wireOver = (socket: Socket, host: string, prefix: string): Wire => {
  let waiting: ((answer: Effect.Effect<Answer, Error>) => void) | undefined
  let received: Buffer = Buffer.alloc(0)
  let usedAt = performance.now()
  const settle = (answer: Effect.Effect<Answer, Error>) => {
    const answered = waiting
    waiting = undefined
    answered?.(answer)
  }
  socket.on("data", (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    const answer = answerIn(received)
    if (answer === undefined) return
    received = Buffer.alloc(0)
    usedAt = performance.now()
    settle(answer)
  })
  socket.on("error", (error) => settle(Effect.fail(error)))
  socket.on("close", () => settle(Effect.fail(new Error("The server closed the connection."))))
  return {
    send: (call) =>
      Effect.callback((resume) => {
        waiting = resume
        socket.write(textOf(call, host, prefix))
      }),
    isOpen: () => socket.readyState === "open" && performance.now() - usedAt < idleMillisMax,
    close: () => socket.destroy()
  }
}

const textOf = (call: Call, host: string, prefix: string): string => {
  const body = call.body === undefined ? "" : JSON.stringify(call.body)
  const headers = [
    `${call.method} ${prefix}${call.path} HTTP/1.1`,
    `host: ${host}`,
    ...(call.token === undefined ? [] : [`authorization: Bearer ${call.token}`]),
    ...(call.idempotencyKey === undefined ? [] : [`idempotency-key: ${call.idempotencyKey}`]),
    ...(body === ""
      ? []
      : ["content-type: application/json", `content-length: ${Buffer.byteLength(body)}`])
  ]
  return `${headers.join("\r\n")}\r\n\r\n${body}`
}

const headEnd = "\r\n\r\n"

/** The answer, once all of it is there. */
const answerIn = (received: Buffer): Effect.Effect<Answer, Error> | undefined => {
  const end = received.indexOf(headEnd)
  if (end < 0) return undefined
  const head = received.toString("latin1", 0, end)
  const status = Number(head.slice(9, 12))
  const [, length] = status === 204 ? ["", "0"] : (/\r\ncontent-length: *(\d+)/i.exec(head) ?? [])
  if (length === undefined)
    return Effect.fail(new Error(`An answer without content-length:\n${head}`))
  const start = end + headEnd.length
  return received.length < start + Number(length)
    ? undefined
    : Effect.succeed({ status, text: received.toString("utf8", start) })
}
