import type { Exchanged, HttpRequest } from "@pagora/core/psp"
import { Effect } from "effect"
import type { ClientRequest, IncomingMessage } from "node:http"
import type { Agent } from "node:https"
import * as Https from "node:https"
import type { Socket } from "node:net"

export interface Patience {
  /** From the name to the end of the handshake. */
  readonly connectMillis: number
  /** From the name to the end of the answer. */
  readonly answerMillis: number
}

/** A page of payments takes a tenth of that. */
const answerBytesMax = 2_097_152
const headerBytesMax = 32_768

/**
 * Sends a request by `node:https`, and tells once what became of it. Not by `undici`, which puts itself under the `fetch` of the
 * whole process (decision 0097), and not by a client that hides when the handshake was over: before that not one byte of the
 * request has left, and after it any of them may have arrived (decision 0103). Redirects are not followed, and the environment's
 * proxies are not used.
 */
export const exchange = (
  agent: Agent,
  request: HttpRequest,
  patience: Patience
): Effect.Effect<Exchanged> =>
  Effect.callback((resume) => {
    const { body, headers, method, url } = request
    let isOver = false
    let hasLeft = false
    const end = (result: Exchanged) => {
      if (isOver) return
      stop()
      resume(Effect.succeed(result))
    }
    const failed = (code: string) => end(hasLeft ? afterHandshake(code) : beforeHandshake(code))
    const stop = () => {
      isOver = true
      clearTimeout(connecting)
      clearTimeout(answering)
    }
    const late = () => {
      failed("no answer in time")
      underWay.destroy()
    }
    const length = body === undefined ? {} : { "content-length": `${Buffer.byteLength(body)}` }
    const underWay: ClientRequest = Https.request(url, {
      agent,
      method,
      headers: { ...headers, ...length },
      maxHeaderSize: headerBytesMax
    })
      .on("socket", (socket) =>
        whenSecured(socket, () => {
          hasLeft = true
          clearTimeout(connecting)
        })
      )
      .on("error", (error) => failed(codeOf(error)))
      .on("response", (response) => {
        read(response, (result) => {
          end(result)
          if (result._tag === "Lost") underWay.destroy()
        })
      })
    // Node throws at once at a header that cannot be written: then nothing is left running.
    const connecting = setTimeout(() => {
      if (!hasLeft) late()
    }, patience.connectMillis)
    const answering = setTimeout(late, patience.answerMillis)
    underWay.end(body)
    return Effect.sync(() => {
      stop()
      underWay.destroy()
    })
  })

/** Connections whose handshake is over: a request that gets one of them leaves at once. */
const secured = new WeakSet<Socket>()

const whenSecured = (socket: Socket, tell: () => void): void => {
  if (secured.has(socket)) return tell()
  socket.once("secureConnect", () => {
    secured.add(socket)
    tell()
  })
}

const read = (response: IncomingMessage, tell: (result: Exchanged) => void): void => {
  const chunks: Array<Buffer> = []
  let length = 0
  response
    .on("data", (chunk: Buffer) => {
      length += chunk.length
      if (length <= answerBytesMax) chunks.push(chunk)
      else tell({ _tag: "Lost", detail: "an answer that is too long" })
    })
    .on("error", (error) => tell({ _tag: "Lost", detail: codeOf(error) }))
    .on("end", () => {
      if (!response.complete) return tell({ _tag: "Lost", detail: "half an answer" })
      const text = Buffer.concat(chunks).toString("utf8")
      const retryAfter = response.headers["retry-after"]
      tell({ _tag: "Answered", status: response.statusCode ?? 0, retryAfter, text })
    })
}

const beforeHandshake = (detail: string): Exchanged => ({ _tag: "NotSent", detail })

/**
 * In TLS 1.3 the bank looks at our certificate after the handshake is over for us. The alert by which it turns that down says that
 * it never came to read the request.
 */
const afterHandshake = (detail: string): Exchanged =>
  isOfCertificate(detail) ? beforeHandshake(detail) : { _tag: "Lost", detail }

const isOfCertificate = (code: string): boolean =>
  /^ERR_SSL_.*ALERT.*(CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED|HANDSHAKE_FAILURE)/.test(code)

/** Only codes are told: words of errors quote what they were given (decision 0047). */
const codeOf = (error: unknown): string => {
  const { code } = error as { readonly code?: unknown }
  return typeof code === "string" ? code : "an error without a code"
}
