import type { BankProfile } from "./BankProfile.ts"

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
  scopes: {
    pix: "cob.write cob.read pix.write pix.read",
    webhook: "webhook.write webhook.read"
  },
  paths: { cob: "/cob", pix: "/pix", webhook: "/webhook" },
  extras: { appKeyQuery: "gw-dev-app-key" },
  payouts: "none",
  // `{statusCode, error, message}` comes of the gateway before the API, for a path that it does not know as well.
  gatewayErrors: true,
  callbacks: { registered: true },
  budget: { tokensPerMinute: 10, pauseSeconds: 60 },
  sources: {
    // ACBr calls api.bb.com.br, pypix api-pix.bb.com.br with a certificate.
    production: { mark: "doubtful", from: `${pypix}, against ${acbr}` },
    token: { mark: "community", from: `${acbr}; ${pypix}` },
    scopes: { mark: "community", from: `${acbr}; ${pypix}` },
    paths: { mark: "community", from: `${acbr}; ${pypix}: pypix_api/banks` },
    // Some calls take it as gw-app-key.
    extras: { mark: "doubtful", from: acbr },
    callbacks: { mark: "doubtful", from: "the Central Bank's file" },
    budget: { mark: "doubtful", from: "no limits were found" }
  }
}
