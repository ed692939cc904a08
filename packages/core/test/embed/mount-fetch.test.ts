import type { RequestOrigin } from "@pagora/core"
import { listening, mountContract } from "@pagora/testkit"
import type { MountStart } from "@pagora/testkit"
import type { IncomingMessage, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import type { ReadableStream } from "node:stream/web"
import { fetchBelow } from "../../src/http/FetchMount.ts"

const requestOf = (request: IncomingMessage, signal: AbortSignal): Request => {
  const { headers, method = "GET" } = request
  const url = new URL(request.url ?? "/", `http://${headers.host ?? "localhost"}`)
  const hasBody = method !== "GET" && method !== "HEAD"
  return new Request(url, {
    method,
    signal,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]]
    ),
    ...(hasBody
      ? { body: Readable.toWeb(request) as ReadableStream<Uint8Array>, duplex: "half" }
      : {})
  })
}

/** A host of the Fetch API on Node, as Hono's or Next's is. */
const servingFetch =
  (fetch: (request: Request, origin: RequestOrigin) => Promise<Response>) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const gone = new AbortController()
    response.once("close", () => response.writableEnded || gone.abort())
    try {
      const answer = await fetch(requestOf(request, gone.signal), {
        remoteAddress: request.socket.remoteAddress
      })
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      if (answer.body === null) response.end()
      else Readable.fromWeb(answer.body as ReadableStream).pipe(response)
    } catch {
      // Its client is gone, or the request is none that the Fetch API knows.
      if (!response.headersSent) response.writeHead(400)
      response.end()
    }
  }

const startWith =
  (before: (request: Request) => Promise<unknown>): MountStart =>
  ({ pagora, prefix }) => {
    const below = fetchBelow(prefix, pagora)
    return listening(
      servingFetch(async (request) => {
        const { pathname } = new URL(request.url)
        if (pathname === "/hello") return new Response("hello")
        if (pathname === "/echo") return Response.json(await request.json())
        await before(request)
        return below(request)
      })
    )
  }

mountContract(
  "a host of the Fetch API",
  { body: "untouched", passes: "fetch" },
  startWith(async () => undefined)
)

mountContract(
  "a host of the Fetch API that reads bodies first",
  { body: "lost", passes: "fetch" },
  startWith(async (request) => {
    const isJson = request.headers.get("content-type") === "application/json"
    if (isJson && request.headers.get("content-length") !== "0") await request.json()
  })
)

mountContract(
  "a host of the Fetch API that keeps the prefix and tells addresses",
  { body: "untouched", passes: "fetch", isPrefixKept: true, tellsAddress: true },
  ({ pagora, prefix }) => {
    const mount = prefix.replace(/\/$/, "")
    return listening(
      servingFetch(async (request, origin) => {
        const { pathname } = new URL(request.url)
        if (pathname === "/hello") return new Response("hello")
        if (pathname === "/echo") return Response.json(await request.json())
        const isBelow = pathname === mount || pathname.startsWith(`${mount}/`)
        return isBelow ? pagora.fetch(request, origin) : new Response(null, { status: 404 })
      })
    )
  }
)
