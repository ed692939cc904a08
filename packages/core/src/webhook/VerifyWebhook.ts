import type { eventSchemas } from "../webhooks/EventSchemas.ts"
import type { Bytes, HeadersLike } from "./DeliveryHeaders.ts"
import { deliveryHeaders, fromBase64 } from "./DeliveryHeaders.ts"
import { WebhookError } from "./WebhookError.ts"

/** The bodies of deliveries by their kind; amounts are numbers in BRL, times RFC 3339 texts in UTC. */
export type WebhookEvents = {
  readonly [Kind in keyof typeof eventSchemas]: (typeof eventSchemas)[Kind]["Type"]
}

/**
 * An event, told apart by `event`. A newer service may send kinds that this version does not name: a receiver
 * answers 2xx to what it does not know, or asks for the kinds that it wants at its endpoint.
 */
export type WebhookEvent = WebhookEvents[keyof WebhookEvents]

export interface VerifyOptions {
  /** The body exactly as it arrived. What was parsed and written again has other bytes, and does not verify. */
  readonly body: string | Uint8Array
  readonly headers: HeadersLike
  /** The secret of the endpoint, as it was shown at its creation. Several while one replaces another. */
  readonly secret?: string | undefined
  readonly secrets?: ReadonlyArray<string>
  /** Seconds that a signed time may differ from the clock. 300 unless told. */
  readonly toleranceSeconds?: number
  /**
   * Takes only deliveries whose time is signed, so that a recorded one cannot be sent again later. The service
   * signs the time of all deliveries, unless the secret was chosen by somebody and is not `whsec_` and base64.
   */
  readonly requireSignedTimestamp?: boolean
  /** The time, in milliseconds since 1970; the clock of the machine unless told. */
  readonly now?: number
}

const toleranceDefault = 300

/**
 * Checks that a delivery comes from the service and answers its event; throws a `WebhookError` otherwise.
 *
 * Two schemes sign a delivery, and each that is there must hold. `X-Service-Signature` covers the body and
 * nothing else: neither `X-Service-Timestamp` nor any other header, so it cannot tell a recorded delivery from a
 * fresh one. `webhook-signature` (Standard Webhooks) covers the id, the time and the body, and its time is held
 * against the clock. Either way an event can come more than once: deduplicate on `eventId`.
 *
 * Signatures are compared in constant time, by the platform's own HMAC.
 */
export const verifyWebhook = async (options: VerifyOptions): Promise<WebhookEvent> => {
  const keys = secretsOf(options)
  const body = bytesOf(options.body)
  const { body: signatures, standard } = deliveryHeaders(options.headers)
  if (signatures.length > 0) {
    await mustMatch(keys.map(utf8), signatures, body)
  }
  if (standard !== undefined) {
    const { id, timestamp } = standard
    const signed = joined(utf8(`${id}.${timestamp}.`), body)
    await mustMatch(keys.flatMap(standardKey), standard.signatures, signed)
    checkTime(Number(timestamp), options)
  } else if (options.requireSignedTimestamp === true) {
    throw new WebhookError(
      "TIMESTAMP_UNSIGNED",
      "Only the body of this delivery is signed, so nothing tells when it was sent."
    )
  }
  return parse(body)
}

const secretsOf = ({ secret, secrets = [] }: VerifyOptions): ReadonlyArray<string> => {
  const all = secret === undefined ? secrets : [secret, ...secrets]
  if (all.length === 0 || all.some((one) => typeof one !== "string" || one === "")) {
    throw new WebhookError(
      "SECRET_MISSING",
      "Pass the secret of the webhook endpoint, and no empty one: is its environment variable set?"
    )
  }
  return all
}

const bytesOf = (body: unknown): Bytes => {
  if (typeof body === "string") return utf8(body)
  if (body instanceof Uint8Array) return Uint8Array.from(body)
  throw new WebhookError(
    "BODY_NOT_RAW",
    "Pass the raw body of the request, as text or bytes. A body parser changed it before it came here: use express.raw or its like on this route."
  )
}

const utf8 = (text: string): Bytes => Uint8Array.from(new TextEncoder().encode(text))

const joined = (first: Bytes, second: Bytes): Bytes => {
  const whole = new Uint8Array(first.length + second.length)
  whole.set(first)
  whole.set(second, first.length)
  return whole
}

const hmac = { name: "HMAC", hash: "SHA-256" } as const

const mustMatch = async (
  keys: ReadonlyArray<Bytes>,
  signatures: ReadonlyArray<Bytes>,
  message: Bytes
): Promise<void> => {
  let matches = false
  // All of them are tried, so that the time it takes does not tell which one fits.
  for (const raw of keys) {
    const key = await crypto.subtle.importKey("raw", raw, hmac, false, ["verify"])
    for (const signature of signatures) {
      matches = (await crypto.subtle.verify("HMAC", key, signature, message)) || matches
    }
  }
  if (!matches) {
    throw new WebhookError(
      "SIGNATURE_MISMATCH",
      "The signature is not of this body and this secret. Check that the body is raw, and that the secret is that of this endpoint."
    )
  }
}

/** The key of Standard Webhooks: the bytes behind the prefix. A secret in another form has none. */
const standardKey = (secret: string): ReadonlyArray<Bytes> => {
  const bytes = fromBase64(secret.replace(/^whsec_/, ""))
  return bytes === undefined || bytes.length === 0 ? [] : [bytes]
}

const checkTime = (seconds: number, { now, toleranceSeconds }: VerifyOptions): void => {
  const tolerance = toleranceSeconds ?? toleranceDefault
  // Written so that a tolerance that is no number lets nothing through.
  if (Math.abs((now ?? Date.now()) / 1000 - seconds) <= tolerance) return
  throw new WebhookError(
    "TIMESTAMP_OUT_OF_TOLERANCE",
    `The delivery was not signed within ${tolerance} seconds of now. Is the clock of this machine right?`
  )
}

const parse = (body: Bytes): WebhookEvent => {
  let event: unknown
  try {
    event = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))
  } catch {
    throw noEvent()
  }
  if (!isEvent(event)) throw noEvent()
  return event
}

const noEvent = (): WebhookError =>
  new WebhookError("BODY_MALFORMED", "The body is signed, but it is no event of this service.")

const isEvent = (value: unknown): value is WebhookEvent => {
  if (typeof value !== "object" || value === null) return false
  const { data, event, eventId, subAccount, timestamp } = value as Readonly<Record<string, unknown>>
  return (
    typeof event === "string" &&
    typeof eventId === "string" &&
    typeof timestamp === "string" &&
    (subAccount === null || typeof subAccount === "string") &&
    typeof data === "object" &&
    data !== null
  )
}
