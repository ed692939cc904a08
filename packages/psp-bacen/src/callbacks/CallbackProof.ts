import type { PspShape, RawNotification } from "@pagora/core"
import { isSame } from "@pagora/core/psp"
import { Redacted } from "effect"
import { redacted } from "../certificates/Certificate.ts"
import type { BankProfile } from "../profiles/BankProfile.ts"

/**
 * What proves that a callback is of the bank.
 *
 * - `mutualTls`: the certificate that it shows, to us or to a trusted proxy; compared with a common name or with fingerprints where
 *   they are told. Banks show one certificate for all of their customers, so it proves that the bank called, and not that it called
 *   about our account: what it tells of is read back;
 * - `secret`: a secret in the query of the address that the bank was told, and the address that it calls from, as far as the bank
 *   says which one that is (`addresses`; an empty list asks for none).
 */
export type CallbackProof =
  | {
      readonly by: "mutualTls"
      readonly commonName?: string
      /** SHA-256, in lower-case hexadecimal digits. */
      readonly fingerprints?: ReadonlyArray<string>
    }
  | {
      readonly by: "secret"
      /** 16 letters and digits at least. */
      readonly secret: string | Redacted.Redacted<string>
      readonly addresses?: ReadonlyArray<string>
    }

/** The parameter in which the secret comes back. */
const secretParameter = "hmac"

/** Where callbacks are to go. What banks add to an address, `/pix`, ends in the parameter that stands last and that nobody reads. */
export const callbackUrl = (webhookUrl: string, proof: CallbackProof | undefined): string => {
  if (proof?.by !== "secret") return webhookUrl
  const url = new URL(webhookUrl)
  url.searchParams.set(secretParameter, Redacted.value(redacted(proof.secret)))
  url.searchParams.set("ignorar", "")
  return url.href
}

/** What a bank says of an address may repeat it, and the secret with it. */
export const withoutProof = (words: string, proof: CallbackProof | undefined): string =>
  proof?.by === "secret" ? words.replaceAll(Redacted.value(redacted(proof.secret)), "***") : words

/** Judges whether a callback is of the bank. Where nothing is told that proves it, none is. */
export const makeJudge = (
  proof: CallbackProof | undefined,
  profile: BankProfile,
  environment: PspShape["environment"]
): ((notification: RawNotification) => boolean) => {
  if (proof === undefined) return () => false
  if (proof.by === "mutualTls") return (notification) => isShown(notification, proof)
  const secret = redacted(proof.secret)
  const known = profile.callbacks.addresses
  const addresses =
    proof.addresses ?? (environment === "production" ? known?.production : undefined) ?? []
  return ({ query, remoteAddress = "" }) =>
    isSame(query[secretParameter] ?? "", Redacted.value(secret)) &&
    (addresses.length === 0 || addresses.includes(remoteAddress.replace(/^::ffff:/i, "")))
}

const isShown = (
  { clientCertificate }: RawNotification,
  { commonName, fingerprints }: Extract<CallbackProof, { readonly by: "mutualTls" }>
): boolean => {
  if (clientCertificate === undefined || !clientCertificate.verified) return false
  const { fingerprint, subject } = clientCertificate
  if (fingerprints !== undefined && !fingerprints.includes(fingerprint)) return false
  return commonName === undefined || commonNameOf(subject) === commonName
}

const commonNameOf = (subject: string): string | undefined =>
  /(?:^|[,+])CN=((?:\\.|[^,+\\])+)/.exec(subject)?.[1]
