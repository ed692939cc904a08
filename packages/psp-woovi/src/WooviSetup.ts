import type { PspFinding } from "@pagora/core"
import type { Asked, Fields, JsonApi, NotDone } from "@pagora/core/psp"
import { finding, someCalls } from "@pagora/core/psp"
import { Effect } from "effect"
import { createPublicKey } from "node:crypto"

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

/** What callbacks need: a credential that counts, a webhook for each event, and the keys that they are signed with. */
export const makeSetup = ({ order }: JsonApi, publicKeys: ReadonlyArray<string>) => {
  const untold = (url?: string) => {
    const read = (answer: Fields) => {
      const active = answer.list("webhooks").filter((one) => one.isTrue("isActive"))
      const ours = active.filter((one) => url === undefined || one.text("url") === url)
      const told = ours.map((one) => one.text("event"))
      return events.filter((event) => !told.includes(event))
    }
    return order(read, "GET", url ? `/webhook?url=${encodeURIComponent(url)}` : "/webhook")
  }

  const webhooks = found(
    untold(),
    "credential",
    "failed",
    "Woovi does not take the AppID in this environment",
    (events) => [
      finding("credential", "ok", "Woovi takes the AppID."),
      events.length === 0
        ? finding("webhook", "ok", "Woovi tells of all that Pagora asks about.")
        : finding("webhook", "warning", `No webhook for ${events.join(", ")}: prepare the PSP.`)
    ]
  )

  const known = new Set(publicKeys.map(der))
  const read = (answer: Fields) => answer.list("public_keys").map((one) => der(one.text("key")))
  const published = order(read, "GET", "/webhook/public-keys")
  const keys = found(published, "signing-keys", "warning", "Woovi's keys are not told", (all) => [
    all.every((key) => known.has(key))
      ? finding("signing-keys", "ok", "Callbacks are verified by each key that Woovi publishes.")
      : finding("signing-keys", "failed", "Woovi publishes a key that publicKeys lacks: add it.")
  ])

  const register = (url: string) =>
    Effect.flatMap(untold(url), (missing) =>
      Effect.forEach(missing, (event) => {
        const webhook = { name: `Pagora ${event}`, event, url, isActive: true }
        return order(() => event, "POST", "/webhook", { webhook })
      })
    )

  return someCalls({
    check: () => Effect.map(Effect.all([webhooks, keys]), (all) => all.flat()),
    prepare: ({ webhookUrl: url }) =>
      found(
        register(url),
        "webhook",
        "failed",
        "Not registered, as its address must answer",
        () => [finding("webhook", "ok", `${events.length} events are told to ${url}.`)]
      )
  })
}

/** What was found, or why it could not be looked at. */
const found = <A>(
  asked: Asked<A>,
  name: string,
  state: PspFinding["state"],
  otherwise: string,
  findings: (answer: A) => ReadonlyArray<PspFinding>
): Effect.Effect<ReadonlyArray<PspFinding>> =>
  Effect.match(asked, {
    onFailure: (outcome) => [finding(name, state, `${otherwise}: ${why(outcome)}.`)],
    onSuccess: findings
  })

const why = (outcome: NotDone): string =>
  outcome._tag === "Rejected" ? outcome.message : outcome.detail

/** One key may be written in more than one way. */
const der = (key: string): string =>
  createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64")
