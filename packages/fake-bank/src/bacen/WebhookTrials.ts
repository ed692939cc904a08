import type { PostOptions } from "../callbacks/Post.ts"
import { post } from "../callbacks/Post.ts"
import { Refused } from "../door/Exchange.ts"
import type { BankProfile } from "./BankProfile.ts"
import type { WebhookTrial } from "./WebhookRoutes.ts"

export interface WebhookTrialOptions {
  readonly profile: BankProfile
  readonly plainCallbacks: boolean
  readonly connection: () => Pick<PostOptions, "certificate" | "trust">
}

/**
 * How an address is tried before it is taken (EFI-HOOK): one request without a certificate, which must be refused, unless
 * `x-skip-mtls-checking` says otherwise, and one with, which must be answered 2xx. Both go to the address itself, without `/pix`.
 * Banks that do not try take any.
 */
export const webhookTrial = (options: WebhookTrialOptions): WebhookTrial => {
  const { connection, plainCallbacks, profile } = options
  return async ({ headers }, url) => {
    const isPlain = url.startsWith("http:")
    if (isPlain && !plainCallbacks) {
      return refused("A URL do webhook deve usar o protocolo HTTPS", "valor_invalido")
    }
    if (!profile.triesWebhooks) return undefined
    const request = {
      url,
      body: JSON.stringify({ evento: "teste_webhook" }),
      timeoutMillis: profile.callbacks.timeoutMillis
    }
    const { certificate, trust } = connection()
    if (headers["x-skip-mtls-checking"] !== "true" && !isPlain) {
      const naked = await post({ ...request, trust })
      if ("status" in naked && naked.status < 400) {
        return refused("A autenticação de TLS mútuo não está configurada na URL informada")
      }
    }
    const shown = await post({
      ...request,
      trust,
      ...(certificate === undefined ? {} : { certificate })
    })
    if ("failure" in shown) {
      return refused(`A requisição na URL informada falhou com o erro: ${shown.failure}`)
    }
    const isTaken = shown.status >= 200 && shown.status < 300
    return isTaken
      ? undefined
      : refused(`A URL informada respondeu com o código HTTP ${shown.status}`)
  }
}

const refused = (detail: string, code = "webhook_invalido") =>
  new Refused({ status: 400, type: "WebhookOperacaoInvalida", code, detail })
