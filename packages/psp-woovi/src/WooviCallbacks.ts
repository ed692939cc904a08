import * as Psp from "@pagora/core/psp"
import { Effect } from "effect"

/**
 * The key that Woovi signs the callbacks of all its customers with (docs/webhook/seguranca). It has 1,024 bits only; but nothing
 * of a callback is believed, other than that there is a reason to ask.
 */
export const wooviPublicKey = `-----BEGIN PUBLIC KEY-----
MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC/+NtIkjzevvqD+I3MMv3bLXDt
pvxBjY4BsRrSdca3rtAwMcRYYvxSnd7jagVLpctMiOxQO8ieUCKLSWHpsMAjO/zZ
WMKbqoG8MNpi/u3fp6zz0mcHCOSqYsPUUG19buW8bis5ZZ2IZgBObWSpTvJ0cnj6
HKBAA82Jln+lGwS1MwIDAQAB
-----END PUBLIC KEY-----
`

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

const provider = "Woovi"

/** A webhook for each event, the keys that callbacks are signed with, and what they name. */
export const makeCallbacks = ({ order }: Psp.JsonApi, publicKeys: ReadonlyArray<string>) => {
  const keys = Psp.publishedKeys({ provider, header: "x-webhook-signature", publicKeys })
  const webhooks = Psp.eventWebhooks({
    provider,
    credential: "the AppID",
    newCredential: "take one of type API of this environment, from its panel",
    events,
    list: (url) =>
      order(readWebhooks, "GET", url ? `/webhook?url=${encodeURIComponent(url)}` : "/webhook"),
    register: ({ event, url }) => {
      const webhook = { name: `Pagora ${event}`, event, url, isActive: true }
      return order(() => event, "POST", "/webhook", { webhook })
    }
  })
  const signing = keys.check(order(readKeys, "GET", "/webhook/public-keys"))

  return Psp.someCalls({
    check: () => Effect.map(Effect.all([webhooks.check(), signing]), (all) => all.flat()),
    prepare: webhooks.prepare,
    // What the events name, whichever they are (docs/webhook/examples).
    readNotification: Psp.readNotices(keys.isSigned, (event) => {
      const reference = event.textIf("charge.correlationID", "pix.charge.correlationID")
      return [
        Psp.isReference(reference)
          ? ["Charge", reference]
          : ["Payment", event.textIf("pix.endToEndId")],
        // Returns are told of without our reference to them, by the payment that goes back.
        ["Payment", event.textIf("originalTransaction.endToEndId")],
        ["Payout", event.textIf("payment.correlationID")],
        ["Infraction", event.textIf("dispute.endToEndId")]
      ]
    })
  })
}

const readWebhooks = (answer: Psp.Fields) => {
  const active = answer.listIf("webhooks").filter((one) => one.isTrue("isActive"))
  return active.map((one) => ({ event: one.text("event"), url: one.text("url") }))
}

const readKeys = (answer: Psp.Fields) => answer.listIf("public_keys").map((one) => one.text("key"))
