import type { BankProfile } from "./bacen/BankProfile.ts"
import type { Voice } from "./bacen/Callbacks.ts"
import { bacenVoice } from "./bacen/Callbacks.ts"
import type { ReturnTaken } from "./bacen/PixRoutes.ts"
import type { Webhook, WebhookTrial } from "./bacen/WebhookRoutes.ts"
import { webhookTrial } from "./bacen/WebhookTrials.ts"
import type { Courier } from "./callbacks/Courier.ts"
import type { PostOptions } from "./callbacks/Post.ts"
import type { Route } from "./door/Exchange.ts"
import type { FakeBankOptions } from "./FakeBank.ts"
import type { Inspector } from "./openapi/Findings.ts"
import { returnNamed, settleReturn } from "./world/Returns.ts"
import type { World } from "./world/World.ts"

/** What a bank has besides the Central Bank's API. */
export interface OwnWays {
  readonly routes: ReadonlyArray<Route>
  readonly voice: Voice
  readonly trial: WebhookTrial
  readonly onReturnTaken: ReturnTaken
}

export interface OwnWaysParts {
  readonly options: FakeBankOptions
  readonly profile: BankProfile
  readonly world: World
  readonly webhooks: ReadonlyMap<string, Webhook>
  readonly courier: Courier
  readonly inspector: Inspector
  readonly connection: () => Pick<PostOptions, "certificate" | "trust">
}

export const ownWays = (parts: OwnWaysParts): OwnWays => {
  const { connection, inspector, options, profile, webhooks, world } = parts
  const { plainCallbacks = false, settlesAfterMillis } = options
  const voice = bacenVoice(profile, webhooks)
  return {
    routes: [],
    voice: (event) => {
      const callbacks = voice(event)
      callbacks.forEach(({ body }) => inspector.callback(body))
      return callbacks
    },
    trial: webhookTrial({ profile, plainCallbacks, connection }),
    onReturnTaken: (payment, id) => {
      if (settlesAfterMillis === undefined) return
      world.clock.later(settlesAfterMillis, () => {
        const { back } = returnNamed(world, id, payment.endToEndId)
        if (back.status === "EM_PROCESSAMENTO") settleReturn(world, payment, back, "DEVOLVIDO")
      })
    }
  }
}
