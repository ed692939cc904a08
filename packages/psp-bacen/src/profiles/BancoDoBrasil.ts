import type { BankProfile } from "./BankProfile.ts"
import { assumed, cautiousBudget, usualPaths, usualScopes } from "./Usual.ts"

const acbr = "frones/ACBr: ACBrPIXPSPBancoDoBrasil.pas"
const pypix = "laddertech/pypix-api@24be861"

/** Banco do Brasil: charges and returns. */
export const bancoDoBrasil: BankProfile = {
  name: "bb",
  production: {
    api: "https://api-pix.bb.com.br/pix/v2",
    token: "https://oauth.bb.com.br/oauth/token"
  },
  sandbox: {
    api: "https://api-pix.hm.bb.com.br/pix/v2",
    token: "https://oauth.hm.bb.com.br/oauth/token"
  },
  token: { client: "basic", body: "form", grant: "body", scope: true },
  scopes: usualScopes,
  paths: usualPaths,
  extras: { appKeyQuery: "gw-dev-app-key" },
  payouts: "none",
  callbacks: { registered: true },
  budget: cautiousBudget,
  sources: {
    // ACBr calls api.bb.com.br, pypix api-pix.bb.com.br with a certificate.
    production: { mark: "doubtful", from: `${pypix}, against ${acbr}` },
    token: { mark: "community", from: `${acbr}; ${pypix}` },
    scopes: { mark: "community", from: `${acbr}; ${pypix}` },
    paths: { mark: "community", from: `${acbr}; ${pypix}: pypix_api/banks` },
    // Some calls take it as gw-app-key.
    extras: { mark: "doubtful", from: acbr },
    ...assumed
  }
}
