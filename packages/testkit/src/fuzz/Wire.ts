import { Agent, request } from "node:http"

/** A request as it goes over the wire: nothing of it is mended on the way. */
export interface WireRequest {
  readonly method: string
  /** Below the base URL. */
  readonly path: string
  /** In order; a name may come twice. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Buffer | undefined
}

export interface WireAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
  readonly millis: number
}

const agent = new Agent({ keepAlive: false })
const patienceMillis = 10_000

/** Sends it; fails when there is no answer within ten seconds. */
export const send = (baseUrl: string, wanted: WireRequest): Promise<WireAnswer> =>
  new Promise((done, fail) => {
    const base = new URL(baseUrl)
    const started = performance.now()
    const headers = wanted.headers.flatMap(([name, value]) => [name, value])
    const { body } = wanted
    const length = body === undefined ? [] : ["content-length", String(body.length)]
    const sent = request({
      agent,
      host: base.hostname,
      port: base.port,
      method: wanted.method,
      path: `${base.pathname}${wanted.path}`,
      headers: ["host", base.host, ...headers, ...length],
      signal: AbortSignal.timeout(patienceMillis)
    })
    let isAnswered = false
    // A server may answer and hang up before a body that is too large has arrived.
    sent.on("error", (error) => {
      if (!isAnswered) fail(error)
    })
    sent.once("response", (response) => {
      isAnswered = true
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.once("error", fail)
      response.once("end", () =>
        done({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString("utf8"),
          millis: performance.now() - started
        })
      )
    })
    sent.end(body)
  })

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A command that sends the same bytes. */
export const asCurl = (baseUrl: string, { body, headers, method, path }: WireRequest): string => {
  const isPlain = body !== undefined && /^[\x20-\x7e\n]*$/.test(body.toString("latin1"))
  const parts = [
    `curl -i --path-as-is -X ${method} ${quoted(baseUrl + path)}`,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined
      ? []
      : [isPlain ? `--data-binary ${quoted(body.toString())}` : "--data-binary @-"])
  ]
  const command = parts.join(" \\\n  ")
  return body === undefined || isPlain
    ? command
    : `echo ${body.toString("base64")} | base64 -d | ${command}`
}
