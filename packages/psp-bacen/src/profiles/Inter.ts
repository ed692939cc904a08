import type { BankProfile } from "./BankProfile.ts"

const sdk = "inter-co/pj-sdk-python@594744c"

/** Banco Inter: charges, returns and payouts. */
export const inter: BankProfile = {
  name: "inter",
  production: {
    api: "https://cdpj.partners.bancointer.com.br",
    token: "https://cdpj.partners.bancointer.com.br/oauth/v2/token"
  },
  sandbox: {
    api: "https://cdpj-sandbox.partners.uatinter.co",
    token: "https://cdpj-sandbox.partners.uatinter.co/oauth/v2/token"
  },
  token: { client: "form", body: "form", grant: "body", scope: true },
  scopes: {
    pix: "cob.write cob.read pix.write pix.read",
    webhook: "webhook.write webhook.read",
    payouts: "pagamento-pix.write pagamento-pix.read",
    payoutWebhook: "webhook-banking.write webhook-banking.read",
    balance: "extrato.read"
  },
  paths: { cob: "/pix/v2/cob", pix: "/pix/v2/pix", webhook: "/pix/v2/webhook" },
  extras: { accountHeader: "x-conta-corrente" },
  payouts: "inter",
  callbacks: { registered: true },
  // Its SDK waits a minute after a 429.
  budget: { tokensPerMinute: 5, pauseSeconds: 60 },
  sources: {
    production: { mark: "bank", from: `${sdk}: commons/enums/EnvironmentEnum.py` },
    token: { mark: "bank", from: `${sdk}: commons/utils/TokenUtils.py` },
    scopes: { mark: "bank", from: `${sdk}: commons/utils/TokenUtils.py, pix and banking clients` },
    paths: { mark: "bank", from: `${sdk}: pix/pix/PixClient.py` },
    extras: { mark: "bank", from: "inter-co/pj-webhook-server-java, and the SDK's clients" },
    callbacks: { mark: "bank", from: `${sdk}: Constants.py; inter-co/pj-webhook-server-java` },
    // That a repeated `x-id-idempotente` answers the first payout is seen in clients of others; for how long, nobody says.
    payouts: {
      mark: "community",
      from: `${sdk}: banking/pix/BankingPixClient.py; clients of others`
    },
    budget: { mark: "bank", from: `${sdk}: commons/utils/HttpUtils.py` }
  }
}
