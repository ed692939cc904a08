import { generateKeyPair, X509Certificate } from "node:crypto"
import { isIP } from "node:net"
import { promisify } from "node:util"
import forge from "node-forge"
import type { pki } from "node-forge"

// node-forge, because it writes PKCS#12 files besides certificates and brings nothing along; @peculiar/x509 and selfsigned write
// none. Keys are Node's own: made in JavaScript they take seconds.

/** A certificate and the key that goes with it, as PEM. */
export interface Certified {
  readonly certificate: string
  readonly key: string
}

/** Who signs certificates. */
export type Authority = Certified

export interface CertificateWish {
  /** The common name. */
  readonly name: string
  readonly usage: "server" | "client"
  /** Host names and addresses of a server. */
  readonly hosts?: ReadonlyArray<string>
  /** So many days from now it ends, by the machine's clock, to which TLS goes; before now if negative. */
  readonly days?: number
}

const dayMillis = 86_400_000
const daysUnlessTold = 365

interface Keys {
  readonly key: string
  readonly publicKey: string
}

const newKeys = async (): Promise<Keys> => {
  const { privateKey, publicKey } = await promisify(generateKeyPair)("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" }
  })
  return { key: privateKey, publicKey }
}

const kept = new Map<string, Promise<Keys>>()

/** Making keys takes most of a bank's start, so all banks of a process start with the same. Renewed certificates have new ones. */
const keysFor = (place: string | undefined): Promise<Keys> => {
  if (place === undefined) return newKeys()
  const keys = kept.get(place) ?? newKeys()
  kept.set(place, keys)
  return keys
}

export const makeAuthority = async (name: string, place?: string): Promise<Authority> => {
  const { key, publicKey } = await keysFor(place)
  const certificate = blank(name, publicKey, daysUnlessTold)
  certificate.setIssuer(certificate.subject.attributes)
  certificate.setExtensions([
    { name: "basicConstraints", cA: true, critical: true },
    { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    { name: "subjectKeyIdentifier" }
  ])
  certificate.sign(forge.pki.privateKeyFromPem(key), forge.md.sha256.create())
  return { key, certificate: forge.pki.certificateToPem(certificate) }
}

export const issue = async (
  authority: Authority,
  wish: CertificateWish,
  place?: string
): Promise<Certified> => {
  const { key, publicKey } = await keysFor(place)
  const signer = forge.pki.certificateFromPem(authority.certificate)
  const certificate = blank(wish.name, publicKey, wish.days ?? daysUnlessTold)
  const isServer = wish.usage === "server"
  certificate.setIssuer(signer.subject.attributes)
  certificate.setExtensions([
    { name: "basicConstraints", cA: false },
    { name: "keyUsage", digitalSignature: true, keyEncipherment: true, critical: true },
    { name: "extKeyUsage", serverAuth: isServer, clientAuth: !isServer },
    ...(wish.hosts === undefined
      ? []
      : [{ name: "subjectAltName", altNames: wish.hosts.map(alternative) }])
  ])
  certificate.sign(forge.pki.privateKeyFromPem(authority.key), forge.md.sha256.create())
  return { key, certificate: forge.pki.certificateToPem(certificate) }
}

const alternative = (host: string) =>
  isIP(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host }

const blank = (name: string, publicKey: string, days: number): pki.Certificate => {
  const certificate = forge.pki.createCertificate()
  const now = Date.now()
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey)
  // Positive, and without a zero before it that says nothing (RFC 5280, X.690): Node takes no other.
  certificate.serialNumber = `01${forge.util.bytesToHex(forge.random.getBytesSync(15))}`
  certificate.validity.notBefore = new Date(now + Math.min(0, days) * dayMillis - dayMillis)
  certificate.validity.notAfter = new Date(now + days * dayMillis)
  certificate.setSubject([
    { name: "commonName", value: name },
    { name: "organizationName", value: "Fake Bank" }
  ])
  return certificate
}

/** A `.p12` file of it, as banks hand out. */
export const toPkcs12 = ({ certificate, key }: Certified, passphrase: string): Uint8Array => {
  const asn1 = forge.pkcs12.toPkcs12Asn1(
    forge.pki.privateKeyFromPem(key),
    [forge.pki.certificateFromPem(certificate)],
    passphrase,
    { algorithm: "aes256" }
  )
  return Buffer.from(forge.asn1.toDer(asn1).getBytes(), "binary")
}

/** SHA-256 of a certificate, as `tls.TLSSocket.getPeerCertificate` tells it. */
export const fingerprintOf = (certificate: string): string =>
  new X509Certificate(certificate).fingerprint256
