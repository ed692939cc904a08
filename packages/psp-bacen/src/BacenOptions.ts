import type { PspShape } from "@pagora/core"
import { PixKey } from "@pagora/core"
import type { Transport } from "@pagora/core/psp"
import { Redacted, Result, Schema } from "effect"
import type { CallbackProof } from "./callbacks/CallbackProof.ts"
import type { CertificateSource } from "./certificates/Certificate.ts"
import { redacted } from "./certificates/Certificate.ts"
import type { EfiSettings } from "./efi/EfiSettings.ts"
import type { BankName } from "./profiles/Banks.ts"
import { banks } from "./profiles/Banks.ts"
import type { BankHosts, BankProfile } from "./profiles/BankProfile.ts"

type Secret = string | Redacted.Redacted<string>

export interface BacenOptions {
  /** A bank by its name, or a profile of your own: `{ ...banks.itau, production: … }` where the bank told you something else. */
  readonly bank: BankName | BankProfile
  readonly environment: PspShape["environment"]
  /** The Pix key that charges are paid to, and that payouts go out from, in the form of the DICT. */
  readonly pixKey: string
  readonly clientId: string
  readonly clientSecret?: Secret
  /** What we show to the bank. All nine banks want one in production. */
  readonly certificate?: CertificateSource
  /** What proves that a callback is of the bank. Without it none is taken. */
  readonly callbacks?: CallbackProof
  /** Banco do Brasil's `gw-dev-app-key`. */
  readonly appKey?: Secret
  /** Inter's `x-conta-corrente`, where the application has several accounts. */
  readonly account?: string
  /** A token of the portal, instead of tokens that are asked for (Sicoob's sandbox). */
  readonly fixedToken?: Secret
  /** Stands in codes that the bank leaves to us. */
  readonly merchant?: { readonly name: string; readonly city: string }
  readonly efi?: EfiSettings
  /** Scheme, host and port in the place of the bank's, such as those of a fake bank. */
  readonly origin?: string
  /** Trusted instead of the system's authorities, as PEM. */
  readonly certificateAuthority?: string
  /** Carries the requests, in the place of connections that show `certificate`: that is its own matter then. */
  readonly transport?: Transport
}

/** The options do not describe a bank that can be asked. */
export class BacenMisconfigured extends Schema.TaggedError<BacenMisconfigured>()(
  "BacenMisconfigured",
  { problem: Schema.String }
) {
  override get message(): string {
    return this.problem
  }
}

export interface BacenSettings {
  readonly profile: BankProfile
  readonly hosts: BankHosts
}

/** The bank and its addresses; the first option that is wrong is told in a sentence. */
export const readOptions = (options: BacenOptions): BacenSettings => {
  const problem = problemOf(options)
  if (problem !== undefined) throw new BacenMisconfigured({ problem })
  const profile = profileOf(options)
  const hosts = options.environment === "production" ? profile.production : profile.sandbox
  if (hosts === undefined)
    throw new BacenMisconfigured({ problem: `${profile.name} has no test environment.` })
  return { profile, hosts: options.origin === undefined ? hosts : movedTo(hosts, options.origin) }
}

const profileOf = ({ bank }: BacenOptions): BankProfile =>
  typeof bank === "string" ? banks[bank] : bank

const problemOf = (options: BacenOptions): string | undefined => {
  const { callbacks, certificate, clientId, clientSecret, environment, fixedToken, transport } =
    options
  const profile = profileOf(options)
  if (profile === undefined) return `bank is one of ${Object.keys(banks).join(", ")}.`
  if (Result.isFailure(PixKey.fromDictForm(options.pixKey)))
    return "pixKey must be a Pix key as the directory stores it, such as a CNPJ of 14 digits or a random key."
  if (clientId === "" && fixedToken === undefined)
    return "clientId must be what the bank's portal shows."
  if (clientSecret === undefined && profile.token.client !== "id" && fixedToken === undefined)
    return `clientSecret is missing: ${profile.name} wants one.`
  if (environment === "production" && certificate === undefined && transport === undefined)
    return `certificate is missing: in production ${profile.name} wants one, such as Certificate.p12File("…").`
  if (callbacks?.by === "secret" && !isStrong(callbacks.secret))
    return "callbacks.secret must be 16 to 200 letters, digits, hyphens and underscores."
  return options.origin !== undefined && !/^https:\/\/[^/?#]+$/.test(options.origin)
    ? "origin must be an address without a path, such as https://localhost:8443."
    : undefined
}

const isStrong = (secret: Secret): boolean =>
  /^[A-Za-z0-9_-]{16,200}$/.test(Redacted.value(redacted(secret)))

const movedTo = (hosts: BankHosts, origin: string): BankHosts => {
  const moved = (address: string) => origin + address.replace(/^https:\/\/[^/]+/, "")
  return { api: moved(hosts.api), token: moved(hosts.token) }
}
