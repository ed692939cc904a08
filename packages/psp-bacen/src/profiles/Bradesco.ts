import type { BankProfile } from "./BankProfile.ts"
import { assumed, cautiousBudget, usualPaths } from "./Usual.ts"

const acbr = "frones/ACBr: ACBrPIXPSPBradesco.pas"

/** Bradesco, the first generation of its API: charges and returns. */
export const bradesco: BankProfile = {
  name: "bradesco",
  production: {
    api: "https://qrpix.bradesco.com.br/v2",
    token: "https://qrpix.bradesco.com.br/oauth/token"
  },
  sandbox: {
    api: "https://qrpix-h.bradesco.com.br/v2",
    token: "https://qrpix-h.bradesco.com.br/oauth/token"
  },
  token: { client: "basic", body: "form", grant: "body", scope: false },
  scopes: {},
  paths: usualPaths,
  extras: {},
  payouts: "none",
  callbacks: { registered: true },
  budget: cautiousBudget,
  sources: {
    production: { mark: "community", from: acbr },
    // The second generation has /auth/server/oauth/token, and openapisandbox.prebanco.com.br for tests.
    token: { mark: "doubtful", from: `${acbr}: two generations of the API` },
    paths: { mark: "community", from: acbr },
    ...assumed
  }
}
