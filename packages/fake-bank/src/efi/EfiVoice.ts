import type { Voice } from "../bacen/Callbacks.ts"
import { bacenVoice, callbackUrl } from "../bacen/Callbacks.ts"
import type { BankProfile } from "../bacen/BankProfile.ts"
import { personView, paymentView } from "../bacen/Views.ts"
import type { Webhook } from "../bacen/WebhookRoutes.ts"
import type { NewCallback } from "../callbacks/Courier.ts"
import { toReais } from "../world/Centavos.ts"
import type { Payment } from "../world/Payment.ts"
import type { Payout } from "../world/Payout.ts"
import { elsewhere } from "../world/World.ts"
import { extrasOf, payoutStatus } from "./EfiPayouts.ts"
import type { EfiSettings } from "./EfiSettings.ts"

/**
 * What Efí tells (EFI-HOOK): receipts as the Central Bank has them, with the payer where the settings say so, those without a txid
 * only where they say so, too; and how a Pix-out ended, to the address of the key that paid.
 */
export const efiVoice = (
  profile: BankProfile,
  webhooks: ReadonlyMap<string, Webhook>,
  settings: EfiSettings
): Voice => {
  const receipts = bacenVoice(profile, webhooks, (payment) => receiptView(payment, settings))
  return (event) => {
    if (event.type === "payout_changed") return payoutCallbacks(profile, webhooks, event.payout)
    if (event.type === "payment_received" && !isTold(event.payment, settings)) return []
    return receipts(event)
  }
}

const isTold = ({ key, txid }: Payment, settings: EfiSettings) =>
  txid !== undefined ||
  settings.of(key, "recebimento", "webhook", "notificar", "pixSemTxid") === true

const receiptView = (payment: Payment, settings: EfiSettings) => {
  const told = settings.of(payment.key, "recebimento", "webhook", "notificacao", "pagador")
  if (told !== true) return paymentView(payment)
  const { nome, ...document } = personView(payment.payer)
  const gnExtras = { pagador: { nome, ...document, codigoBanco: elsewhere } }
  return { ...paymentView(payment), gnExtras }
}

const payoutCallbacks = (
  profile: BankProfile,
  webhooks: ReadonlyMap<string, Webhook>,
  payout: Payout
): ReadonlyArray<NewCallback> => {
  const webhook = webhooks.get(payout.payingKey ?? "")
  const hasEnded = payoutStatus(payout) !== "EM_PROCESSAMENTO"
  if (webhook === undefined || !hasEnded) return []
  const view = (centavos: number) => ({
    pix: [
      {
        endToEndId: payout.endToEndId,
        chave: webhook.key,
        tipo: "SOLICITACAO",
        status: payoutStatus(payout),
        valor: toReais(centavos),
        horario: payout.settledAt?.toISOString() ?? null,
        ...(payout.message === undefined ? {} : { infoPagador: payout.message }),
        gnExtras: { idEnvio: payout.reference },
        ...extrasOf(payout)
      }
    ]
  })
  const url = callbackUrl(profile, webhook)
  const { centavos } = payout
  return [{ kind: "payout", url, body: view(centavos), misquoted: view(centavos + 1) }]
}
