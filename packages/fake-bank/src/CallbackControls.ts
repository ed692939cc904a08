import type { Webhook } from "./bacen/WebhookRoutes.ts"
import type { BankProfile } from "./bacen/BankProfile.ts"
import type { Courier } from "./callbacks/Courier.ts"
import { post } from "./callbacks/Post.ts"
import type { CallbackControls } from "./FakeBank.ts"
import type { BankCertificates } from "./tls/BankCertificates.ts"

export interface CallbackControlsParts {
  readonly certificates: BankCertificates
  readonly courier: Courier
  readonly trust: ReadonlyArray<string>
  readonly webhooks: ReadonlyMap<string, Webhook>
  readonly profile: BankProfile
}

export const makeCallbackControls = (parts: CallbackControlsParts): CallbackControls => {
  const { certificates, courier, profile, trust, webhooks } = parts
  const shown = {
    stranger: () => certificates.forgeCallback(),
    nothing: async () => undefined,
    bank: async () => certificates.callback
  }
  return {
    all: courier.all,
    idle: courier.idle,
    ca: certificates.callbackCa,
    receiver: certificates.receiver,
    webhooks,
    forge: async (url, body, shows = "stranger") => {
      const certificate = await shown[shows]()
      const { timeoutMillis } = profile.callbacks
      const request = { url, body: JSON.stringify(body), trust, timeoutMillis }
      return post(certificate === undefined ? request : { ...request, certificate })
    }
  }
}
