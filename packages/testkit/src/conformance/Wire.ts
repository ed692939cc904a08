import { request as requestHttp } from "node:http"
import type { IncomingHttpHeaders } from "node:http"
import { request as requestHttps } from "node:https"

/** A JSON value as it came in. */
export type Json =
  | string
  | number
  | boolean
  | null
  | ReadonlyArray<Json>
  | { readonly [key: string]: Json }

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as JSON; null where it is none. */
  readonly json: Json
  /** The request that was answered, to repeat it by hand. Its bearer token is left out. */
  readonly curl: string
}

export interface Outgoing {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Sent as it is where it is a text, as JSON otherwise. */
  readonly body?: unknown
}

const answerMillisMax = 30_000

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

const curlOf = ({ method, url, headers }: Outgoing, text: string | undefined): string =>
  [
    `curl -i -X ${method} ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) =>
      name === "authorization" && value.startsWith("Bearer ")
        ? `-H "authorization: Bearer $TOKEN"`
        : `-H ${quoted(`${name}: ${value}`)}`
    ),
    ...(text === undefined ? [] : [`-d ${quoted(text)}`])
  ].join(" ")

const parsed = (text: string): Json => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}

const withType = (outgoing: Outgoing, text: string | undefined): Outgoing =>
  text === undefined
    ? outgoing
    : { ...outgoing, headers: { "content-type": "application/json", ...outgoing.headers } }

/** Sends one request on a connection of its own and answers whatever came back. */
export const send = (wanted: Outgoing): Promise<Answer> =>
  new Promise((done, fail) => {
    const { body } = wanted
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body)
    const outgoing = withType(wanted, text)
    const curl = curlOf(outgoing, text)
    const broken = (cause: Error) => fail(new Error(`No answer (${cause.message}): ${curl}`))
    const request = outgoing.url.startsWith("https:") ? requestHttps : requestHttp
    const length = text === undefined ? {} : { "content-length": Buffer.byteLength(text) }
    const sent = request(outgoing.url, {
      agent: false,
      method: outgoing.method,
      headers: { ...length, ...outgoing.headers },
      signal: AbortSignal.timeout(answerMillisMax)
    })
    sent.once("error", broken)
    sent.once("response", (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.once("error", broken)
      response.once("end", () => {
        const received = Buffer.concat(chunks).toString("utf8")
        const { headers, statusCode: status = 0 } = response
        done({ status, headers, text: received, json: parsed(received), curl })
      })
    })
    sent.end(text)
  })

/** The value at a path such as `balance.available.amount` or `items.0.id`. */
export const at = (json: Json | undefined, path: string): Json | undefined =>
  path.split(".").reduce<Json | undefined>((value, key) => {
    if (typeof value !== "object" || value === null) return undefined
    return (value as { readonly [key: string]: Json })[key]
  }, json)
