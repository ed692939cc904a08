import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { handlersOf } from "../http/EndpointHandler.ts"
import { Secrets } from "../ports/Secrets.ts"
import { Api } from "./Api.ts"
import { docsPage } from "../contract/DocsPage.ts"
import { eventsDocument } from "../contract/EventsDocument.ts"
import type { OpenApiDocument } from "../contract/OpenApiDocument.ts"
import { openApiDocument } from "../contract/OpenApiDocument.ts"

/** The page needs nothing from anywhere, and may ask for nothing. */
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const jsonHeaders = { "content-type": "application/json" }
const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": pagePolicy,
  "referrer-policy": "no-referrer"
}

/** Documents that are kept rendered. There is one of each for every place where the API is mounted. */
const keptMax = 32

/** Where the API is mounted: what a host put before the path that we see. */
const mountOf = (request: HttpServerRequest.HttpServerRequest, path: string): string => {
  const { originalUrl, url } = request.source as { originalUrl?: string; url?: string }
  const asked = (originalUrl ?? url ?? request.url).replace(/[?#].*$/, "")
  const whole = asked.replace(/^[a-z]+:\/\/[^/]*/i, "")
  return whole.endsWith(path) ? whole.slice(0, -path.length) : ""
}

interface Rendered {
  readonly bytes: Uint8Array
  readonly etag: string
}

/** Whether a client has the document already (RFC 9110, 13.1.2: compared weakly). */
const hasIt = (request: HttpServerRequest.HttpServerRequest, etag: string): boolean =>
  (request.headers["if-none-match"] ?? "")
    .split(",")
    .some((part) => part.trim() === "*" || part.trim().replace(/^W\//, "") === etag.slice(2))

/** The contract is made when it is first asked for, each document rendered once, and kept. */
export const ServeContract = handlersOf(
  Api,
  "contract",
  Effect.fnUntraced(function* (handlers) {
    const secrets = yield* Secrets
    const made = yield* Effect.cached(Effect.sync(() => openApiDocument(Api)))
    const kept = new Map<string, Rendered>()

    const rendered = Effect.fnUntraced(function* (key: string, render: () => string) {
      const before = kept.get(key)
      if (before !== undefined) return before
      const text = render()
      // Weak: a host may compress it on its way.
      const etag = `W/"${(yield* secrets.digest(text)).slice(0, 32)}"`
      const document = { etag, bytes: new TextEncoder().encode(text) }
      // A mount with a parameter in it has no end of places.
      if (kept.size < keptMax) kept.set(key, document)
      return document
    })

    const serve = (
      path: string,
      headers: Readonly<Record<string, string>>,
      render: (document: OpenApiDocument) => string
    ) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const document = yield* made
        const mount = mountOf(request, path)
        const { bytes, etag } = yield* rendered(`${mount} ${path}`, () =>
          render({ ...document, servers: [{ url: mount || "/" }] })
        )
        const all = { ...headers, etag, "cache-control": "no-cache" }
        return hasIt(request, etag)
          ? HttpServerResponse.empty({ status: 304, headers: all })
          : HttpServerResponse.uint8Array(bytes, { headers: all })
      })
    return handlers
      .handleRaw("openapi", () =>
        serve("/openapi.json", jsonHeaders, (document) => JSON.stringify(document))
      )
      .handleRaw("events", () =>
        serve("/events.json", jsonHeaders, (document) => JSON.stringify(eventsDocument(document)))
      )
      .handleRaw("docs", () => serve("/docs", pageHeaders, docsPage))
  })
)
