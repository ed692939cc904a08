import type { PlacesOf } from "../app/PromiseCall.ts"
import type { OperatorApi } from "../operator/OperatorApi.ts"

/**
 * Where the endpoints of the operator API are. The contract's value tells it too, and loads all of its schemas; its type
 * holds every word here.
 */
export const operatorPlaces: PlacesOf<typeof OperatorApi> = {
  accounts: {
    list: "GET /accounts",
    create: "POST /accounts",
    get: "GET /accounts/:id",
    change: "PATCH /accounts/:id",
    adjust: "POST /accounts/:id/adjustments"
  },
  credentials: {
    list: "GET /accounts/:id/credentials",
    issue: "POST /accounts/:id/credentials",
    revoke: "DELETE /accounts/:id/credentials/:credentialId"
  },
  webhooks: {
    create: "POST /accounts/:id/webhook-endpoints",
    list: "GET /accounts/:id/webhook-endpoints",
    change: "PATCH /accounts/:id/webhook-endpoints/:endpointId",
    remove: "DELETE /accounts/:id/webhook-endpoints/:endpointId",
    rotate: "POST /accounts/:id/webhook-endpoints/:endpointId/rotate-secret",
    test: "POST /accounts/:id/webhook-endpoints/:endpointId/test",
    recover: "POST /webhook-endpoints/:endpointId/recover"
  },
  ledger: {
    audit: "GET /audit"
  },
  history: {
    balances: "GET /accounts/:id/balances",
    transactions: "GET /accounts/:id/transactions",
    entries: "GET /accounts/:id/entries"
  },
  deliveries: {
    list: "GET /accounts/:id/deliveries",
    get: "GET /deliveries/:deliveryId",
    resend: "POST /deliveries/:deliveryId/resend"
  },
  subAccounts: {
    list: "GET /accounts/:id/sub-accounts",
    change: "PATCH /accounts/:id/sub-accounts/:reference"
  },
  blocks: {
    create: "POST /accounts/:id/balance-blocks",
    list: "GET /accounts/:id/balance-blocks",
    defend: "POST /balance-blocks/:id/defend",
    answer: "POST /balance-blocks/:id/answer",
    resolve: "POST /balance-blocks/:id/resolve"
  },
  commissions: {
    pay: "POST /accounts/:id/referral-commissions"
  },
  withdrawals: {
    resolve: "POST /withdrawals/:id/resolve"
  },
  reviews: {
    list: "GET /reviews",
    suspense: "GET /suspense",
    findReturn: "GET /returns/:id",
    retryReturn: "POST /returns/:id/retry",
    resolveReturn: "POST /returns/:id/resolve",
    resolveRefund: "POST /refunds/:id/resolve"
  },
  discrepancies: {
    list: "GET /discrepancies",
    resolve: "POST /discrepancies/:id/resolve"
  },
  "psp-returns": {
    resolve: "POST /psp-returns/:id/resolve"
  },
  pspCredentials: {
    list: "GET /psp-credentials",
    add: "POST /psp-credentials",
    rotate: "POST /psp-credentials/:id/rotate",
    revoke: "DELETE /psp-credentials/:id",
    check: "GET /psp-credentials/:id/check",
    setUp: "PUT /psp-credentials/:id/setup"
  },
  psps: {
    list: "GET /psps"
  }
}
