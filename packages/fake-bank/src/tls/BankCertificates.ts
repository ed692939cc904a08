import { fingerprintOf, issue, makeAuthority, toPkcs12 } from "./Certificates.ts"
import type { Authority, Certified } from "./Certificates.ts"

/** A certificate of a customer, as PEM and as a `.p12` file. */
export interface ClientIdentity extends Certified {
  /** The same as a `.p12` file. */
  readonly pfx: Uint8Array
  readonly passphrase: string
}

/** All certificates of one fake bank. */
export interface BankCertificates {
  /** The authority of the bank's server and of its customers' certificates, as PEM. */
  readonly ca: string
  /** The authority of the certificate that the bank shows when it calls back, as PEM. */
  readonly callbackCa: string
  /** What the bank's server shows. */
  readonly server: () => Certified
  /** What the bank shows when it calls back. */
  readonly callback: Certified
  /** For a receiver on this machine: the bank trusts it as it trusts public authorities. */
  readonly receiver: Certified
  readonly issueClient: (name: string, days?: number) => Promise<ClientIdentity>
  readonly isKnownClient: (fingerprint: string) => boolean
  readonly revokeClient: (certificate: string) => void
  readonly renewServer: (days?: number) => Promise<Certified>
  /** A certificate with the callback's name of an authority that nobody trusts. */
  readonly forgeCallback: () => Promise<Certified>
}

const hosts = ["localhost", "127.0.0.1"]
const passphrase = "fake-bank"

/** What banks of one name start with. */
interface Foundation {
  readonly authority: Authority
  readonly callbackAuthority: Authority
  readonly server: Certified
  readonly callback: Certified
  readonly receiver: Certified
}

const kept = new Map<string, Promise<Foundation>>()

/** Signing takes most of a start, and tests start many banks: those of one name have the same in one process. */
const foundationOf = (bank: string): Promise<Foundation> => {
  const foundation = kept.get(bank) ?? makeFoundation(bank)
  kept.set(bank, foundation)
  return foundation
}

const makeFoundation = async (bank: string): Promise<Foundation> => {
  const [authority, callbackAuthority] = await Promise.all([
    makeAuthority(`Fake ${bank} CA`, "authority"),
    makeAuthority(`Fake ${bank} callback CA`, "callback authority")
  ])
  const [server, callback, receiver] = await Promise.all([
    serverOf(authority, bank, { place: "server" }),
    issue(callbackAuthority, { name: callbackName(bank), usage: "client" }, "callback"),
    serverOf(authority, "receiver", { place: "receiver" })
  ])
  return { authority, callbackAuthority, server, callback, receiver }
}

const callbackName = (bank: string) => `webhook.${bank}.fake`

export const makeBankCertificates = async (bank: string): Promise<BankCertificates> => {
  const { authority, callback, callbackAuthority, receiver, ...first } = await foundationOf(bank)
  let server = first.server
  const clients = new Set<string>()
  return {
    ca: authority.certificate,
    callbackCa: callbackAuthority.certificate,
    server: () => server,
    callback,
    receiver,
    issueClient: async (name, days) => {
      const wish = { name, usage: "client" } as const
      const place = clients.size === 0 ? "client" : undefined
      const client = await issue(authority, days === undefined ? wish : { ...wish, days }, place)
      clients.add(fingerprintOf(client.certificate))
      return { ...client, pfx: toPkcs12(client, passphrase), passphrase }
    },
    isKnownClient: (fingerprint) => clients.has(fingerprint),
    revokeClient: (certificate) => void clients.delete(fingerprintOf(certificate)),
    renewServer: async (days) => {
      server = await serverOf(authority, bank, days === undefined ? {} : { days })
      return server
    },
    forgeCallback: async () => {
      const stranger = await makeAuthority(`Fake ${bank} callback CA`)
      return issue(stranger, { name: callbackName(bank), usage: "client" })
    }
  }
}

const serverOf = (
  authority: Authority,
  name: string,
  { days, place }: { readonly days?: number; readonly place?: string }
) => {
  const wish = { name, usage: "server", hosts } as const
  return issue(authority, days === undefined ? wish : { ...wish, days }, place)
}
