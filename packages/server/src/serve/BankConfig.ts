import type { PspShape } from "@pagora/core"
import { present } from "@pagora/core"
import type {
  BankName,
  BankProfile,
  BacenOptions,
  CallbackProof,
  CertificateSource
} from "@pagora/psp-bacen"
import { bacen, banks, Certificate } from "@pagora/psp-bacen"
import { woovi } from "@pagora/psp-woovi"
import { Effect, FileSystem, Redacted } from "effect"
import type { ConfigUnusable, ServeConfig } from "./ServeConfig.ts"
import { configFile, loadConfig } from "./ServeConfig.ts"
import type { Settings } from "./Settings.ts"
import { Misconfigured } from "./Settings.ts"
import type { NamedBank } from "./BankVariables.ts"
import { bankVariables } from "./BankVariables.ts"

/** Without a key no callback would be taken. */
export class NoSigningKey extends Error {
  override readonly name = "NoSigningKey"
  override readonly message = "The keys that Woovi signs with must be PEM, and at least one."
}

/** What an environment, or what is kept in the service, says of a bank. */
export type BankSettings = Pick<Settings, keyof typeof bankVariables>

/** Their numbers as participants of the payment system (ISPB, Banco Central do Brasil). */
const ispb: Readonly<Record<NamedBank, string>> = {
  efi: "09089356",
  inter: "00416968",
  bb: "00000000",
  bradesco: "60746948",
  itau: "60701190",
  santander: "90400888",
  sicoob: "02038232",
  sicredi: "01181521",
  pagbank: "08561701",
  woovi: "54811417"
}

/** Under which charges remember the bank: the same wherever it is named by the environment. */
const pspIdOf = (bank: NamedBank): string => `00000000-0000-7000-8000-0000${ispb[bank]}`

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
  const psp = yield* pspOf({ ...settings, bank })
  const id = pspIdOf(bank)
  return { psp: { default: id, psps: { [id]: psp } } }
})

type Setting = keyof BankSettings

const isSet = (settings: BankSettings, name: Setting): boolean => {
  const value = settings[name]
  return Array.isArray(value) ? value.length > 0 : value !== undefined
}

/** Settings of a bank without the one that says which bank. */
const leftAlone = (settings: BankSettings): ReadonlyArray<string> => {
  const { bankEnvironment: _, ...others } = bankVariables
  return Object.keys(others).some((name) => isSet(settings, name as Setting))
    ? [
        "There are settings PAGORA_BANK_… without PAGORA_BANK: set it to the bank that they are about, or take them away."
      ]
    : []
}

/** The PSP that settings name, with all that is wrong with them. */
const pspOf = Effect.fnUntraced(function* (
  settings: BankSettings & { readonly bank: NamedBank }
): Effect.fn.Return<PspShape, Misconfigured, FileSystem.FileSystem> {
  const { bank } = settings
  const faults = environmentFaults(settings)
  if (faults.length > 0) return yield* new Misconfigured({ faults })
  const make = bank === "woovi" ? yield* wooviOf(settings) : yield* bacenOf({ ...settings, bank })
  return yield* Effect.try({
    try: make,
    catch: (error) =>
      new Misconfigured({
        faults: [byVariable(error instanceof Error ? error.message : String(error))]
      })
  })
})

/** What a layer refuses, by the variable that its option comes from. */
const byVariable = (sentence: string): string => {
  const [option = ""] = /^\w+/.exec(sentence) ?? []
  const name = options.get(option)
  return name === undefined ? `PAGORA_BANK: ${sentence}` : name + sentence.slice(option.length)
}

/** Options that a variable is handed on to as it is. */
const options = new Map([
  ["pixKey", bankVariables.bankPixKey.name],
  ["origin", bankVariables.bankOrigin.name]
])

const hasCertificate = ({ bankCertificateFile, bankCertificateP12 }: BankSettings): boolean =>
  bankCertificateFile !== undefined || bankCertificateP12 !== undefined

/** The faults of an environment, which names files. */
export const environmentFaults = (
  settings: BankSettings & { readonly bank: NamedBank }
): ReadonlyArray<string> => [
  ...faultsOf(settings, hasCertificate(settings)),
  ...(settings.bank !== "woovi" &&
  settings.bankEnvironment === "production" &&
  !hasCertificate(settings)
    ? [
        `PAGORA_BANK_CERTIFICATE_FILE is missing: in production ${settings.bank} wants a certificate, as a .p12 or as PEM.`
      ]
    : [])
]

/** What means nothing to whoever is named, what they need to be told and are not, are told twice, or would not read. */
export const faultsOf = (
  settings: BankSettings & { readonly bank: NamedBank },
  isCertificateThere: boolean
): ReadonlyArray<string> => {
  const { bank } = settings
  const told = [...notOf(settings), ...lackingOf(settings)]
  return bank === "woovi"
    ? told
    : [...told, ...unreadBy(bank, settings), ...unread(settings, isCertificateThere)]
}

/** What whoever is named needs to be told and is not, or is told twice. */
export const lackingOf = (
  settings: BankSettings & { readonly bank: NamedBank }
): ReadonlyArray<string> =>
  settings.bank === "woovi" ? missingAtWoovi(settings) : missing(settings, banks[settings.bank])

/** What only some banks read, and how it is known which. */
const readBy: Readonly<Partial<Record<Setting, (profile: BankProfile) => boolean>>> = {
  bankClientSecret: ({ token }) => token.client !== "id",
  bankAppKey: ({ extras }) => extras.appKeyQuery !== undefined,
  bankAccount: ({ extras }) => extras.accountHeader !== undefined,
  bankRefusePayers: ({ payouts }) => payouts === "efi"
}

