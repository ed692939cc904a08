import type { BankProfile } from "./BankProfile.ts"
import { assumed, cautiousBudget, usualPaths, usualScopes } from "./Usual.ts"

const acbr = "frones/ACBr: ACBrPIXPSPPagSeguro.pas"

/** PagBank (formerly PagSeguro): charges and returns. */
export const pagBank: BankProfile = {
  name: "pagbank",
  production: {
    api: "https://secure.api.pagseguro.com/instant-payments",
    token: "https://secure.api.pagseguro.com/pix/oauth2"
  },
  sandbox: {
    api: "https://secure.sandbox.api.pagseguro.com/instant-payments",
    token: "https://secure.sandbox.api.pagseguro.com/pix/oauth2"
  },
  token: { client: "basic", body: "json", grant: "body", scope: true },
  scopes: usualScopes,
  paths: usualPaths,
  extras: {},
  payouts: "none",
  callbacks: { registered: true },
  budget: cautiousBudget,
  sources: {
    production: { mark: "community", from: acbr },
    token: { mark: "community", from: acbr },
    scopes: { mark: "community", from: acbr },
    paths: { mark: "community", from: acbr },
    ...assumed
  }
}
