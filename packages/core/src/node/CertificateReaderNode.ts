import { Layer } from "effect"
import { X509Certificate } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { TLSSocket } from "node:tls"
import type { CertificateReader } from "../http/Sender.ts"
import { CertificateReading } from "../http/Sender.ts"
import type { ClientCertificate } from "../ports/Psp.ts"

/** Certificates of clients by node:tls and node:crypto. */
export const layer: Layer.Layer<never> = Layer.sync(CertificateReading, (): CertificateReader => ({
  ofConnection: (source) => {
    const { socket } = source as Partial<IncomingMessage>
    const { authorized, getPeerX509Certificate: shown } = (socket ?? {}) as Partial<TLSSocket>
    const certificate = shown?.call(socket)
    return certificate === undefined ? undefined : told(certificate, authorized === true)
  },
  ofHeader: (value) => {
    const certificate = read(value)
    // The proxy passes on only what it has verified.
    return certificate === undefined ? undefined : told(certificate, true)
  }
}))

const told = (certificate: X509Certificate, verified: boolean): ClientCertificate => ({
  verified,
  // Node writes a part a line, the most general first, and escapes as RFC 4514 does.
  subject: certificate.subject.split("\n").toReversed().join(","),
  fingerprint: certificate.fingerprint256.replaceAll(":", "").toLowerCase()
})

/** Undefined where it is none. */
const read = (value: string): X509Certificate | undefined => {
  const bytes = /^:([A-Za-z0-9+/]+={0,2}):$/.exec(value)?.[1]
  try {
    return new X509Certificate(
      bytes === undefined ? decodeURIComponent(value) : Buffer.from(bytes, "base64")
    )
  } catch {
    return undefined
  }
}
