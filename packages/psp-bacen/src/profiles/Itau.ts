import type { BankProfile } from "./BankProfile.ts"
import { assumed, cautiousBudget, usualPaths } from "./Usual.ts"

const acbr = "frones/ACBr: ACBrPIXPSPItau.pas"

/** Itaú: charges and returns. */
export const itau: BankProfile = {
  name: "itau",
  production: {
    api: "https://secure.api.itau/pix_recebimentos/v2",
    token: "https://sts.itau.com.br/as/token.oauth2"
  },
  sandbox: {
    api: "https://devportal.itau.com.br/sandboxapi/pix_recebimentos_ext_v2/v2",
    token: "https://devportal.itau.com.br/api/jwt"
  },
  token: { client: "form", body: "form", grant: "body", scope: false },
  scopes: {},
  paths: usualPaths,
  extras: { callIdHeader: "x-correlationID" },
  payouts: "none",
  callbacks: { registered: true },
  budget: cautiousBudget,
  sources: {
    production: { mark: "community", from: acbr },
    sandbox: { mark: "doubtful", from: `${acbr}: it has changed over the years` },
    token: { mark: "community", from: acbr },
    paths: { mark: "community", from: acbr },
    extras: { mark: "community", from: acbr },
    // Once registered by mail (bacen/pix-api#371), and one address for each registration (bacen/pix-api#9).
    callbacks: { mark: "doubtful", from: "bacen/pix-api#371" },
    budget: assumed.budget
  }
}
