import type { PspFinding } from "@pagora/core"
import { finding, toPrepare } from "@pagora/core/psp"
import { Effect, Result, Schema } from "effect"
import type { BankDesk } from "../BankDesk.ts"
import type { CallbackProof } from "../callbacks/CallbackProof.ts"
import { callbackUrl, withoutProof } from "../callbacks/CallbackProof.ts"
import { whyNot } from "./Findings.ts"

const Registered = Schema.Struct({ webhookUrl: Schema.String })
const registeredOf = Schema.decodeUnknownResult(Registered)

/** The address at which the bank tells of payments to our key: `PUT` and `GET /webhook/{chave}`. */
export interface Webhook {
  readonly register: (webhookUrl: string) => Effect.Effect<PspFinding>
  /** `webhookUrl` is where it should be, where that is known. */
  readonly check: (webhookUrl: string | undefined) => Effect.Effect<PspFinding>
}

const name = "webhook"

export const makeWebhook = (
  { http, pixKey, profile }: BankDesk,
  proof: CallbackProof | undefined
): Webhook => {
  const path = `${profile.paths.webhook}/${encodeURIComponent(pixKey)}`
  const { skipMutualTls } = profile.callbacks
  const skip =
    skipMutualTls === undefined ? {} : { [skipMutualTls]: String(proof?.by === "secret") }

  return {
    register: (webhookUrl) =>
      proof === undefined
        ? Effect.succeed(finding(name, "failed", unproved))
        : Effect.map(
            http.call({
              kind: "putWebhook",
              scope: "webhook",
              method: "PUT",
              path,
              headers: skip,
              body: { webhookUrl: callbackUrl(webhookUrl, proof) }
            }),
            (heard) =>
              heard._tag === "Answered"
                ? finding(name, "ok", `The bank tells of payments at ${webhookUrl}.`)
                : finding(
                    name,
                    "failed",
                    `The bank did not take the webhook (${withoutProof(whyNot(heard), proof)}). It must reach ${webhookUrl} from outside, with a certificate of a public authority, and be answered 200.`
                  )
          ),

    check: (webhookUrl) =>
      Effect.map(
        http.call({ kind: "getWebhook", scope: "webhook", method: "GET", path }),
        (heard) => {
          if (proof === undefined) return finding(name, "warning", unproved)
          if (heard._tag === "Refused" && heard.isMissing)
            return finding(name, "failed", `No webhook is registered for the key: ${toPrepare}.`)
          if (heard._tag !== "Answered")
            return finding(
              name,
              "warning",
              `Whether a webhook is registered is not known: ${withoutProof(whyNot(heard), proof)}.`
            )
          const registered = Result.getOrUndefined(registeredOf(heard.json))
          if (registered === undefined || registered.webhookUrl === "")
            return finding(name, "failed", `No webhook is registered for the key: ${toPrepare}.`)
          if (!isOurs(registered.webhookUrl, proof))
            return finding(
              name,
              "failed",
              `The registered webhook has not our secret: ${toPrepare}.`
            )
          return isElsewhere(registered.webhookUrl, webhookUrl, proof)
            ? finding(name, "failed", elsewhere(registered.webhookUrl, webhookUrl))
            : finding(name, "ok", "A webhook is registered for the key.")
        }
      )
  }
}

/** Whether the bank calls another address than it should. Nothing is said where that is not known. */
export const isElsewhere = (
  registered: string,
  webhookUrl: string | undefined,
  proof: CallbackProof | undefined
): webhookUrl is string =>
  webhookUrl !== undefined && !isSameUrl(registered, callbackUrl(webhookUrl, proof))

const isSameUrl = (one: string, other: string): boolean =>
  URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href

/** A secret would stand in the query. */
export const elsewhere = (registered: string, webhookUrl: string): string =>
  `The bank calls ${registered.split("?")[0]}, which is not ${webhookUrl}: ${toPrepare}.`

const unproved =
  "Nothing is told by which callbacks are known to be of the bank (`callbacks`), so none would be taken: payments are found by asking alone."

/** Whether what the bank calls would be taken for its own. */
const isOurs = (registered: string, proof: CallbackProof): boolean => {
  if (proof.by !== "secret") return true
  const query = callbackUrl("https://host.example/", proof).split("?")[1] ?? ""
  return registered.endsWith(query)
}
