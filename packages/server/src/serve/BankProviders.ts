import type {
  GivenPsp,
  MadePsp,
  PspProvider,
  PspProviders,
  PspSettings,
  PspShape
} from "@pagora/core"
import { present, PspSettingsRefused } from "@pagora/core"
import type { BankName, CertificateSource } from "@pagora/psp-bacen"
import { bacen, BacenMisconfigured, banks, Certificate, lookAtCertificate } from "@pagora/psp-bacen"
import { Effect, Redacted, Result } from "effect"
import type { BankSettings } from "./BankConfig.ts"
import { faultsOf, lackingOf, NoSigningKey, optionsOf, wooviBy } from "./BankConfig.ts"
import type { NamedBank } from "./BankVariables.ts"
import { bankVariables } from "./BankVariables.ts"

type BankVariable = keyof typeof bankVariables

/** Settings that are kept are text: none names a file, and which bank it is, and where, is said beside them. */
const elsewhere: ReadonlySet<string> = new Set<BankVariable>([
  "bank",
  "bankEnvironment",
  "bankCertificateFile",
  "bankCertificateKeyFile",
  "bankAuthorityFile",
  "bankSigningKeysFile"
])

/** `bankPixKey`, or `PAGORA_BANK_PIX_KEY`, as it is called where it is kept: `pixKey`. */
const settingOf = (variable: string): string =>
  variable.slice("bank".length, "bank".length + 1).toLowerCase() + variable.slice("bank".length + 1)

/** What a bank's settings may be called where they are kept, and as what the environment knows them. */
export const keptVariables: ReadonlyMap<string, BankVariable> = new Map(
  Object.keys(bankVariables)
    .filter((name) => !elsewhere.has(name))
    .map((name) => [settingOf(name), name as BankVariable])
)

/** What is text where it is kept, and a file where it is configured. */
const texts = ["certificatePem", "certificateKeyPem", "authorityPem", "signingKeysPem"] as const
type Text = (typeof texts)[number]

const keptNames: ReadonlyArray<string> = [...keptVariables.keys(), ...texts]

/** The sentence of a variable, about the setting that it is here. */
const aboutSetting = (sentence: string): string =>
  [...keptVariables].reduce(
    (told, [setting, variable]) =>
      told.replaceAll(
        new RegExp(`\\b${bankVariables[variable].name}\\b`, "gu"),
        `settings.${setting}`
      ),
    sentence
  )

interface Read {
  readonly settings: Omit<BankSettings, "bank">
  readonly texts: Partial<Readonly<Record<Text, string>>>
  readonly faults: ReadonlyArray<string>
}

const read = (given: PspSettings, environment: GivenPsp["environment"]): Read => {
  const settings: Record<string, unknown> = { bankEnvironment: environment }
  const faults: Array<string> = []
  for (const [setting, name] of keptVariables) {
    const variable = bankVariables[name]
    const text = given[setting] ?? ""
    const result: Result.Result<unknown, string> =
      text === "" ? variable.absent : variable.read(text)
    if (Result.isSuccess(result)) settings[name] = result.success
    else faults.push(aboutSetting(result.failure))
  }
  const unknown = Object.keys(given).filter((name) => !keptNames.includes(name))
  if (unknown.length > 0)
    faults.push(`There is no setting ${unknown.join(", ")}: they are ${keptNames.join(", ")}.`)
  return {
    // Whoever finds a fault uses none of it.
    settings: settings as unknown as Read["settings"],
    texts: Object.fromEntries(texts.flatMap((name) => (given[name] ? [[name, given[name]]] : []))),
    faults
  }
}

const certificateOf = (
  { bankCertificateP12, bankCertificatePassphrase }: Read["settings"],
  { certificateKeyPem, certificatePem }: Read["texts"]
): CertificateSource | undefined => {
  const options = present({ passphrase: bankCertificatePassphrase })
  if (bankCertificateP12 !== undefined) return Certificate.p12Base64(bankCertificateP12, options)
  return certificatePem === undefined
    ? undefined
    : Certificate.pem(
        { certificate: certificatePem, privateKey: certificateKeyPem ?? certificatePem },
        options
      )
}

