import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import { docsPage } from "./DocsPage.ts"
import { eventsDocument } from "./EventsDocument.ts"
import { openApiDocument } from "./OpenApiDocument.ts"

/** The page needs nothing from anywhere, and may ask for nothing. */
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Where the API is mounted: what a host put before the path that we see. */
const mountOf = (request: HttpServerRequest.HttpServerRequest, path: string): string => {
  const { originalUrl, url } = request.source as { originalUrl?: string; url?: string }
  const asked = (originalUrl ?? url ?? request.url).replace(/[?#].*$/, "")
  const whole = asked.replace(/^[a-z]+:\/\/[^/]*/i, "")
  return whole.endsWith(path) ? whole.slice(0, -path.length) : ""
}

/** The contract is made when it is first asked for, and kept. */
export const ServeContract = HttpApiBuilder.group(
  Api,
  "contract",
  Effect.fnUntraced(function* (handlers) {
    const made = yield* Effect.cached(Effect.sync(() => openApiDocument(Api)))
    const at = (path: string) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const document = yield* made
        return { ...document, servers: [{ url: mountOf(request, path) || "/" }] }
      })
    return handlers
      .handleRaw("openapi", () =>
        Effect.map(at("/openapi.json"), (document) => HttpServerResponse.jsonUnsafe(document))
      )
      .handleRaw("events", () =>
        Effect.map(made, (document) => HttpServerResponse.jsonUnsafe(eventsDocument(document)))
      )
      .handleRaw("docs", () =>
        Effect.map(at("/docs"), (document) =>
          HttpServerResponse.text(docsPage(document), {
            contentType: "text/html; charset=utf-8",
            headers: { "content-security-policy": pagePolicy, "referrer-policy": "no-referrer" }
          })
        )
      )
  })
)
