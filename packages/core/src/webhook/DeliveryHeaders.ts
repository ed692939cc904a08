import { WebhookError } from "./WebhookError.ts"

/** Headers of a request as hosts have them: Fetch's `Headers`, Node's `request.headers`, or any list of pairs. */
export type HeadersLike =
  | Iterable<readonly [string, string]>
  | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** What counts of a delivery's headers. */
export interface DeliveryHeaders {
  /** The 32 bytes of `X-Service-Signature` and, while a secret is rotated, of `X-Service-Signature-Previous`. */
  readonly body: ReadonlyArray<Bytes>
  readonly standard: StandardHeaders | undefined
}

/** The headers of Standard Webhooks. */
export interface StandardHeaders {
  readonly id: string
  /** As it was signed. */
  readonly timestamp: string
  /** The bytes of each `v1` signature. */
  readonly signatures: ReadonlyArray<Bytes>
}

export type Bytes = Uint8Array<ArrayBuffer>

/** Reads them strictly, so that no two readers can understand one delivery differently. */
export const deliveryHeaders = (headers: HeadersLike): DeliveryHeaders => {
  const given = collect(headers)
  const current = bodySignature(given, "x-service-signature")
  const previous = bodySignature(given, "x-service-signature-previous")
  const standard = standardHeaders(given)
  if (current === undefined && standard === undefined) {
    throw new WebhookError(
      "SIGNATURE_MISSING",
      "The request has neither X-Service-Signature nor webhook-signature. Refuse it."
    )
  }
  return {
    body: [current, previous].filter((one) => one !== undefined),
    standard
  }
}

const counting = new Set([
  "x-service-signature",
  "x-service-signature-previous",
  "webhook-id",
  "webhook-timestamp",
  "webhook-signature"
])

const collect = (headers: HeadersLike): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const pairs = Symbol.iterator in headers ? headers : Object.entries(headers)
  for (const [written, value] of pairs as Iterable<readonly [string, unknown]>) {
    const name = written.toLowerCase()
    if (!counting.has(name) || value === undefined) continue
    for (const one of Array.isArray(value) ? value : [value]) {
      if (found.has(name)) {
        throw new WebhookError("HEADER_REPEATED", `The header ${name} came more than once.`)
      }
      found.set(name, String(one))
    }
  }
  return found
}

const malformed = (name: string): WebhookError =>
  new WebhookError(
    "HEADER_MALFORMED",
    `The header ${name} is not in the form that the service sends. Two of one name joined by a comma look like this too.`
  )

const bodySignature = (given: ReadonlyMap<string, string>, name: string): Bytes | undefined => {
  const value = given.get(name)
  if (value === undefined) return undefined
  const hex = /^sha256=([0-9a-f]{64})$/.exec(value)?.[1]
  if (hex === undefined) throw malformed(name)
  return Uint8Array.from({ length: 32 }, (_, index) =>
    Number.parseInt(hex.slice(2 * index, 2 * index + 2), 16)
  )
}

const standardHeaders = (given: ReadonlyMap<string, string>): StandardHeaders | undefined => {
  const id = given.get("webhook-id")
  const timestamp = given.get("webhook-timestamp")
  const signature = given.get("webhook-signature")
  if (id === undefined && timestamp === undefined && signature === undefined) return undefined
  if (id === undefined || timestamp === undefined || signature === undefined) {
    throw new WebhookError(
      "SIGNATURE_MISSING",
      "The headers webhook-id, webhook-timestamp and webhook-signature come together, and one is missing."
    )
  }
  // A dot in the id would let its end and the time's beginning be moved about under one signature.
  if (!/^[\x21-\x2d\x2f-\x7e]{1,255}$/.test(id)) throw malformed("webhook-id")
  if (!/^[1-9]\d{0,11}$/.test(timestamp)) throw malformed("webhook-timestamp")
  const signatures = signature.split(" ").flatMap((one) => {
    const parts = /^(v\d+[a-z]?),([A-Za-z0-9+/]+={0,2})$/.exec(one)
    if (parts?.[2] === undefined) throw malformed("webhook-signature")
    const bytes = parts[1] === "v1" ? fromBase64(parts[2]) : undefined
    return bytes === undefined ? [] : [bytes]
  })
  return { id, timestamp, signatures }
}

/** The bytes behind base64; undefined for what is none, and for another spelling of the same bytes. */
export const fromBase64 = (text: string): Bytes | undefined => {
  try {
    const binary = atob(text)
    return btoa(binary) === text
      ? Uint8Array.from(binary, (character) => character.charCodeAt(0))
      : undefined
  } catch {
    return undefined
  }
}
