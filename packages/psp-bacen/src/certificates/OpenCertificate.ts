import { Effect, Redacted } from "effect"
import type { X509Certificate } from "node:crypto"
import { Agent } from "node:https"
import { PassThrough } from "node:stream"
import type { SecureContext } from "node:tls"
import { createSecureContext, TLSSocket } from "node:tls"
import type { ClientIdentity } from "./Certificate.ts"
import { CertificateUnreadable } from "./Certificate.ts"

/** What a certificate says of itself. */
export interface CertificateFacts {
  readonly subject: string
  readonly notAfterMillis: number
  /** SHA-256, in lower-case hexadecimal digits: tells one certificate from the next. */
  readonly fingerprint: string
}

/** Connections that show one certificate, or none. */
export interface OpenCertificate {
  readonly agent: Agent
  readonly facts: CertificateFacts | undefined
}

/** Shorter than servers keep connections open, so that few of them are closed at the very moment they are used. */
const idleMillis = 4_000
const idleMax = 16

/** Makes ready what shows an identity; `authorities` stand in for the system's, as PEM. */
export const openCertificate = (
  identity: ClientIdentity | undefined,
  authorities: string | undefined
): Effect.Effect<OpenCertificate, CertificateUnreadable> =>
  Effect.try({
    try: () => {
      const secureContext = createSecureContext({
        minVersion: "TLSv1.2",
        ...(authorities === undefined ? {} : { ca: authorities }),
        ...identityOptions(identity)
      })
      const agent = new Agent({
        keepAlive: true,
        maxFreeSockets: idleMax,
        timeout: idleMillis,
        secureContext
      })
      return { agent, facts: identity === undefined ? undefined : factsOf(secureContext) }
    },
    // OpenSSL's words quote nothing, but they explain nothing either.
    catch: (error) => new CertificateUnreadable({ problem: problemOf(error, identity) })
  })

/** Lets go of connections that nobody uses; those in use end with their request, and are not used again. */
export const retire = ({ agent }: OpenCertificate): void => {
  Object.assign(agent, { keepAlive: false })
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy()
  }
}

const identityOptions = (identity: ClientIdentity | undefined) => {
  if (identity === undefined) return {}
  const { passphrase } = identity
  const opened = passphrase === undefined ? {} : { passphrase: Redacted.value(passphrase) }
  return "p12" in identity
    ? { pfx: Buffer.from(identity.p12), ...opened }
    : { cert: identity.certificate, key: Redacted.value(identity.privateKey), ...opened }
}

/** Node opens a PKCS #12 for connections alone: one that leads nowhere shows the certificate in it. */
const factsOf = (secureContext: SecureContext): CertificateFacts => {
  const socket = new TLSSocket(new PassThrough(), { secureContext, isServer: true })
  try {
    const certificate: X509Certificate | undefined = socket.getX509Certificate()
    if (certificate === undefined) throw new Error("no certificate")
    return {
      subject: certificate.subject.split("\n").toReversed().join(","),
      notAfterMillis: Date.parse(certificate.validTo),
      fingerprint: certificate.fingerprint256.replaceAll(":", "").toLowerCase()
    }
  } finally {
    socket.destroy()
  }
}

const problemOf = (error: unknown, identity: ClientIdentity | undefined): string => {
  const words = error instanceof Error ? error.message : ""
  if (/mac verify|bad decrypt|bad password/i.test(words))
    return "The passphrase does not open the certificate."
  if (/unsupported/i.test(words) && identity !== undefined && !("p12" in identity))
    return "There is no private key in PEM that can be read: give the key's file beside the certificate's, or both in one file."
  if (/unsupported/i.test(words))
    return "The .p12 is written with ciphers that OpenSSL 3 has retired: write it anew (openssl pkcs12 -legacy -in … -out all.pem, then openssl pkcs12 -export -in all.pem -out new.p12)."
  if (/values mismatch/i.test(words)) return "The private key does not belong to the certificate."
  return "The certificate is no .p12 and no PEM pair that can be read."
}
