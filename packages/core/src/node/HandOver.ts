import { IncomingMessage } from "node:http"
import type { ServerResponse } from "node:http"
import { notStarted, pathBelow } from "../http/MountPath.ts"
import type { PlainError } from "../http/PlainError.ts"
import { alreadyParsed } from "../http/PlainError.ts"
import type { Listener, Mountable } from "./Listener.ts"
import { answerPlainly } from "./PlainAnswer.ts"

/** A request that a host framework passes on, as Node made it (decision 0033). */
export interface HostRequest {
  readonly request: IncomingMessage & { originalUrl?: string }
  readonly response: ServerResponse
  /** Path and query below the mount. */
  readonly url: string
  /** The body's bytes, where the host's parser kept them: by convention `rawBody`. */
  readonly rawBody: unknown
  /** What the host's parser made of the body. It counts where it is the bytes themselves. */
  readonly body: unknown
  /** How to mount so that the bytes are there, for this host. */
  readonly remedy: string
}

/** What a host mounts, checked when it is mounted: later, nobody would see what is wrong with it. */
export const mounted = (pagora: Mountable): Listener => {
  if (typeof (pagora as Partial<Mountable> | undefined)?.listener === "function")
    return (request, response) => pagora.listener(request, response)
  throw new TypeError(notStarted)
}

/**
 * Gives a request of a host to the service, and ends when its answer is sent or its client is gone; it never fails. A
 * body that the host's parser has read already is given anew, byte by byte, where the parser kept it. Where it did
 * not, the request is refused: JSON that is written again would have lost what exact amounts and signatures need.
 */
export const handOver = (listener: Listener, host: HostRequest): Promise<void> => {
  const { request, response } = host
  // Whoever left while the host was at work wants nothing any more.
  if (response.destroyed || response.writableEnded) return Promise.resolve()
  const before = request.url
  return new Promise((done) => {
    response.once("close", () => {
      request.url = before ?? "/"
      done()
    })
    request.originalUrl ??= before ?? "/"
    // The target may still name the host; below here only its path counts.
    request.url = pathBelow(host.url, "") ?? host.url
    if (!isRead(request)) return listen(listener, request, response)
    const bytes = keptBytes(host)
    if (bytes === undefined && isOfAnotherType(request))
      listen(listener, replay(request, Buffer.from(" ")), response)
    else if (bytes === undefined) answerPlainly(response, alreadyParsed(host.remedy))
    else listen(listener, replay(request, bytes), response)
  })
}

/** A listener answers its own errors. One that throws all the same must not end in the host's error handler. */
const listen = (listener: Listener, request: IncomingMessage, response: ServerResponse): void => {
  try {
    listener(request, response)
  } catch {
    if (response.headersSent) response.destroy()
    else answerPlainly(response, broken)
  }
}

const isRead = (request: IncomingMessage): boolean =>
  request.readableDidRead || request.readableEnded

/**
 * A body that no endpoint takes, such as a form: whatever stood in it, the answer is the API's 415. Notices of PSPs may be of
 * any type.
 */
const isOfAnotherType = ({ headers, url }: IncomingMessage): boolean =>
  headers["content-type"] !== undefined &&
  !/^application\/json\s*(;|$)/i.test(headers["content-type"]) &&
  url?.startsWith("/psp/") === false

const keptBytes = ({ body, rawBody, request }: HostRequest): Uint8Array | undefined => {
  if (rawBody instanceof Uint8Array) return rawBody
  if (typeof rawBody === "string") return Buffer.from(rawBody, "utf8")
  // A parser of raw bytes leaves them as the body. A string can be the value of a JSON text: those are not its bytes.
  if (body instanceof Uint8Array) return body
  return request.readableDidRead ? undefined : new Uint8Array()
}

/** The same request, with a body that was not read yet. Its raw headers stay: they show what came twice. */
const replay = (request: IncomingMessage & { originalUrl?: string }, bytes: Uint8Array) => {
  const copy = new IncomingMessage(request.socket)
  const { httpVersion, httpVersionMajor, httpVersionMinor, method, originalUrl, rawHeaders, url } =
    request
  Object.assign(copy, {
    httpVersion,
    httpVersionMajor,
    httpVersionMinor,
    method,
    originalUrl,
    rawHeaders,
    url,
    complete: true
  })
  // The bytes are whole, and parsers keep them decompressed.
  const { "content-encoding": _, "transfer-encoding": __, ...headers } = request.headers
  copy.headers = { ...headers, "content-length": String(bytes.length) }
  copy.push(bytes)
  copy.push(null)
  return copy
}

const broken: PlainError = {
  statusCode: 500,
  error: "InternalError",
  message: "Something went wrong on our side."
}
