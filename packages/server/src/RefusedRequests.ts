import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import type { Socket } from "node:net"
import { answerPlainly, arrivedLate, latestOn, plainText } from "@pagora/core/node"
import type { PlainError } from "@pagora/core/node"

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** HTTP/1.1 wants to know which host is asked; what came before it had no word for that. */
export const demandingHost =
  (listener: Listener): Listener =>
  (request, response) => {
    if (request.headers.host !== undefined || request.httpVersion !== "1.1")
      return listener(request, response)
    response.setHeader("connection", "close")
    answerPlainly(response, {
      statusCode: 400,
      error: "BadRequest",
      message: "A request of HTTP/1.1 needs the header Host."
    })
  }

/** Whoever expects something may send no body before he has it: his connection ends. */
export const refuseExpectation: Listener = (_, response) => {
  response.setHeader("connection", "close")
  answerPlainly(response, {
    statusCode: 417,
    error: "ExpectationFailed",
    message: "Of the header Expect only 100-continue is known."
  })
}

/** CONNECT. Node has let go of the connection by then. */
export const refuseTunnel = ({ socket }: IncomingMessage, stream: Duplex): void => {
  stream.on("error", () => stream.destroy())
  // What is sent on is of no use to anybody.
  stream.resume()
  const latest = latestOn(socket)
  if (latest !== undefined && !latest.response.writableFinished)
    return endAfter(latest.response, socket)
  endWith(
    socket,
    "Method Not Allowed",
    { statusCode: 405, error: "MethodNotAllowed", message: "There is no tunnel here." },
    "Allow: GET, HEAD, POST, PUT, PATCH, DELETE\r\n"
  )
  socket.destroySoon()
}

/** The last word of a connection of which Node makes no response. */
const endWith = (socket: Socket, reason: string, error: PlainError, headers = ""): void => {
  const text = plainText(error)
  socket.end(
    `HTTP/1.1 ${error.statusCode} ${reason}\r\nConnection: close\r\nContent-Type: application/json\r\n${headers}` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  )
}

const endAfter = (response: ServerResponse, socket: Socket): void => {
  if (!response.headersSent) response.setHeader("connection", "close")
  response.once("close", () => socket.destroySoon())
}

/** What is not HTTP at all never reaches an app; it gets the envelope too, and the connection ends. */
export const refuseUnreadable = (error: NodeJS.ErrnoException, socket: Socket): void => {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy()
    return
  }
  const latest = latestOn(socket)
  if (latest !== undefined) {
    const { request, response } = latest
    // Its headers were answered already, and its body cannot be read: a second answer would be taken for that of another one.
    if (!request.complete && response.headersSent) return socket.destroySoon()
    // What cannot be read came behind it: it is answered first, and is the last one.
    if (request.complete && !response.writableFinished) return endAfter(response, socket)
  }
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT")
    return endWith(socket, "Request Timeout", arrivedLate)
  const [statusCode, reason, message] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? ([431, "Request Header Fields Too Large", "The request's headers are too large."] as const)
      : ([400, "Bad Request", "The request is not valid HTTP."] as const)
  endWith(socket, reason, { statusCode, error: "BadRequest", message })
}
