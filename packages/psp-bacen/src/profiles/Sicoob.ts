import type { BankProfile } from "./BankProfile.ts"
import { assumed, cautiousBudget, usualPaths, usualScopes } from "./Usual.ts"

const acbr = "frones/ACBr: ACBrPIXPSPSicoob.pas"
const pypix = "laddertech/pypix-api@24be861"

/** Sicoob: charges and returns. Its sandbox takes a fixed token of its portal (`fixedToken`), and no certificate. */
export const sicoob: BankProfile = {
  name: "sicoob",
  production: {
    api: "https://api.sicoob.com.br/pix/api/v2",
    token: "https://auth.sicoob.com.br/auth/realms/cooperado/protocol/openid-connect/token"
  },
  sandbox: {
    api: "https://sandbox.sicoob.com.br/sicoob/sandbox/pix/api/v2",
    token: "https://auth.sicoob.com.br/auth/realms/cooperado/protocol/openid-connect/token"
  },
  token: { client: "id", body: "form", grant: "body", scope: true },
  scopes: usualScopes,
  paths: usualPaths,
  extras: { clientIdHeader: "client_id" },
  payouts: "none",
  callbacks: { registered: true },
  budget: cautiousBudget,
  sources: {
    production: { mark: "community", from: `${acbr}; ${pypix}` },
    sandbox: { mark: "community", from: acbr },
    token: { mark: "community", from: `${acbr}; ${pypix}` },
    scopes: { mark: "community", from: `${acbr}; ${pypix}` },
    paths: { mark: "community", from: `${acbr}; ${pypix}` },
    extras: { mark: "community", from: `${acbr}; ${pypix}` },
    ...assumed
  }
}
