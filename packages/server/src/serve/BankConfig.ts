import { present } from "@pagora/core"
import type { BankName, BacenOptions, CallbackProof, CertificateSource } from "@pagora/psp-bacen"
import { bacen, Certificate } from "@pagora/psp-bacen"
import { Effect, FileSystem } from "effect"
import type { ConfigUnusable, ServeConfig } from "./ServeConfig.ts"
import { configFile, loadConfig } from "./ServeConfig.ts"
import type { Settings } from "./Settings.ts"
import { Misconfigured } from "./Settings.ts"
import { bankVariables } from "./BankVariables.ts"

/** What an environment, or what is kept in the service, says of a bank. */
export type BankSettings = Pick<Settings, keyof typeof bankVariables>

/** The banks' numbers as participants of the payment system (ISPB, Banco Central do Brasil). */
const ispb: Readonly<Record<BankName, string>> = {
  efi: "09089356",
  inter: "00416968",
  bb: "00000000",
  bradesco: "60746948",
  itau: "60701190",
  santander: "90400888",
  sicoob: "02038232",
  sicredi: "01181521",
  pagbank: "08561701"
}

/** Under which charges remember the bank: the same wherever it is named by the environment. */
const pspIdOf = (bank: BankName): string => `00000000-0000-7000-8000-0000${ispb[bank]}`

/** The configuration: of the environment where that names a bank, or of a file. Where both say it, the start fails (decision 0104). */
export const configOf = Effect.fnUntraced(function* (
  settings: BankSettings & Pick<Settings, "config">,
  named: string | undefined,
  directory: string
): Effect.fn.Return<ServeConfig, Misconfigured | ConfigUnusable, FileSystem.FileSystem> {
  const wanted = named ?? settings.config
  const { bank } = settings
  if (bank === undefined) {
    const left = leftAlone(settings)
    if (left.length > 0) return yield* new Misconfigured({ faults: left })
    return yield* loadConfig(wanted, directory)
  }
  const file = configFile(wanted, directory)
  if (file !== undefined)
    return yield* new Misconfigured({
      faults: [`PAGORA_BANK and ${file} both say which PSP moves the money: keep one of them.`]
    })
  return yield* bankConfig({ ...settings, bank })
})

/** Settings of a bank without the one that says which bank. */
const leftAlone = (settings: BankSettings): ReadonlyArray<string> => {
  const { bankEnvironment: _, ...others } = bankVariables
  const isSet = Object.keys(others).some((name) => {
    const value = settings[name as keyof BankSettings]
    return Array.isArray(value) ? value.length > 0 : value !== undefined
  })
  return isSet
    ? [
        "There are settings PAGORA_BANK_… without PAGORA_BANK: set it to the bank that they are about, or take them away."
      ]
    : []
}

const bankConfig = Effect.fnUntraced(function* (
  settings: BankSettings & { readonly bank: BankName }
): Effect.fn.Return<ServeConfig, Misconfigured, FileSystem.FileSystem> {
  const faults = missing(settings)
  if (faults.length > 0) return yield* new Misconfigured({ faults })
  const certificateAuthority = yield* authorityOf(settings)
  const options = optionsOf(settings, {
    ...present({ certificate: certificateOf(settings), certificateAuthority })
  })
  const psp = yield* Effect.try({
    try: () => bacen(options),
    catch: (error) =>
      new Misconfigured({
        faults: [`PAGORA_BANK: ${error instanceof Error ? error.message : String(error)}`]
      })
  })
  const id = pspIdOf(settings.bank)
  return { psp: { default: id, psps: { [id]: psp } } }
})

/** What a bank needs to be told and is not, or is told twice. */
export const missing = (settings: BankSettings): ReadonlyArray<string> => {
  const { bankCallbackSecret, bankCallbacks, bankCertificateFile, bankCertificateP12 } = settings
  return [
    ...(settings.bankPixKey === undefined
      ? [
          "PAGORA_BANK_PIX_KEY is missing: set it to the key that charges are paid to, as the directory stores it."
        ]
      : []),
    ...(settings.bankClientId === undefined
      ? ["PAGORA_BANK_CLIENT_ID is missing: the bank's portal shows it."]
      : []),
    ...(bankCertificateFile !== undefined && bankCertificateP12 !== undefined
      ? [
          "PAGORA_BANK_CERTIFICATE_FILE and PAGORA_BANK_CERTIFICATE_P12 are both set: keep one of them."
        ]
      : []),
    ...(bankCallbacks === "secret" && bankCallbackSecret === undefined
      ? [
          "PAGORA_BANK_CALLBACK_SECRET is missing: callbacks prove themselves by it. Make one with: openssl rand -hex 24"
        ]
      : [])
  ]
}

/** A bank as its layer wants it, with what comes of files or of text. */
export const optionsOf = (
  settings: BankSettings & { readonly bank: BankName },
  shown: Pick<BacenOptions, "certificate" | "certificateAuthority">
): BacenOptions => {
  const { bank, bankPixKey: pixKey = "", bankClientId: clientId = "" } = settings
  return {
    bank,
    environment: settings.bankEnvironment,
    pixKey,
    clientId,
    ...shown,
    ...present({
      clientSecret: settings.bankClientSecret,
      callbacks: callbacksOf(settings),
      appKey: settings.bankAppKey,
      account: settings.bankAccount,
      fixedToken: settings.bankToken,
      origin: settings.bankOrigin
    }),
    efi: present({ refusePayers: settings.bankRefusePayers })
  }
}

/** A `.p12` or a pair of PEM files, which may be one file. They are read again when they change. */
const certificateOf = (settings: BankSettings): CertificateSource | undefined => {
  const { bankCertificateFile: file, bankCertificateKeyFile: keyFile } = settings
  const options = present({ passphrase: settings.bankCertificatePassphrase })
  if (settings.bankCertificateP12 !== undefined)
    return Certificate.p12Base64(settings.bankCertificateP12, options)
  if (file === undefined) return undefined
  return keyFile === undefined && /\.(p12|pfx)$/iu.test(file)
    ? Certificate.p12File(file, options)
    : Certificate.pemFiles({ certificate: file, privateKey: keyFile ?? file }, options)
}

const callbacksOf = (settings: BankSettings): CallbackProof | undefined => {
  const {
    bankCallbackAddresses: addresses,
    bankCallbackSecret: secret,
    bankCallbacks: by
  } = settings
  if (by === "mutual-tls")
    return { by: "mutualTls", ...present({ commonName: settings.bankCallbackCommonName }) }
  return secret === undefined
    ? undefined
    : { by: "secret", secret, ...(addresses.length === 0 ? {} : { addresses }) }
}

const authorityOf = ({ bankAuthorityFile: path }: BankSettings) =>
  path === undefined
    ? Effect.undefined
    : Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(path)).pipe(
        Effect.mapError(
          () =>
            new Misconfigured({
              faults: [
                "PAGORA_BANK_AUTHORITY_FILE names a file that cannot be read: check its path and its owner."
              ]
            })
        )
      )
