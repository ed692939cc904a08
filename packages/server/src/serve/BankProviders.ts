import type { GivenPsp, MadePsp, PspProvider, PspProviders, PspSettings } from "@pagora/core"
import { present, PspSettingsRefused } from "@pagora/core"
import type { BankName, CertificateSource } from "@pagora/psp-bacen"
import { bacen, BacenMisconfigured, banks, Certificate, lookAtCertificate } from "@pagora/psp-bacen"
import { Effect, Redacted, Result } from "effect"
import type { BankSettings } from "./BankConfig.ts"
import { missing, optionsOf } from "./BankConfig.ts"
import { bankVariables } from "./BankVariables.ts"

type BankVariable = keyof typeof bankVariables

/** Settings that are kept are text: none names a file, and which bank it is, and where, is said beside them. */
const elsewhere: ReadonlySet<string> = new Set<BankVariable>([
  "bank",
  "bankEnvironment",
  "bankCertificateFile",
  "bankCertificateKeyFile",
  "bankAuthorityFile"
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
const texts = ["certificatePem", "certificateKeyPem", "authorityPem"] as const
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

/** PSPs of one bank, of settings that the operator keeps in the service. */
const providerOf = (bank: BankName): PspProvider => ({
  make: Effect.fnUntraced(function* ({
    environment,
    settings: given
  }): Effect.fn.Return<MadePsp, PspSettingsRefused> {
    const { faults, settings, texts: shown } = read(Redacted.value(given), environment)
    if (faults.length > 0) return yield* refused(...faults)
    const named = { ...settings, bank }
    const absent = missing(named).map(aboutSetting)
    if (absent.length > 0) return yield* refused(...absent)
    if (settings.bankCertificateP12 !== undefined && shown.certificatePem !== undefined)
      return yield* refused(
        "settings.certificateP12 and settings.certificatePem are both there: keep one of them."
      )
    const certificate = certificateOf(settings, shown)
    const psp = yield* Effect.try({
      try: () =>
        bacen(optionsOf(named, present({ certificate, certificateAuthority: shown.authorityPem }))),
      catch: (error) => error
    }).pipe(
      Effect.catch((error) =>
        error instanceof BacenMisconfigured ? refused(error.message) : Effect.die(error)
      )
    )
    const look =
      certificate &&
      (yield* lookAtCertificate(certificate).pipe(
        Effect.mapError(({ message }) => refused(message))
      ))
    return { psp, ...present({ certificateEndsAt: look?.endsAt }) }
  })
})

/** The banks of `@pagora/psp-bacen`, each under its name. */
export const bankProviders: PspProviders = Object.fromEntries(
  Object.keys(banks).map((name) => [name, providerOf(name as BankName)])
)
