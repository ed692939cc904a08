import type { BankProfile } from "./BankProfile.ts"

const sdk = "efipay/sdk-node-apis-efi@2728b67"
const docs = "efipay/documentacao-tecnica-efi@5be65fa"

/** Efí (formerly Gerencianet): charges, returns, payouts, infractions and balance. */
export const efi: BankProfile = {
  name: "efi",
  production: {
    api: "https://pix.api.efipay.com.br",
    token: "https://pix.api.efipay.com.br/oauth/token"
  },
  sandbox: {
    api: "https://pix-h.api.efipay.com.br",
    token: "https://pix-h.api.efipay.com.br/oauth/token"
  },
  // Its scopes are ticked in its portal.
  token: { client: "basic", body: "json", grant: "body", scope: false },
  scopes: {},
  paths: { cob: "/v2/cob", pix: "/v2/pix", webhook: "/v2/webhook" },
  extras: {},
  payouts: "efi",
  callbacks: {
    addresses: { production: ["34.193.116.226"] },
    registered: true,
    skipMutualTls: "x-skip-mtls-checking"
  },
  budget: { tokensPerMinute: 20, pauseSeconds: 30 },
  sources: {
    production: { mark: "bank", from: `${sdk}: src/lib/constants.js` },
    token: { mark: "bank", from: `${sdk}: src/lib/endpoints.js` },
    paths: { mark: "bank", from: `${sdk}: dist/types/methods/pix.d.ts` },
    payouts: {
      mark: "bank",
      from: `${sdk}: dist/types/methods/pix.d.ts; ${docs}: docs/APIPix/Pix`
    },
    callbacks: { mark: "bank", from: "the page of webhooks in Efí's documentation" },
    // It publishes none; 60 a minute for tokens is what others say.
    budget: { mark: "doubtful", from: "no limits are published" }
  }
}
