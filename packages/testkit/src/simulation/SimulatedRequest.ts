import { Effect, Option } from "effect"
import { Headers, HttpServerRequest, HttpServerResponse } from "effect/http"

/** Whose API is called: with a token, with the operator's key, or by the program that the service runs in. */
export type ApiCaller = "tenant" | "operator" | { readonly account: string }

/** A request to one of the APIs, as a client sends it. */
export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The text of a body, most often JSON. */
  readonly body?: string
}

/** Whether it asks for a change. Whoever proves who he is changes nothing. */
export const isChange = ({ method, path }: ApiRequest): boolean =>
  method !== "GET" && path !== "/auth"

/** An answer of one of the APIs, its body read. */
export interface ApiAnswer {
  readonly status: number
  readonly header: (name: string) => string | undefined
  readonly text: string
}

/** What our endpoints ask a request for. */
type Asked = Pick<
  HttpServerRequest.HttpServerRequest,
  | typeof HttpServerRequest.TypeId
  | "arrayBuffer"
  | "headers"
  | "method"
  | "originalUrl"
  | "remoteAddress"
  | "source"
  | "url"
>

const none = { body: null }
const some = {}
const encoder = new TextEncoder()

/** The request as the service meets it, without sockets and without streams, which would come back in turns of the platform. */
export const serverRequest = ({
  body,
  headers,
  method,
  path
}: ApiRequest): HttpServerRequest.HttpServerRequest => {
  const bytes = encoder.encode(body ?? "")
  const length = body === undefined ? {} : { "content-length": String(bytes.length) }
  const asked: Asked = {
    [HttpServerRequest.TypeId]: HttpServerRequest.TypeId,
    source: body === undefined ? none : some,
    method,
    url: path,
    originalUrl: path,
    headers: Headers.fromInput({
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...length,
      ...headers
    }),
    remoteAddress: Option.some("127.0.0.1"),
    arrayBuffer: Effect.sync(() => bytes.buffer as ArrayBuffer)
  }
  // The rest of what the framework knows of a request (cookies, forms, upgrades) no endpoint of ours asks for.
  return asked as unknown as HttpServerRequest.HttpServerRequest
}

const decoder = new TextDecoder()

/** The answer as the client reads it. */
export const apiAnswer = ({
  body,
  headers,
  status
}: HttpServerResponse.HttpServerResponse): ApiAnswer => ({
  status,
  header: (name) => headers[name.toLowerCase()],
  text: textOf(body)
})

const textOf = (body: HttpServerResponse.HttpServerResponse["body"]): string => {
  switch (body._tag) {
    case "Empty":
      return ""
    case "Uint8Array":
      return decoder.decode(body.body)
    case "Raw":
      return String(body.body)
    default:
      throw new Error(`An answer has a body of another kind: ${body._tag}.`)
  }
}
