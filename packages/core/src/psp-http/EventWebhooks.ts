import { Effect } from "effect"
import type { PspPreparation } from "../ports/Psp.ts"
import type { Asked } from "./Asked.ts"
import type { Findings } from "./Findings.ts"
import { finding, orFinding, toPrepare } from "./Findings.ts"

export interface EventWebhooksOptions {
  /** The PSP, as people call it. */
  readonly provider: string
  /** By which the PSP knows us: `the AppID`. */
  readonly credential: string
  /** What to do where it does not take that. */
  readonly newCredential: string
  /** Those that tell of what Pagora asks about. */
  readonly events: ReadonlyArray<string>
  /** The webhooks that are active: of all addresses, or of one. Those of others may be among them. */
  readonly list: (url?: string) => Asked<ReadonlyArray<EventWebhook>>
  readonly register: (webhook: EventWebhook) => Asked<unknown>
}

export interface EventWebhook {
  readonly event: string
  readonly url: string
}

/** The webhooks of a PSP that is told an address for each event. */
export const eventWebhooks = (options: EventWebhooksOptions) => {
  const { credential, events, list, newCredential, provider, register } = options

  const missing = (url?: string) =>
    Effect.map(list(url), (webhooks) => {
      const told = webhooks.filter((one) => url === undefined || one.url === url)
      return events.filter((event) => told.every((one) => one.event !== event))
    })

  return {
    /** Whoever is told the webhooks has a credential that counts. */
    check: (): Effect.Effect<Findings> =>
      Effect.map(missing(), (lacking) => [
        finding("credential", "ok", `${provider} takes ${credential}.`),
        lacking.length === 0
          ? finding("webhook", "ok", `${provider} tells of all that Pagora asks about.`)
          : finding("webhook", "warning", `No webhook for ${lacking.join(", ")}: ${toPrepare}.`)
      ]).pipe(
        orFinding("credential", "failed", `${provider} does not take ${credential}`, newCredential)
      ),

    /** Registers those that are not there, so that it may be done again. */
    prepare: ({ webhookUrl: url }: PspPreparation): Effect.Effect<Findings> => {
      const registered = Effect.flatMap(missing(url), (lacking) =>
        Effect.forEach(lacking, (event) => register({ event, url }))
      )
      const all = finding("webhook", "ok", `${events.length} events are told to ${url}.`)
      const toAnswer = `${provider} must reach ${url}, and be answered 200; then ${toPrepare}`
      return Effect.as(registered, [all]).pipe(
        orFinding("webhook", "failed", `${provider} did not take a webhook`, toAnswer)
      )
    }
  }
}
