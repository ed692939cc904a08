import { createServer, request as send } from "node:http"
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import { text } from "node:stream/consumers"

/** A request on its way, or an answer. */
export interface Passing {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** What the proxy does wrong. What is absent passes as it is. */
export interface Tamper {
  readonly request?: (request: Passing) => Passing
  readonly answer?: (answer: Answered, request: Passing) => Answered
  /** What is delivered in place of a webhook. */
  readonly webhook?: (webhook: Passing) => ReadonlyArray<Passing>
}

export interface TamperingProxy {
  readonly url: string
  tamper: Tamper
  readonly close: () => Promise<void>
}

const forward = (to: string, { body, headers, method }: Passing): Promise<Answered> =>
  new Promise((done, fail) => {
    const { "content-length": _length, host: _host, ...others } = headers
    const length = body === "" ? {} : { "content-length": Buffer.byteLength(body) }
    const sent = send(to, { method, agent: false, headers: { ...others, ...length } })
    sent.once("error", fail)
    sent.once("response", (response) => {
      const { headers: answered, statusCode: status = 0 } = response
      text(response).then((received) => done({ status, headers: answered, body: received }), fail)
    })
    sent.end(body)
  })

const respond = (response: ServerResponse, { body, headers, status }: Answered) => {
  const { "content-length": _length, "transfer-encoding": _encoding, ...others } = headers
  response.writeHead(status, { ...others, "content-length": Buffer.byteLength(body) }).end(body)
}

const passing = async (request: IncomingMessage): Promise<Passing> => ({
  method: request.method ?? "",
  path: request.url ?? "",
  headers: request.headers,
  body: await text(request)
})

const hooked = (url: string, request: Passing): Passing => {
  if (request.method !== "POST" || !request.path.endsWith("/webhook-endpoints")) return request
  const body = JSON.parse(request.body) as { readonly url: string }
  const relay = `${url}/relay/${encodeURIComponent(body.url)}`
  return { ...request, body: JSON.stringify({ ...body, url: relay }) }
}

/** Stands between a client and a deployment, and between the deployment and the receivers of its webhooks. */
export const startTamperingProxy = async (origin: string): Promise<TamperingProxy> => {
  const relayed = async (webhook: Passing): Promise<Answered> => {
    const to = decodeURIComponent(webhook.path.slice("/relay/".length))
    const sent = proxy.tamper.webhook?.(webhook) ?? [webhook]
    let last: Answered = { status: 200, headers: {}, body: "" }
    for (const one of sent) last = await forward(to, one)
    return last
  }
  const passed = async (request: Passing): Promise<Answered> => {
    const changed = proxy.tamper.request?.(request) ?? request
    const answer = await forward(`${origin}${changed.path}`, hooked(proxy.url, changed))
    return proxy.tamper.answer?.(answer, request) ?? answer
  }
  const server = createServer((request, response) => {
    void passing(request)
      .then((one) => (one.path.startsWith("/relay/") ? relayed(one) : passed(one)))
      .then((answer) => respond(response, answer))
      .catch(() => response.destroy())
  })
  await new Promise<void>((done) => {
    server.listen(0, "127.0.0.1", done)
  })
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const proxy: TamperingProxy = {
    url: `http://127.0.0.1:${port}`,
    tamper: {},
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      })
  }
  return proxy
}
