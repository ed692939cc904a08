import type { Protocol } from "../door/Desk.ts"
import type { WorldRefusalReason } from "../world/World.ts"
import { chargeRoutes } from "./WooviCharges.ts"
import type { WooviOffice } from "./WooviOffice.ts"
import { payoutRoutes } from "./WooviPayouts.ts"
import { refundRoutes } from "./WooviRefunds.ts"
import { refused } from "./WooviRefusals.ts"
import { transactionRoutes } from "./WooviTransactions.ts"
import { webhookRoutes } from "./WooviWebhooks.ts"

/** Woovi's API, as its openapi describes it. */
export const wooviProtocol = (office: WooviOffice, appId: string): Protocol => ({
  routes: [
    ...chargeRoutes(office),
    ...transactionRoutes(office),
    ...refundRoutes(office),
    ...payoutRoutes(office),
    ...webhookRoutes(office)
  ],
  authorize: ({ headers }, { operation }) => {
    if (operation === "listSigningKeys" || headers["authorization"] === appId) return office.account
    throw refused("appID inválido", 401)
  },
  problem: ({ code, detail, status }) => ({
    status,
    body: { error: detail, ...(code === undefined ? {} : { errorCode: code }) }
  }),
  refusal: ({ message, reason }) => refused(words[reason] ?? message).problem,
  checkRequest: () => undefined,
  present: (answer) => answer,
  // An AppID has no end.
  endTokens: () => undefined
})

const words: Readonly<Partial<Record<WorldRefusalReason, string>>> = {
  too_much_returned: "O valor do reembolso é maior que o valor disponível",
  return_window_closed: "O prazo para o reembolso terminou",
  insufficient_funds: "You do not have enough balance to make this payment",
  payout_not_open: "O pagamento já foi aprovado"
}
