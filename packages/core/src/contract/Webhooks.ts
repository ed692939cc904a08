import { eventMeanings } from "../webhooks/EventSchemas.ts"
import { eventTypes } from "../webhooks/EventTypes.ts"
import type { Parameter } from "./OpenApiDocument.ts"
import type { Schemas } from "./SchemaText.ts"
import { exampleOf } from "./SchemaText.ts"

/** Parameters that many endpoints share. */
export const parameters: Readonly<Record<string, Parameter>> = {
  "X-Sub-Account": {
    name: "X-Sub-Account",
    in: "header",
    required: false,
    description:
      "The reference of the sub-account to act on; absent or `principal`: the main account. The credential needs sub-account access.",
    schema: { type: "string", pattern: "^[a-z0-9][a-z0-9_-]{1,31}$", examples: ["loja-2"] }
  },
  "Idempotency-Key": {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "Makes it safe to send the request again: for 24 hours the same key with the same body gets the first answer again, with `Idempotent-Replayed: true`. With another body it is 422.",
    schema: {
      type: "string",
      minLength: 8,
      maxLength: 255,
      pattern: "^[\\x20-\\x7e]{8,255}$",
      examples: ["order-1001-charge"]
    }
  }
}

/** Headers of answers, by name. Those of rate limits come only where limits are on. */
export const responseHeaders = {
  "RateLimit-Policy": {
    description:
      "The limits that count for this request: requests (`q`) in a window of seconds (`w`).",
    schema: { type: "string", examples: ['"default";q=600;w=60'] }
  },
  RateLimit: {
    description: "What is left of them (`r`), and in how many seconds all is (`t`).",
    schema: { type: "string", examples: ['"default";r=599;t=1'] }
  },
  "Retry-After": {
    description: "Seconds to wait.",
    required: true,
    schema: { type: "integer", minimum: 1, examples: [3] }
  },
  /** The same header, of an answer that need not have it. */
  "Retry-After-If-Known": {
    description:
      "Seconds to wait. There where the payment institution has asked to be left alone, or is left alone because it keeps silent.",
    schema: { type: "integer", minimum: 1, maximum: 3600, examples: [60] }
  },
  "WWW-Authenticate": {
    description: "How to make yourself known: with a bearer token.",
    required: true,
    schema: { type: "string", const: "Bearer" }
  },
  "Idempotent-Replayed": {
    description:
      "There when the answer is that of an earlier request with the same `Idempotency-Key`.",
    schema: { type: "string", enum: ["true"] }
  }
} as const

export const webhookTag = {
  name: "Webhooks",
  description:
    "What is sent to your endpoints. Answer 2xx quickly and work afterwards; anything else, a redirect too, is tried again: 5 attempts with growing waits, each with the same bytes. Deduplicate on `eventId`. Check `X-Service-Signature` over the raw body before you believe it."
}

const header = (
  name: string,
  description: string,
  example: string,
  required = true
): Parameter => ({
  name,
  in: "header",
  required,
  description,
  schema: { type: "string", examples: [example] }
})

/** Spec, Delivery headers; the last three are those of Standard Webhooks. */
const deliveryHeaders = (event: string): ReadonlyArray<Parameter> => [
  header("User-Agent", "The sender.", "Service-Webhook/1.0"),
  header("X-Service-Event", "The kind of event.", event),
  header(
    "X-Service-Webhook-ID",
    "The id of this delivery, the same in each of its attempts.",
    "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071"
  ),
  header(
    "X-Service-Signature",
    "`sha256=` and the hex HMAC-SHA256 of the raw body, keyed with the endpoint's secret. Compare it in constant time.",
    "sha256=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
  ),
  header("X-Service-Timestamp", "When it was sent: Unix epoch in milliseconds.", "1795262400000"),
  header(
    "X-Service-Signature-Previous",
    "While a secret is being rotated: the signature by the former one.",
    "sha256=…",
    false
  ),
  header("webhook-id", "As X-Service-Webhook-ID.", "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071"),
  header("webhook-timestamp", "When it was sent: Unix epoch in seconds.", "1795262400"),
  header("webhook-signature", "`v1,` and the base64 signature of Standard Webhooks.", "v1,…")
]

/** The section `webhooks` of the document: one operation of the receiver's for every kind of event. */
export const webhooks = (schemas: Schemas): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    eventTypes.map((type) => {
      const schema = { $ref: `#/components/schemas/${type}_event` }
      return [
        type,
        {
          post: {
            operationId: `on_${type}`.replaceAll(/_(\w)/g, (_, letter: string) =>
              letter.toUpperCase()
            ),
            tags: [webhookTag.name],
            summary: type,
            description: eventMeanings[type],
            parameters: deliveryHeaders(type),
            requestBody: {
              required: true,
              content: { "application/json": { schema, example: exampleOf(schema, schemas) } }
            },
            responses: {
              "2XX": { description: "Taken. The body is not read." },
              default: { description: "Not taken: it is sent again." }
            },
            security: []
          }
        }
      ]
    })
  )
