import type { HttpServerRequest } from "effect/http"
import { nulInQuery } from "./Paths.ts"

/** Why a request is refused before anything of it counts. */
export interface Unclear {
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
}

/** What two readers of a request could take for two things, or nothing can be done with. */
export const unclear = (request: HttpServerRequest.HttpServerRequest): Unclear | undefined => {
  const header = repeatedHeader(request)
  if (header !== undefined) {
    const message = `The header ${header} must be sent once.`
    return { message, details: { code: "DUPLICATE_HEADER", header } }
  }
  const field = nulInQuery(request.url)
  if (field === undefined) return undefined
  const message = "This holds the NUL character, which no text here has."
  return {
    message: `${field}: ${message}`,
    details: { code: "VALIDATION_ERROR", issues: [{ field, message }] }
  }
}

/** Headers that decide who may do what. Two of one kind and two readers may not agree which counts. */
const singular = [
  "authorization",
  "content-length",
  "content-type",
  "host",
  "idempotency-key",
  "transfer-encoding",
  "x-sub-account"
]
/** Most headers have a length that none of these has, and need not be spelled in small letters to see that. */
const lengths = new Set(singular.map(({ length }) => length))

/** Where the host is Node, the raw headers still show what its parser merged or dropped. */
const repeatedHeader = (request: HttpServerRequest.HttpServerRequest): string | undefined => {
  const { rawHeaders } = request.source as { readonly rawHeaders?: ReadonlyArray<string> }
  if (!Array.isArray(rawHeaders)) return undefined
  let seen = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = String(rawHeaders[index])
    if (!lengths.has(name.length)) continue
    const place = singular.indexOf(name.toLowerCase())
    if (place < 0) continue
    if ((seen & (1 << place)) !== 0) return singular[place]
    seen |= 1 << place
  }
  return undefined
}
