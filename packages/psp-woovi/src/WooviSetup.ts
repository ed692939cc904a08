import type { PspFinding } from "@pagora/core"
import * as Psp from "@pagora/core/psp"
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
export const makeSetup = ({ order }: Psp.JsonApi, publicKeys: ReadonlyArray<string>) => {
  const untold = (url?: string) => {
    const read = (answer: Psp.Fields) => {
      const active = answer.list("webhooks").filter((one) => one.isTrue("isActive"))
      const ours = active.filter((one) => url === undefined || one.text("url") === url)
      const told = ours.map((one) => one.text("event"))
      return events.filter((event) => !told.includes(event))
    }
    return order(read, "GET", url ? `/webhook?url=${encodeURIComponent(url)}` : "/webhook")
  }

  const webhooks = Effect.map(untold(), (missing) => [
    Psp.finding("credential", "ok", "Woovi takes the AppID."),
    missing.length === 0
      ? Psp.finding("webhook", "ok", "Woovi tells of all that Pagora asks about.")
      : Psp.finding("webhook", "warning", `No webhook for ${missing.join(", ")}: ${Psp.toPrepare}.`)
  ]).pipe(or("credential", "failed", "Woovi does not take the AppID", newAppId))

  const known = new Set(publicKeys.map(der))
  const read = (answer: Psp.Fields) => answer.list("public_keys").map((one) => der(one.text("key")))
  const keys = Effect.map(order(read, "GET", "/webhook/public-keys"), (all) => [
    all.every((key) => known.has(key))
      ? Psp.finding(signing, "ok", "Callbacks are verified by each key that Woovi publishes.")
      : Psp.finding(signing, "failed", "Woovi publishes a key that publicKeys lacks: add it.")
  ]).pipe(or(signing, "warning", "Woovi's keys are not told", "check the PSP again"))

  const register = (url: string) =>
    Effect.flatMap(untold(url), (missing) =>
      Effect.forEach(missing, (event) => {
        const webhook = { name: `Pagora ${event}`, event, url, isActive: true }
        return order(() => event, "POST", "/webhook", { webhook })
      })
    )

  return Psp.someCalls({
    check: () => Effect.map(Effect.all([webhooks, keys]), (all) => all.flat()),
    prepare: ({ webhookUrl: url }) =>
      Effect.as(register(url), [
        Psp.finding("webhook", "ok", `${events.length} events are told to ${url}.`)
      ]).pipe(or("webhook", "failed", "Woovi did not take a webhook", toAnswer(url)))
  })
}

const signing = "signing-keys"
const newAppId = "take one of type API of this environment, from its panel"
const toAnswer = (url: string) =>
  `Woovi must reach ${url}, and be answered 200; then ${Psp.toPrepare}`

/** What is found where nobody could look: why, and what to do. */
const or = (name: string, state: PspFinding["state"], what: string, toDo: string) =>
  Effect.catch((outcome: Psp.NotDone) => {
    const why = outcome._tag === "Rejected" ? outcome.message : outcome.detail
    return Effect.succeed([Psp.finding(name, state, `${what} (${why}): ${toDo}.`)])
  })

/** One key may be written in more than one way. */
const der = (key: string): string =>
  createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64")
