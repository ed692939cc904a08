import type { Effect } from "effect"
import { Context } from "effect"

export interface OutboundRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * What came of a request to a customer's address.
 *
 * - `Answered`: any status came back; only 2xx counts as delivered.
 * - `Failed`: no usable answer; `reason` is one of a fixed set, so that nothing of an internal network can be
 *   read off it.
 * - `Blocked`: the address is not one we send to; trying again would not help.
 */
export type SendOutcome =
  | { readonly _tag: "Answered"; readonly status: number; readonly durationMillis: number }
  | {
      readonly _tag: "Failed"
      readonly reason: "timeout" | "dns" | "connection" | "tls" | "protocol"
      readonly durationMillis: number
    }
  | { readonly _tag: "Blocked"; readonly reason: "scheme" | "port" | "address" | "url" }

/**
 * The one door for every request to an address that a customer chose: POST, no redirects, ten seconds in
 * all, the answer's body thrown away.
 */
export class WebhookTransport extends Context.Service<
  WebhookTransport,
  {
    readonly send: (request: OutboundRequest) => Effect.Effect<SendOutcome>
    /** Whether an address may be registered at all, before any name is resolved. */
    readonly refusal: (url: string) => "scheme" | "port" | "address" | "url" | undefined
  }
>()("@pagora/core/ports/WebhookTransport") {}
