import type { BankProfile } from "./BankProfile.ts"
import { assumed, cautiousBudget } from "./Usual.ts"

const acbr = "frones/ACBr: ACBrPIXPSPSantander.pas"

/** Santander: charges and returns. */
export const santander: BankProfile = {
  name: "santander",
  production: {
    api: "https://trust-pix.santander.com.br",
    token: "https://trust-pix.santander.com.br/oauth/token"
  },
  sandbox: {
    api: "https://trust-pix-h.santander.com.br",
    token: "https://trust-pix-h.santander.com.br/oauth/token"
  },
  token: { client: "form", body: "form", grant: "query", scope: false },
  scopes: {},
  paths: {
    cob: "/api/v1/cob",
    cancel: "/api/v2/cob",
    pix: "/api/v1/pix",
    webhook: "/api/v1/webhook"
  },
  extras: {},
  payouts: "none",
  callbacks: { registered: true },
  budget: cautiousBudget,
  sources: {
    production: { mark: "community", from: acbr },
    token: { mark: "community", from: acbr },
    paths: { mark: "community", from: acbr },
    ...assumed
  }
}
