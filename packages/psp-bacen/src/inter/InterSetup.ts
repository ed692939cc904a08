import type { PspFinding } from "@pagora/core"
import { finding, toPrepare } from "@pagora/core/psp"
import { Clock, DateTime, Effect, Result, Schema } from "effect"
import type { BankDesk } from "../BankDesk.ts"
import type { CallbackProof } from "../callbacks/CallbackProof.ts"
import { callbackUrl, withoutProof } from "../callbacks/CallbackProof.ts"
import { whyNot } from "../setup/Findings.ts"
import { elsewhere, isElsewhere } from "../setup/Webhook.ts"
import { writeTime } from "../Words.ts"

const path = "/banking/v2/webhooks/pix-pagamento"
const name = "payout-webhook"

/** Inter tells of payouts at an address of its own (`PUT /banking/v2/webhooks/pix-pagamento`). */
export const prepareInter = (
  { http }: BankDesk,
  proof: CallbackProof | undefined,
  webhookUrl: string
): Effect.Effect<PspFinding> =>
  Effect.map(
    http.call({
      kind: "putPayoutWebhook",
      scope: "payoutWebhook",
      method: "PUT",
      path,
      body: { webhookUrl: callbackUrl(webhookUrl, proof) }
    }),
    (heard) =>
      heard._tag === "Answered"
        ? finding(name, "ok", `Inter tells of payouts at ${webhookUrl}.`)
        : finding(
            name,
            "failed",
            `Inter did not take the webhook for payouts: ${withoutProof(whyNot(heard), proof)}.`
          )
  )

const Registered = Schema.Struct({ webhookUrl: Schema.String })
const registeredOf = Schema.decodeUnknownResult(Registered)

export const checkInterWebhook = (
  { http }: BankDesk,
  proof: CallbackProof | undefined,
  webhookUrl: string | undefined
): Effect.Effect<PspFinding> =>
  Effect.map(
    http.call({ kind: "getPayoutWebhook", scope: "payoutWebhook", method: "GET", path }),
    (heard) => {
      if (heard._tag === "Answered") {
        const registered = Result.getOrUndefined(registeredOf(heard.json))?.webhookUrl
        return registered !== undefined && isElsewhere(registered, webhookUrl, proof)
          ? finding(name, "failed", elsewhere(registered, webhookUrl))
          : finding(name, "ok", "A webhook for payouts is registered.")
      }
      return heard._tag === "Refused" && heard.isMissing
        ? finding(name, "failed", `No webhook for payouts is registered: ${toPrepare}.`)
        : finding(
            name,
            "warning",
            `Whether a webhook for payouts is registered is not known: ${whyNot(heard)}.`
          )
    }
  )

const Log = Schema.Struct({
  data: Schema.Array(Schema.Struct({ sucesso: Schema.optionalKey(Schema.Boolean) }))
})
const logOf = Schema.decodeUnknownResult(Log)

/** What Inter says of the callbacks of the last day (`GET /pix/v2/webhook/callbacks`). */
export const checkInterDeliveries = ({ http, profile }: BankDesk): Effect.Effect<PspFinding> =>
  Effect.gen(function* () {
    const now = DateTime.makeUnsafe(yield* Clock.currentTimeMillis)
    const heard = yield* http.call({
      kind: "listCallbacks",
      scope: "webhook",
      method: "GET",
      path: `${profile.paths.webhook}/callbacks`,
      query: {
        dataHoraInicio: writeTime(DateTime.subtract(now, { days: 1 })),
        dataHoraFim: writeTime(now)
      }
    })
    const log = heard._tag === "Answered" ? Result.getOrUndefined(logOf(heard.json)) : undefined
    if (log === undefined)
      return finding(
        "deliveries",
        "warning",
        `The log of callbacks cannot be read: ${whyNot(heard)}.`
      )
    const failed = log.data.filter(({ sucesso }) => sucesso === false).length
    return failed === 0
      ? finding("deliveries", "ok", "No callback of the last day has failed.")
      : finding("deliveries", "warning", `${failed} callbacks of the last day did not reach us.`)
  })
