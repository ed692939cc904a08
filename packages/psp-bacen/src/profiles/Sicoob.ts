import type { BankProfile } from "./BankProfile.ts"

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
  scopes: {
    pix: "cob.write cob.read pix.write pix.read",
    webhook: "webhook.write webhook.read"
  },
  paths: { cob: "/cob", pix: "/pix", webhook: "/webhook" },
  extras: { clientIdHeader: "client_id" },
  payouts: "none",
  gatewayErrors: false,
  callbacks: { registered: true },
  budget: { tokensPerMinute: 10, pauseSeconds: 60 },
  sources: {
    production: { mark: "community", from: `${acbr}; ${pypix}` },
    sandbox: { mark: "community", from: acbr },
    token: { mark: "community", from: `${acbr}; ${pypix}` },
    scopes: { mark: "community", from: `${acbr}; ${pypix}` },
    paths: { mark: "community", from: `${acbr}; ${pypix}` },
    extras: { mark: "community", from: `${acbr}; ${pypix}` },
    callbacks: { mark: "doubtful", from: "the Central Bank's file" },
    budget: { mark: "doubtful", from: "no limits were found" }
  }
}
