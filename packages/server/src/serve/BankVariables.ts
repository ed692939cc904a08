import type { BankName } from "@pagora/psp-bacen"
import { banks } from "@pagora/psp-bacen"
import { choice, list, secretText, text, variable } from "./Variable.ts"

/** Whom an environment can name. */
export type NamedBank = BankName | "woovi"

const anything = /^[^\0]{1,4000}$/s
const bankNames = Object.fromEntries(
  [...(Object.keys(banks) as Array<BankName>), "woovi" as const].map(
    (name) => [name, name] as const
  )
)
const pathForm = "the path of a file"

/** What names a bank, or Woovi, and all that it wants to know of us. */
export const bankVariables = {
  bank: choice<NamedBank | undefined>("PAGORA_BANK", undefined, bankNames),
  bankEnvironment: choice<"production" | "sandbox">("PAGORA_BANK_ENVIRONMENT", "production", {
    production: "production",
    sandbox: "sandbox"
  }),
  bankPixKey: text("PAGORA_BANK_PIX_KEY", undefined, "a Pix key", anything),
  bankClientId: text("PAGORA_BANK_CLIENT_ID", undefined, "what the bank's portal shows", anything),
  bankClientSecret: secretText(
    "PAGORA_BANK_CLIENT_SECRET",
    "what the bank's portal shows",
    anything
  ),
  bankCertificateFile: text("PAGORA_BANK_CERTIFICATE_FILE", undefined, pathForm, anything),
  bankCertificateKeyFile: text("PAGORA_BANK_CERTIFICATE_KEY_FILE", undefined, pathForm, anything),
  bankCertificateP12: secretText(
    "PAGORA_BANK_CERTIFICATE_P12",
    "a .p12 file in Base64, as base64 -w0 writes it",
    /^[\sA-Za-z0-9+/]{100,}={0,2}\s*$/
  ),
  bankCertificatePassphrase: secretText(
    "PAGORA_BANK_CERTIFICATE_PASSPHRASE",
    "the passphrase of the certificate",
    anything
  ),
  bankCallbackSecret: secretText(
    "PAGORA_BANK_CALLBACK_SECRET",
    "16 to 200 letters, digits, hyphens and underscores",
    /^[\w-]{16,200}$/
  ),
  bankCallbackAddresses: list<string>(
    "PAGORA_BANK_CALLBACK_ADDRESSES",
    [],
    "IP addresses with commas between them",
    (part) => (/^[0-9a-fA-F.:]{2,45}$/.test(part) ? part : undefined)
  ),
  bankCallbackCommonName: text(
    "PAGORA_BANK_CALLBACK_COMMON_NAME",
    undefined,
    "the common name of the bank's certificate",
    /^.{1,200}$/
  ),
  bankCallbacks: choice<"mutual-tls" | "secret" | undefined>("PAGORA_BANK_CALLBACKS", undefined, {
    "mutual-tls": "mutual-tls",
    secret: "secret"
  }),
  bankAppKey: secretText("PAGORA_BANK_APP_KEY", "what the bank's portal shows", anything),
  bankAccount: text("PAGORA_BANK_ACCOUNT", undefined, "digits", /^\d{1,30}$/),
  bankToken: secretText("PAGORA_BANK_TOKEN", "the token that the bank's portal shows", anything),
  bankRefusePayers: choice<"PF" | "PJ" | undefined>("PAGORA_BANK_REFUSE_PAYERS", undefined, {
    PF: "PF",
    PJ: "PJ"
  }),
  bankOrigin: variable<string | undefined>(
    "PAGORA_BANK_ORIGIN",
    undefined,
    "an address without a path, such as https://localhost:8443",
    // What plays a bank on this machine may speak HTTP.
    (given) =>
      /^(https:\/\/[^/?#\s]+|http:\/\/127\.0\.0\.1(:\d{1,5})?)$/.test(given) ? given : undefined
  ),
  bankAuthorityFile: text("PAGORA_BANK_AUTHORITY_FILE", undefined, pathForm, anything),
  bankAppId: secretText(
    "PAGORA_BANK_APP_ID",
    "the AppID that Woovi's panel shows",
    /^[\x21-\x7e]{1,4000}$/
  ),
  bankSigningKeysFile: text("PAGORA_BANK_SIGNING_KEYS_FILE", undefined, pathForm, anything)
}

/** Whether the environment names a bank that there is not: what follows from naming none is then no fault of its own. */
export const isBankUnknown = (
  environment: Readonly<Record<string, string | undefined>>,
  settings: { readonly bank?: NamedBank | undefined }
): boolean =>
  settings.bank === undefined && (environment[bankVariables.bank.name] ?? "").trim() !== ""
