import type { BankProfile } from "./BankProfile.ts"

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
  paths: { cob: "/cob", pix: "/pix", webhook: "/webhook" },
  extras: {},
  payouts: "none",
  gatewayErrors: false,
  callbacks: { registered: true },
  budget: { tokensPerMinute: 10, pauseSeconds: 60 },
  sources: {
    production: { mark: "community", from: acbr },
    // The second generation has /auth/server/oauth/token, and openapisandbox.prebanco.com.br for tests.
    token: { mark: "doubtful", from: `${acbr}: two generations of the API` },
    paths: { mark: "community", from: acbr },
    callbacks: { mark: "doubtful", from: "the Central Bank's file" },
    budget: { mark: "doubtful", from: "no limits were found" }
  }
}
