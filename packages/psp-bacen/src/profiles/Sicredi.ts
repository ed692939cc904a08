import type { BankProfile } from "./BankProfile.ts"
import { assumed, usualScopes } from "./Usual.ts"

const pypix = "laddertech/pypix-api@24be861: docs/Sicredi (guide 1.9.5)"
const acbr = "frones/ACBr: ACBrPIXPSPSicredi.pas"

/** Sicredi: charges and returns. Many requests for tokens may close it to one's address. */
export const sicredi: BankProfile = {
  name: "sicredi",
  production: {
    api: "https://api-pix.sicredi.com.br",
    token: "https://api-pix.sicredi.com.br/oauth/token"
  },
  sandbox: {
    api: "https://api-pix-h.sicredi.com.br",
    token: "https://api-pix-h.sicredi.com.br/oauth/token"
  },
  token: { client: "basic", body: "form", grant: "body", scope: true },
  scopes: usualScopes,
  paths: { cob: "/api/v3/cob", pix: "/api/v2/pix", webhook: "/api/v2/webhook" },
  extras: {},
  payouts: "none",
  callbacks: { registered: true },
  budget: { tokensPerMinute: 2, pauseSeconds: 60 },
  sources: {
    production: { mark: "community", from: `${pypix}; ${acbr}` },
    token: { mark: "community", from: `${pypix}, §8.1, §11` },
    scopes: { mark: "community", from: pypix },
    // A version for each resource by the guide; ACBr of 2022 has v2 everywhere.
    paths: { mark: "doubtful", from: `${pypix}, against ${acbr}` },
    callbacks: assumed.callbacks,
    budget: { mark: "community", from: `${pypix}, §11` }
  }
}
