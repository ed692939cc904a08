import { layer } from "@effect/vitest"
import { WebhookTransport } from "@pagora/core"
import type { Layer } from "effect"
import { Duration, Effect } from "effect"
import { answerLaws, refusalLaws, requestLaws } from "./TransportLaws.ts"
import { troubleLaws } from "./TransportTroubleLaws.ts"

/**
 * The laws of a `WebhookTransport` as tests, for a test file of your own. `layer` gives your transport, built
 * so that it may send `http` to loopback, where the suite runs its receivers, and with the deadline that you
 * name: the shorter it is, the sooner the suite is done.
 */
export const transportContract = <E>(
  name: string,
  options: {
    readonly layer: Layer.Layer<WebhookTransport, E>
    readonly deadline: Duration.Input
  }
): void => {
  const deadlineMillis = Duration.toMillis(options.deadline)
  layer(options.layer, { excludeTestServices: true })(`transport contract: ${name}`, (it) => {
    for (const { law, title } of [...requestLaws, ...answerLaws, ...refusalLaws, ...troubleLaws]) {
      it.effect(title, () =>
        Effect.scoped(
          Effect.flatMap(WebhookTransport, (transport) => law({ transport, deadlineMillis }))
        )
      )
    }
  })
}
