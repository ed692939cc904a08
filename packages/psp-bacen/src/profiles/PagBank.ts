import type { BankProfile } from "./BankProfile.ts"

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
  scopes: {
    pix: "cob.write cob.read pix.write pix.read",
    webhook: "webhook.write webhook.read"
  },
  paths: { cob: "/cob", pix: "/pix", webhook: "/webhook" },
  extras: {},
  payouts: "none",
  gatewayErrors: false,
  callbacks: { registered: true },
  budget: { tokensPerMinute: 10, pauseSeconds: 60 },
  sources: {
    production: { mark: "community", from: acbr },
    token: { mark: "community", from: acbr },
    scopes: { mark: "community", from: acbr },
    paths: { mark: "community", from: acbr },
    callbacks: { mark: "doubtful", from: "the Central Bank's file" },
    budget: { mark: "doubtful", from: "no limits were found" }
  }
}
