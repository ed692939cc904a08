import { Effect, Option, Redacted, Schema } from "effect"
import type { DeliveryId } from "../kernel/Ids.ts"

/** HMAC-SHA-256 of a text; a key that is a text counts by its UTF-8 bytes. */
export type Hmac = (
  key: Redacted.Redacted<string | Uint8Array>,
  text: string
) => Effect.Effect<Uint8Array>

/** One try to deliver an event. */
export interface Message {
  readonly delivery: DeliveryId
  readonly event: string
  readonly body: string
  /** When it is sent, by the real clock: receivers compare it with theirs. */
  readonly epochMillis: number
  readonly secret: Redacted.Redacted
  /** The secret before, while it is still honoured. */
  readonly previous?: Redacted.Redacted
}

/**
 * The headers of a delivery (spec, Delivery headers and Signature). During a rotation the new secret signs
 * `X-Service-Signature` and the one before `X-Service-Signature-Previous`. The same message is also signed as
 * Standard Webhooks define it, over its id and time, by every secret that is honoured.
 */
export const signedHeaders = Effect.fnUntraced(function* (
  hmac: Hmac,
  message: Message
): Effect.fn.Return<Readonly<Record<string, string>>> {
  const { body, delivery, epochMillis, event, previous, secret } = message
  const headers: Record<string, string> = {
    "Content-Type": "application/json",
    "User-Agent": "Service-Webhook/1.0",
    "X-Service-Event": event,
    "X-Service-Webhook-ID": delivery,
    "X-Service-Timestamp": String(epochMillis),
    "X-Service-Signature": yield* bodySignature(hmac, secret, body)
  }
  if (previous !== undefined) {
    headers["X-Service-Signature-Previous"] = yield* bodySignature(hmac, previous, body)
  }
  const timestamp = String(Math.floor(epochMillis / 1000))
  const keys = [secret, ...(previous === undefined ? [] : [previous])].flatMap(standardKey)
  if (keys.length > 0) {
    const signatures = yield* Effect.forEach(keys, (key) =>
      hmac(key, `${delivery}.${timestamp}.${body}`)
    )
    headers["webhook-id"] = delivery
    headers["webhook-timestamp"] = timestamp
    headers["webhook-signature"] = signatures.map((bytes) => `v1,${toBase64(bytes)}`).join(" ")
  }
  return headers
})

const bodySignature = (hmac: Hmac, secret: Redacted.Redacted, body: string) =>
  Effect.map(hmac(secret, body), (bytes) => `sha256=${toHex(bytes)}`)

type StandardKey = ReadonlyArray<Redacted.Redacted<Uint8Array>>
const standardKeys = new WeakMap<Redacted.Redacted, StandardKey>()

/** Standard Webhooks key with the bytes behind the prefix; a secret in another form has no such key. */
const standardKey = (secret: Redacted.Redacted): StandardKey => {
  const known = standardKeys.get(secret)
  if (known !== undefined) return known
  const made = Option.match(fromBase64(Redacted.value(secret).replace(/^whsec_/, "")), {
    onNone: () => [],
    onSome: (bytes) => [Redacted.make(bytes)]
  })
  standardKeys.set(secret, made)
  return made
}

const fromBase64 = Schema.decodeUnknownOption(Schema.Uint8ArrayFromBase64)
const toBase64 = Schema.encodeSync(Schema.Uint8ArrayFromBase64)
const toHex = Schema.encodeSync(Schema.Uint8ArrayFromHex)
