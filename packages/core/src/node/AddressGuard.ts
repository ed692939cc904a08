import type { IpBytes, IpNetwork } from "../kernel/IpAddress.ts"
import { isWithin, parseIp, parseNetwork } from "../kernel/IpAddress.ts"
import { Recent } from "../kernel/Recent.ts"

/** Why nothing is sent to an address; the same words for all that is behind it. */
export type Refusal = "scheme" | "port" | "address" | "url"

export interface TargetRules {
  /** Also `http` to loopback, on any port. For development only. */
  readonly allowLoopbackHttp: boolean
  /** Where `https` may go. */
  readonly ports: ReadonlyArray<number>
}

/** An address that may be tried: what its name resolves to is still to be checked, by `isAllowed`. */
export interface Target {
  readonly url: URL
  /** A name, or an IP address without brackets. */
  readonly host: string
  readonly isAllowed: (address: string) => boolean
}

/**
 * Reads a URL that a customer chose. It is judged in the form that the WHATWG parser gives it, which is the
 * form that is connected to: `0x7f.1`, `2130706433` and full-width digits are `127.0.0.1` by then.
 */
export const readTarget = (text: string, rules: TargetRules): Target | Refusal => {
  const url = text.length > urlLengthMax || oddities.test(text) ? null : URL.parse(text)
  if (url === null) return "url"
  const isHttp = url.protocol === "http:"
  if (url.protocol !== "https:" && !isHttp) return "scheme"
  const authority = authorityForm.exec(text)?.[1]
  if (authority === undefined || authority.includes("@") || text.includes("#")) return "url"
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
  if (isHttp) {
    const isOwn = host === "localhost" || isLoopback(host)
    return rules.allowLoopbackHttp && isOwn ? { url, host, isAllowed: isLoopback } : "scheme"
  }
  if (!rules.ports.includes(url.port === "" ? 443 : Number(url.port))) return "port"
  const isName = parseIp(host) === undefined
  const refusal = isName ? nameRefusal(host) : isGlobal(host) ? undefined : "address"
  return refusal ?? { url, host, isAllowed: isGlobal }
}

/** Addresses that one reader remembers at least. */
const targetsMax = 1_000

/** Reads as `readTarget` does, an address that is sent to again and again only once: all depends on its text alone. */
export const makeTargetReader = (rules: TargetRules): ((text: string) => Target | Refusal) => {
  const known = new Recent<string, Target | Refusal>(targetsMax)
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const target = readTarget(text, rules)
    known.set(text, target)
    return target
  }
}

const urlLengthMax = 2048
/** What parsers drop, read as something else, or nobody sees: white space, controls, the backslash. */
const oddities = /[^!-~\u{a1}-\u{10ffff}]|\s|\p{Cf}|\\/u
/** Parsers also read `https:host` and `https:///host`; we do not. What stands before an `@` is a credential. */
const authorityForm = /^https?:\/\/([^/?#]+)/i

const nameRefusal = (name: string): Refusal | undefined => {
  const labels = name.split(".")
  if (name.length > nameLengthMax || !labels.every((label) => labelForm.test(label))) return "url"
  return labels.length === 1 || privateNames.test(name) ? "address" : undefined
}

const nameLengthMax = 253
const labelForm = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
/** Names that no public server has (RFC 6761, 6762, 7686, 8375, 9476; ICANN's `internal`). */
const privateNames = /\.(?:localhost|local|localdomain|internal|home\.arpa|onion|alt|test|invalid)$/

/**
 * Whether an address is a public, unicast one. What IANA's registries of special purposes name is not, nor
 * is multicast, nor what is not assigned. An address that only wraps an IPv4 one counts as that one.
 */
export const isGlobal = (address: string): boolean => {
  const bytes = parseIp(address)
  return bytes !== undefined && isPublic(bytes)
}

const isPublic = (bytes: IpBytes): boolean => {
  if (bytes.length === 4) return !isIn(bytes, specialIpv4)
  if (isIn(bytes, translated)) return isPublic(bytes.slice(12))
  return isIn(bytes, globalUnicast) && !isIn(bytes, specialIpv6)
}

/** Whether an address stays on this machine, `::ffff:127.0.0.1` included. */
export const isLoopback = (address: string): boolean => {
  const bytes = parseIp(address)
  return bytes !== undefined && isIn(bytes, loopback)
}

const isIn = (bytes: IpBytes, networks: ReadonlyArray<IpNetwork>): boolean =>
  networks.some((network) => isWithin(bytes, network))

/** A mistake in a list below must not let anything through. */
const networksOf = (texts: ReadonlyArray<string>): ReadonlyArray<IpNetwork> =>
  texts.map((text) => {
    const network = parseNetwork(text)
    if (network === undefined) throw new Error(`${text} is no network.`)
    return network
  })

const loopback = networksOf(["127.0.0.0/8", "::1/128"])

/** IPv4 addresses in the well-known NAT64 prefix (RFC 6052). Mapped ones are IPv4 addresses when they are read. */
const translated = networksOf(["64:ff9b::/96"])

const specialIpv4 = networksOf([
  "0.0.0.0/8", // this network (RFC 791)
  "10.0.0.0/8", // private (RFC 1918)
  "100.64.0.0/10", // carriers' NAT (RFC 6598)
  "127.0.0.0/8", // loopback (RFC 1122)
  "168.63.129.16/32", // Azure's platform, seen from inside only, whatever the registries say
  "169.254.0.0/16", // link-local, metadata of clouds (RFC 3927)
  "172.16.0.0/12", // private (RFC 1918)
  "192.0.0.0/24", // protocol assignments (RFC 6890)
  "192.0.2.0/24", // documentation (RFC 5737)
  "192.31.196.0/24", // AS112 (RFC 7535)
  "192.52.193.0/24", // AMT (RFC 7450)
  "192.88.99.0/24", // 6to4 relays, deprecated (RFC 7526)
  "192.168.0.0/16", // private (RFC 1918)
  "192.175.48.0/24", // AS112 (RFC 7534)
  "198.18.0.0/15", // benchmarking (RFC 2544)
  "198.51.100.0/24", // documentation (RFC 5737)
  "203.0.113.0/24", // documentation (RFC 5737)
  "224.0.0.0/4", // multicast (RFC 5771)
  "240.0.0.0/4" // reserved, and limited broadcast (RFC 1112, 919)
])

/** All that is assigned as global unicast so far; everything outside is special or nobody's. */
const globalUnicast = networksOf(["2000::/3"])

/** Blocks within global unicast. Tunnels that carry an IPv4 address are refused whole: no server lives there. */
const specialIpv6 = networksOf([
  "2001::/23", // protocol assignments: Teredo, benchmarking, ORCHID and others (RFC 2928)
  "2001:db8::/32", // documentation (RFC 3849)
  "2002::/16", // 6to4 (RFC 3056)
  "2620:4f:8000::/48", // AS112 (RFC 7534)
  "3fff::/20" // documentation (RFC 9637)
])
