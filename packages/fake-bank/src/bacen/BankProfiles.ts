import type { BankName, BankProfile } from "./BankProfile.ts"

// What is known of nine banks, and from where. [P]: the bank's own repository, SDK or documentation; [C]: community code
// that talks to the bank; [?]: sources differ, or only a weak one. Everything was read in stored copies, nothing was tried
// against a bank.
//
// BCB      bacen/pix-api@1f1b568:openapi.yaml (2.9.0)
// EFI-SDK  efipay/sdk-node-apis-efi@2728b67 (src/lib/constants.js, endpoints.js, dist/types/methods/pix.d.ts)
// EFI-DOC  efipay/documentacao-tecnica-efi@5be65fa (April 2023); EFI-HOOK its webhook page
// INTER-PY inter-co/pj-sdk-python@594744c
// ACBR     frones/ACBr:Fontes/ACBrPIXCD/ACBrPIXPSP<Bank>.pas
// PYPIX    laddertech/pypix-api@24be861 (pypix_api/banks/*.py, docs/Sicredi/RELATORIO_VIABILIDADE_SICREDI.md)

/** The Central Bank's API as it is written, from which the banks differ. */
const asWritten = {
  bases: {},
  appKeyNames: [],
  requiredHeaders: [],
  absent: [],
  statuses: {},
  codeField: "pixCopiaECola",
  tellsNull: false,
  leavesOut: {},
  errors: "problem",
  wholeSeconds: false,
  // [BCB] `CobOperacaoInvalida`, `PixDevolucaoInvalida`.
  repeats: { charge: "same", refund: 400 },
  // [?] Only Efí says how often it tries. BCB leaves it to the bank.
  callbacks: { suffix: "/pix", retryAfterSeconds: [60, 300, 1800, 7200], timeoutMillis: 30_000 },
  triesWebhooks: false
} as const satisfies Partial<BankProfile>

const token = {
  client: "basic",
  body: "form",
  grantType: "body",
  scope: "optional",
  answers: [],
  missingScopeStatus: 403
} as const

// [C] ACBR: returns are answered 200 where BCB has 201.
const plainReturns = { createReturn: 200 }

const minutes = (...all: ReadonlyArray<number>) => all.map((each) => each * 60)

export const bankProfiles: Readonly<Record<BankName, BankProfile>> = {
  efi: {
    ...asWritten,
    bank: "efi",
    ispb: "09089356",
    // [P] EFI-SDK: Basic with JSON; scopes are ticked in the portal.
    token: { ...token, path: "/oauth/token", body: "json", scope: "not_sent" },
    base: "/v2",
    // [P] EFI-DOC, EFI-HOOK: `{nome, mensagem}` mostly, problem+json elsewhere.
    errors: "efi",
    // [P] EFI-HOOK.
    statuses: { setWebhook: 201 },
    leavesOut: { findWebhook: ["cnpj"], listWebhooks: ["cnpj"] },
    // [P] EFI-DOC: 409 `txid_duplicado`, `devolucao_id_duplicado`.
    repeats: { charge: 409, refund: 409 },
    // [P] EFI-HOOK: ten tries after 5, 10, 20 … 1280 minutes, the last after 52560; 60 seconds each.
    callbacks: {
      suffix: "/pix",
      retryAfterSeconds: minutes(5, 10, 20, 40, 80, 160, 320, 640, 1280, 52_560),
      timeoutMillis: 60_000
    },
    triesWebhooks: true
  },
  inter: {
    ...asWritten,
    bank: "inter",
    ispb: "00416968",
    // [P] INTER-PY: id and secret in the form, scope required.
    token: { ...token, path: "/oauth/v2/token", client: "form", scope: "required" },
    base: "/pix/v2",
    // [P] INTER-PY: `{title, detail, timestamp, violacoes}`.
    errors: "inter"
  },
  bb: {
    ...asWritten,
    bank: "bb",
    ispb: "00000000",
    token: { ...token, path: "/oauth/token", scope: "required" },
    base: "/pix/v2",
    // [C] ACBR, PYPIX: one of them, by call.
    appKeyNames: ["gw-dev-app-key", "gw-app-key"],
    // [C] ACBR: no list of charges by period; PUT may be 200, PATCH 201.
    absent: ["listCharges"],
    statuses: { createCharge: 200, changeCharge: 201 },
    errors: "bb"
  },
  bradesco: {
    ...asWritten,
    bank: "bradesco",
    ispb: "60746948",
    token: { ...token, path: "/oauth/token" },
    base: "/v2",
    statuses: { ...plainReturns, createChargeUnnamed: 200 }
  },
  itau: {
    ...asWritten,
    bank: "itau",
    ispb: "60701190",
    // [C] ACBR: in the form; a refresh token comes along.
    token: { ...token, path: "/as/token.oauth2", client: "form", answers: ["refresh_token"] },
    base: "/pix_recebimentos/v2",
    requiredHeaders: ["x-correlationid"]
  },
  santander: {
    ...asWritten,
    bank: "santander",
    ispb: "90400888",
    // [C] ACBR: the grant type stands in the query, the answer names the client.
    token: {
      ...token,
      path: "/oauth/token",
      client: "form",
      grantType: "query",
      answers: ["client_id"]
    },
    base: "/api/v1",
    // [C] ACBR: PATCH goes to another version.
    bases: { cob_patch: "/api/v2" },
    absent: ["createChargeUnnamed"],
    statuses: { createCharge: 200, ...plainReturns },
    wholeSeconds: true
  },
  sicoob: {
    ...asWritten,
    bank: "sicoob",
    ispb: "02038232",
    // [C] ACBR, PYPIX: no secret at all.
    token: {
      ...token,
      path: "/auth/realms/cooperado/protocol/openid-connect/token",
      client: "id_only",
      scope: "required"
    },
    base: "/pix/api/v2",
    requiredHeaders: ["client_id"],
    statuses: plainReturns,
    codeField: "brcode",
    tellsNull: true
  },
  sicredi: {
    ...asWritten,
    bank: "sicredi",
    ispb: "01181521",
    // [C] PYPIX: a missing scope shows as 400 on use.
    token: { ...token, path: "/oauth/token", scope: "required", missingScopeStatus: 400 },
    base: "/api/v2",
    // [?] PYPIX: `cob/{txid}` is version 3, its list version 2; ACBR (2022): all are version 2.
    bases: { cob: "/api/v3", cob_patch: "/api/v3" },
    statuses: plainReturns
  },
  pagbank: {
    ...asWritten,
    bank: "pagbank",
    ispb: "08561701",
    token: { ...token, path: "/pix/oauth2", body: "json", scope: "required" },
    base: "/instant-payments",
    absent: ["createChargeUnnamed"]
  }
}
