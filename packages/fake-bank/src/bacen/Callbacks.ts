import type { NewCallback } from "../callbacks/Courier.ts"
import { toReais } from "../world/Centavos.ts"
import type { Payment } from "../world/Payment.ts"
import type { WorldEvent } from "../world/World.ts"
import type { BankProfile } from "./BankProfile.ts"
import { paymentView } from "./Views.ts"
import type { Webhook } from "./WebhookRoutes.ts"

/** What a bank tells its customers when something happens. */
export type Voice = (event: WorldEvent) => ReadonlyArray<NewCallback>

/** Where a callback goes: the bank adds its suffix to the text of the address, whatever that ends in. */
export const callbackUrl = ({ callbacks }: BankProfile, { url }: Webhook): string =>
  `${url}${callbacks.suffix}`

/** What the Central Bank's file has banks tell: of payments, and of what of them goes back. */
export const bacenVoice =
  (
    profile: BankProfile,
    webhooks: ReadonlyMap<string, Webhook>,
    view: (payment: Payment) => Readonly<Record<string, unknown>> = paymentView
  ): Voice =>
  (event) => {
    if (event.type !== "payment_received" && event.type !== "return_changed") return []
    const { payment } = event
    const webhook = webhooks.get(payment.key)
    if (webhook === undefined) return []
    const pix = view(payment)
    return [
      {
        kind: "pix",
        url: callbackUrl(profile, webhook),
        body: { pix: [pix] },
        misquoted: { pix: [{ ...pix, valor: toReais(payment.centavos + 1) }] }
      }
    ]
  }
