import { WebhookTransport } from "@pagora/core"
import { Effect, Layer } from "effect"

/** Webhooks that go to the log instead of the network. */
export const loggedWebhooks: Layer.Layer<WebhookTransport> = Layer.succeed(WebhookTransport, {
  send: ({ body, url }) =>
    Effect.as(Effect.log(`${url} ${body}`), {
      _tag: "Answered",
      status: 200,
      durationMillis: 0
    } as const),
  refusal: () => undefined
})