const refused = (...faults: ReadonlyArray<string>) => new PspSettingsRefused({ faults })

/** What a layer refuses of its settings; whatever else is thrown is a bug. */
const making = (make: () => PspShape): Effect.Effect<PspShape, PspSettingsRefused> =>
  Effect.try({ try: make, catch: (error) => error }).pipe(
    Effect.catch((error) =>
      error instanceof BacenMisconfigured || error instanceof NoSigningKey
        ? refused(error.message)
        : Effect.die(error)
    )
  )

/** Texts that mean nothing to whoever is named, or would not be read. */
const strange = (bank: NamedBank, shown: Read["texts"]): ReadonlyArray<string> => [
  ...texts
    .filter(
      (name) => shown[name] !== undefined && (name === "signingKeysPem") !== (bank === "woovi")
    )
    .map((name) => `settings.${name} means nothing to ${bank}: take it away.`),
  ...(bank !== "woovi" &&
  shown.certificateKeyPem !== undefined &&
  shown.certificatePem === undefined
    ? [
        "settings.certificateKeyPem is the key of a certificate that settings.certificatePem does not have: give it there, or take it away."
      ]
    : [])
]

/** A certificate is text here, so that it is said in other words than of a file. */
const faultsOfCertificate = (
  bank: BankName,
  { bankCertificateP12, bankEnvironment }: Read["settings"],
  { certificatePem }: Read["texts"]
): ReadonlyArray<string> => {
  const isP12 = bankCertificateP12 !== undefined
  if (isP12 && certificatePem !== undefined)
    return ["settings.certificateP12 and settings.certificatePem are both there: keep one of them."]
  return isP12 || certificatePem !== undefined || bankEnvironment === "sandbox"
    ? []
    : [
        `settings.certificateP12 is missing: in production ${bank} wants a certificate, as a .p12 in Base64 or as settings.certificatePem and settings.certificateKeyPem.`
      ]
}

/** PSPs of one bank, of settings that the operator keeps in the service. */
const providerOf = (bank: NamedBank): PspProvider => ({
  make: Effect.fnUntraced(function* ({
    environment,
    isKept = false,
    settings: given
  }): Effect.fn.Return<MadePsp, PspSettingsRefused> {
    const { faults, settings, texts: shown } = read(Redacted.value(given), environment)
    if (faults.length > 0) return yield* refused(...faults)
    const isCertificateThere =
      settings.bankCertificateP12 !== undefined || shown.certificatePem !== undefined
    const named = { ...settings, bank }
    // What a former version took, and nothing reads, goes on doing so.
    const all = isKept ? lackingOf(named) : faultsOf(named, isCertificateThere)
    const wrong = [
      ...all.map(aboutSetting),
      ...(isKept ? [] : strange(bank, shown)),
      ...(bank === "woovi" ? [] : faultsOfCertificate(bank, settings, shown))
    ]
    if (wrong.length > 0) return yield* refused(...wrong)
    if (bank === "woovi")
      return { psp: yield* making(() => wooviBy(settings, shown.signingKeysPem)) }
    const certificate = certificateOf(settings, shown)
    const shownThere = present({ certificate, certificateAuthority: shown.authorityPem })
    const psp = yield* making(() => bacen(optionsOf({ ...settings, bank }, shownThere)))
    const look =
      certificate &&
      (yield* lookAtCertificate(certificate).pipe(
        Effect.mapError(({ message }) => refused(message))
      ))
    return { psp, ...present({ certificateEndsAt: look?.endsAt }) }
  })
})

/** The banks of `@pagora/psp-bacen`, and Woovi, each under its name. */
export const bankProviders: PspProviders = Object.fromEntries(
  [...(Object.keys(banks) as ReadonlyArray<BankName>), "woovi" as const].map((name) => [
    name,
    providerOf(name)
  ])
)
