import type { PspShape } from "@pagora/core"
import { WebhookTransport } from "@pagora/core"
import { WebhookTransportNode } from "@pagora/core/node"
import { Effect, Latch, Layer } from "effect"
import { memoryPsp } from "../MemoryPsp.ts"
import { answering } from "./Asked.ts"

/** What a way's process says when it serves: where, and as whom it may be used. */
export interface Shop {
  readonly baseUrl: string
  readonly account: string
  readonly clientId: string
  readonly clientSecret: string
  /** What the PSP proves by that a notice is its own. */
  readonly pspSecret: string
}

/** The account that is measured: the same terms as the plain service's (plain/main.ts). */
export const account = {
  name: "Loja Azul",
  fees: { payment: { percent: 1 }, withdrawal: { fixed: 0.5 } }
}

/** Enough for every withdrawal of a run. */
export const funds = { amount: 100_000_000, reason: "Funds for the withdrawals of a run" }

/** As much as the plain service's credential may do. */
export const credential = { permissions: ["FULL_ACCESS"] as const }

const pspId = "00000000-0000-7000-8000-0000000000b2"

/** Where Pagora takes notices of that PSP. */
export const noticesPath = `/psp/${pspId}/webhook`

export const pspSecret = "a secret of a PSP that lives in the memory of its client"

/** The PSPs of a deployment: one in memory. */
export const psp = (): {
  readonly default: string
  readonly psps: Readonly<Record<string, PspShape>>
} => ({ default: pspId, psps: { [pspId]: memoryPsp(pspSecret).shape } })

/** Pagora's own way to receivers, also to those of this machine, where nothing is sent while the bench holds it. */
export const transport = (): Layer.Layer<WebhookTransport> => {
  const gate = Latch.makeUnsafe(true)
  answering({ hold: () => gate.closeUnsafe(), release: () => gate.openUnsafe() })
  return Layer.effect(
    WebhookTransport,
    Effect.map(WebhookTransport, (node) =>
      WebhookTransport.of({
        ...node,
        send: (request) => gate.whenOpen(node.send(request))
      })
    )
  ).pipe(Layer.provide(WebhookTransportNode.layer({ allowLoopbackHttp: true })))
}
