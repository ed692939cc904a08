import type { PspFinding, PspShape } from "@pagora/core"
import { Effect, Schema } from "effect"
import { createPublicKey } from "node:crypto"
import type { NotDone, Order } from "./WooviCalls.ts"

/** What Pagora asks about when it is told (`WebhookEventEnum` of the openapi). */
const events = [
  "OPENPIX:CHARGE_COMPLETED",
  "OPENPIX:CHARGE_COMPLETED_NOT_SAME_CUSTOMER_PAYER",
  "OPENPIX:TRANSACTION_RECEIVED",
  "OPENPIX:MOVEMENT_CONFIRMED",
  "OPENPIX:MOVEMENT_FAILED",
  "PIX_TRANSACTION_REFUND_SENT_CONFIRMED",
  "PIX_TRANSACTION_REFUND_SENT_REJECTED",
  "OPENPIX:DISPUTE_CREATED",
  "OPENPIX:DISPUTE_ACCEPTED",
  "OPENPIX:DISPUTE_REJECTED",
  "OPENPIX:DISPUTE_CANCELED"
]

const Webhook = Schema.Struct({
  url: Schema.String,
  event: Schema.String,
  isActive: Schema.Boolean
})
const Webhooks = Schema.Struct({ webhooks: Schema.Array(Webhook) })
const Keys = Schema.Struct({ public_keys: Schema.Array(Schema.Struct({ key: Schema.String })) })

/** What callbacks need: a credential that counts, a webhook for each event, and the keys that they are signed with. */
export const makeSetup = (
  order: Order,
  publicKeys: ReadonlyArray<string>
): Required<Pick<PspShape, "check" | "prepare">> => {
  const missing = (url?: string) =>
    Effect.map(
      order(
        Webhooks,
        "GET",
        url === undefined ? "/webhook" : `/webhook?url=${encodeURIComponent(url)}`
      ),
      ({ webhooks }) => {
        const told = webhooks.filter(
          (one) => one.isActive && (url === undefined || one.url === url)
        )
        return events.filter((event) => !told.some((one) => one.event === event))
      }
    )

  const webhooks: Effect.Effect<ReadonlyArray<PspFinding>> = Effect.match(missing(), {
    onFailure: (outcome) => [
      finding(
        "credential",
        "failed",
        `Woovi does not take the AppID in this environment: ${why(outcome)}.`
      )
    ],
    onSuccess: (events) => [
      finding("credential", "ok", "Woovi takes the AppID."),
      events.length === 0
        ? finding("webhook", "ok", "Woovi tells of all that Pagora asks about.")
        : finding("webhook", "warning", `No webhook for ${events.join(", ")}: prepare the PSP.`)
    ]
  })

  const known = new Set(publicKeys.map(der))
  const keys = Effect.match(order(Keys, "GET", "/webhook/public-keys"), {
    onFailure: (outcome) =>
      finding("signing-keys", "warning", `Woovi's keys are not told: ${why(outcome)}.`),
    onSuccess: ({ public_keys }) =>
      public_keys.every(({ key }) => known.has(der(key)))
        ? finding("signing-keys", "ok", "Callbacks are verified by each key that Woovi publishes.")
        : finding(
            "signing-keys",
            "failed",
            "Woovi publishes a key that is not in publicKeys: add it."
          )
  })

  return {
    check: () => Effect.map(Effect.all([webhooks, keys]), ([found, key]) => [...found, key]),
    prepare: ({ webhookUrl: url }) =>
      Effect.gen(function* () {
        for (const event of yield* missing(url)) {
          const webhook = { name: `Pagora ${event}`, event, url, isActive: true }
          yield* order(Schema.Json, "POST", "/webhook", { webhook })
        }
        return [finding("webhook", "ok", `${events.length} events are told to ${url}.`)]
      }).pipe(
        Effect.catch((outcome) =>
          Effect.succeed([
            finding(
              "webhook",
              "failed",
              `Not registered, as its address must answer: ${why(outcome)}.`
            )
          ])
        )
      )
  }
}

const finding = (name: string, state: PspFinding["state"], message: string): PspFinding => ({
  name,
  state,
  message
})

const why = (outcome: NotDone): string =>
  outcome._tag === "Rejected" ? outcome.message : outcome.detail

/** One key may be written in more than one way. */
const der = (key: string): string =>
  createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64")