const unreadBy = (bank: BankName, settings: BankSettings): ReadonlyArray<string> =>
  Object.entries(readBy)
    .filter(([name, isRead]) => isSet(settings, name as Setting) && !isRead(banks[bank]))
    .map(([name]) => meansNothing(name as Setting, bank))

/** What is read only beside something else, which is not there. */
const unread = (settings: BankSettings, isCertificateThere: boolean): ReadonlyArray<string> => {
  const { bankCallbacks, bankCallbackSecret } = settings
  const isByCertificate = bankCallbacks === "mutual-tls"
  const isBySecret = !isByCertificate && bankCallbackSecret !== undefined
  const beside: ReadonlyArray<readonly [Setting, boolean, string]> = [
    [
      "bankCallbackSecret",
      !isByCertificate,
      "is not read where PAGORA_BANK_CALLBACKS is mutual-tls: take one of them away."
    ],
    [
      "bankCallbackAddresses",
      isBySecret,
      "is read only where callbacks prove themselves by PAGORA_BANK_CALLBACK_SECRET: set that, or take it away."
    ],
    [
      "bankCallbackCommonName",
      isByCertificate,
      "is read only where PAGORA_BANK_CALLBACKS is mutual-tls: set that, or take it away."
    ],
    [
      "bankCertificateKeyFile",
      settings.bankCertificateFile !== undefined,
      "is the key of a certificate that PAGORA_BANK_CERTIFICATE_FILE does not name: name it there, or take it away."
    ],
    [
      "bankCertificatePassphrase",
      isCertificateThere,
      "opens a certificate, and none is given: give it, or take it away."
    ]
  ]
  return beside
    .filter(([name, isRead]) => isSet(settings, name) && !isRead)
    .map(([name, , why]) => `${bankVariables[name].name} ${why}`)
}

/** What Woovi and a bank both go by. */
const shared: ReadonlyArray<Setting> = ["bank", "bankEnvironment", "bankOrigin"]
const wooviAlone: ReadonlyArray<Setting> = ["bankAppId", "bankSigningKeysFile"]

/** What is set for another kind of PSP than the one that is named. */
const notOf = (settings: BankSettings & { readonly bank: NamedBank }): ReadonlyArray<string> => {
  const isWoovi = settings.bank === "woovi"
  const names = Object.keys(bankVariables) as ReadonlyArray<Setting>
  return names
    .filter((name) => !shared.includes(name) && wooviAlone.includes(name) !== isWoovi)
    .filter((name) => isSet(settings, name))
    .map((name) => meansNothing(name, settings.bank))
}

const meansNothing = (name: Setting, bank: NamedBank): string =>
  `${bankVariables[name].name} means nothing to ${bank}: take it away.`

const missingAtWoovi = (settings: BankSettings): ReadonlyArray<string> =>
  settings.bankAppId === undefined
    ? [
        "PAGORA_BANK_APP_ID is missing: the AppID of an application of type API, as Woovi's panel shows it."
      ]
    : []

/** The keys of a PEM; none, where it has none. */
const pem = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g

/** Woovi as its layer wants it. Throws where a key cannot be read. */
export const wooviBy = (
  {
    bankAppId,
    bankEnvironment: environment,
    bankOrigin: url
  }: Pick<BankSettings, "bankAppId" | "bankEnvironment" | "bankOrigin">,
  signingKeys: string | undefined
): PspShape => {
  const appId = bankAppId === undefined ? "" : Redacted.value(bankAppId)
  const publicKeys = signingKeys?.match(pem) ?? undefined
  if (signingKeys !== undefined && publicKeys === undefined) throw new NoSigningKey()
  return woovi({ appId, environment, ...present({ url, publicKeys }) })
}

const wooviOf = (settings: BankSettings) =>
  Effect.map(
    fileOf("PAGORA_BANK_SIGNING_KEYS_FILE", settings.bankSigningKeysFile),
    (signingKeys) => () => wooviBy(settings, signingKeys)
  )

const bacenOf = Effect.fnUntraced(function* (settings: BankSettings & { readonly bank: BankName }) {
  const certificateAuthority = yield* fileOf(
    "PAGORA_BANK_AUTHORITY_FILE",
    settings.bankAuthorityFile
  )
  const certificate = certificateOf(settings)
  const options = optionsOf(settings, present({ certificate, certificateAuthority }))
  return () => bacen(options)
})

const missing = (settings: BankSettings, { token }: BankProfile): ReadonlyArray<string> => {
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
    ...(settings.bankClientSecret === undefined &&
    settings.bankToken === undefined &&
    token.client !== "id"
      ? ["PAGORA_BANK_CLIENT_SECRET is missing: the bank's portal shows it, beside the client id."]
      : []),
    ...(bankCertificateFile !== undefined && bankCertificateP12 !== undefined
      ? [
          "PAGORA_BANK_CERTIFICATE_FILE and PAGORA_BANK_CERTIFICATE_P12 are both set: keep one of them."
        ]
      : []),
    ...(settings.bankOrigin?.startsWith("http:") === true
      ? ["PAGORA_BANK_ORIGIN must begin with https://: banks are called by mutual TLS."]
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

const fileOf = (name: string, path: string | undefined) =>
  path === undefined
    ? Effect.undefined
    : Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(path)).pipe(
        Effect.mapError(
          () =>
            new Misconfigured({
              faults: [`${name} names a file that cannot be read: check its path and its owner.`]
            })
        )
      )
