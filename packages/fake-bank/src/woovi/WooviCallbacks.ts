import { createHmac, createSign, generateKeyPairSync } from "node:crypto"
import type { WooviBook, WooviEvent, WooviWebhook } from "./WooviBook.ts"
import { eventShapes } from "./WooviShapes.ts"

/** A callback as it was made, whoever was told. */
export interface WooviCallback {
  readonly event: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Sends a callback: the status that it is answered with. */
export type SendCallback = (url: string, callback: WooviCallback) => Promise<number>

const newPair = () => {
  // Woovi's own key has as many bits.
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 1024 })
  return { privateKey, publicKey: publicKey.export({ type: "spki", format: "pem" }).toString() }
}

export const makeWooviKeys = () => {
  const pairs = [newPair()]
  const current = () => pairs.at(-1) ?? newPair()
  return {
    /** From now on another key signs; those before it stay published. */
    rotate: () => void pairs.push(newPair()),
    published: (): ReadonlyArray<string> => pairs.map(({ publicKey }) => publicKey),
    sign: (body: Uint8Array): string =>
      createSign("RSA-SHA256").update(body).sign(current().privateKey, "base64")
  }
}
export type WooviKeys = ReturnType<typeof makeWooviKeys>

/** Signed as Woovi signs: by its key, and by the secret of the webhook that is told (docs/webhook/seguranca). */
const signed = (
  keys: WooviKeys,
  event: string,
  json: unknown,
  webhook?: WooviWebhook
): WooviCallback => {
  const body = Buffer.from(JSON.stringify(json))
  const hmac = createHmac("sha1", webhook?.hmacSecretKey ?? "")
    .update(body)
    .digest("base64")
  const { authorization } = webhook ?? {}
  const headers = {
    "content-type": "application/json",
    "x-webhook-signature": keys.sign(body),
    "x-openpix-signature": hmac,
    ...(authorization === undefined ? {} : { authorization })
  }
  return { event, headers, body }
}

/** Makes the callbacks of what happens, and sends each to the webhooks that want it. */
export const makeWooviCallbacks = (keys: WooviKeys, send: SendCallback) => {
  const made: Array<WooviCallback> = []
  const underWay = new Set<Promise<unknown>>()

  const post = (webhook: WooviWebhook, event: string, json: unknown) => {
    const sending = send(webhook.url, signed(keys, event, json, webhook)).catch(() => 0)
    underWay.add(sending)
    void sending.finally(() => underWay.delete(sending))
  }

  return {
    /** All that were made, in their order. */
    made,
    tell: (book: WooviBook, told: WooviEvent) => {
      for (const { event, ...rest } of eventShapes(book, told)) {
        const json = { event, ...rest }
        made.push(signed(keys, event, json))
        for (const webhook of book.webhooks)
          if (webhook.isActive && webhook.event === event) post(webhook, event, json)
      }
    },
    /** What a new webhook is sent (docs/webhook/webhook-test). */
    test: (webhook: WooviWebhook, now: Date) => {
      const { event } = webhook
      post(webhook, event, { data_criacao: now.toISOString(), evento: "teste_webhook", event })
    },
    /** Until all that was sent is answered. */
    idle: async () => {
      while (underWay.size > 0) await Promise.all(underWay)
    }
  }
}
