import { TestPagora } from "@pagora/testkit"
import { Effect } from "effect"

/** A request of a client as it went out. */
export interface Seen {
  readonly method: string
  /** Below the base URL. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly redirect: string | undefined
}

/** What happens to a request on its way; `serve` lets the service do it. */
export type Way = (
  request: Seen,
  serve: () => Promise<Response>,
  signal: AbortSignal | undefined
) => Promise<Response>

export const baseUrl = "https://pagora.test/base/v2"

/** A `fetch` that reaches the service under test, and whatever a test puts in the way. */
export const network = Effect.gen(function* () {
  const pagora = yield* TestPagora
  const context = yield* Effect.context<never>()
  const seen: Array<Seen> = []
  let way: Way = (_, serve) => serve()
  const send = async (url: unknown, init: RequestInit = {}): Promise<Response> => {
    const path = String(url).replace(baseUrl, "")
    const headers = Object.fromEntries(new Headers(init.headers))
    const bytes = init.body as Uint8Array<ArrayBuffer> | undefined
    const body = new TextDecoder().decode(bytes)
    const method = String(init.method)
    const request = { method, path, headers, body, redirect: init.redirect }
    seen.push(request)
    const serve = async () => {
      const call = pagora.api(method, path, { headers, ...(body === "" ? {} : { body }) })
      const answer = await Effect.runPromiseWith(context)(call)
      const { headers: answered, status, text } = answer
      return new Response(status === 204 ? null : text, { status, headers: answered })
    }
    return way(request, serve, init.signal ?? undefined)
  }
  return {
    fetch: send as typeof fetch,
    seen,
    /** Those to this path. */
    sent: (path: string) => seen.filter((request) => request.path === path),
    /** From now on this happens to requests for tokens and all others. */
    onEvery: (next: Way) => {
      way = next
    },
    /** From now on this happens to requests, but not to those for tokens. */
    onCalls: (next: Way) => {
      way = (request, serve, signal) =>
        request.path === "/auth" ? serve() : next(request, serve, signal)
    }
  }
})

export const json = (status: number, body: object, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", ...headers }
  })

/** The connection breaks. */
export const broken = () => Promise.reject(new TypeError("fetch failed"))

/** An answer that breaks off in the middle of its body. */
export const halfOf = async (response: Response): Promise<Response> => {
  const bytes = new Uint8Array(await response.arrayBuffer())
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(bytes.slice(0, bytes.length / 2)),
    pull: (controller) => controller.error(new TypeError("terminated"))
  })
  return new Response(body, { status: response.status, headers: response.headers })
}
