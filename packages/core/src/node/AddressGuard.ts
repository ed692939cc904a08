import { isIP, isIPv4 } from "node:net"

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
  const refusal = isIP(host) === 0 ? nameRefusal(host) : isGlobal(host) ? undefined : "address"
  return refusal ?? { url, host, isAllowed: isGlobal }
}

const urlLengthMax = 2048
/** What parsers drop, or read as something else: white space, control characters, the backslash. */
const oddities = /[^!-~\u{a1}-\u{10ffff}]|\s|\\/u
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
  const bytes = bytesOf(address)
  if (bytes === undefined) return false
  if (bytes.length === 4) return !specialIpv4.some((block) => isWithin(bytes, block))
  const wrapped = wrappers.find((block) => isWithin(bytes, block))
  if (wrapped !== undefined) return isGlobal(bytes.slice(12).join("."))
  return isWithin(bytes, globalUnicast) && !specialIpv6.some((block) => isWithin(bytes, block))
}

/** Whether an address stays on this machine, `::ffff:127.0.0.1` included. */
export const isLoopback = (address: string): boolean => {
  const bytes = bytesOf(address)
  if (bytes === undefined) return false
  return loopback.some((block) => isWithin(bytes, block))
}

interface Block {
  readonly bytes: ReadonlyArray<number>
  readonly bits: number
}

const isWithin = (bytes: ReadonlyArray<number>, block: Block): boolean => {
  if (bytes.length !== block.bytes.length) return false
  for (let bit = 0; bit < block.bits; bit += 8) {
    const mask = block.bits - bit >= 8 ? 0xff : (0xff << (8 - (block.bits - bit))) & 0xff
    if ((((bytes[bit / 8] ?? 0) ^ (block.bytes[bit / 8] ?? 0)) & mask) !== 0) return false
  }
  return true
}

const block = (text: string): Block => {
  const [address = "", bits = ""] = text.split("/")
  return { bytes: bytesOf(address) ?? [], bits: Number(bits) }
}

/** The 4 or 16 bytes of an address; a zone (`%eth0`) makes it one of a link, which is nobody's address. */
const bytesOf = (address: string): ReadonlyArray<number> | undefined => {
  if (isIPv4(address)) return address.split(".").map(Number)
  if (isIP(address) !== 6 || address.includes("%")) return undefined
  const tail = /[^:]*\.[^:]*$/.exec(address)?.[0]
  const [a = 0, b = 0, c = 0, d = 0] = tail === undefined ? [] : tail.split(".").map(Number)
  const hex = (high: number, low: number) => (high * 256 + low).toString(16)
  const plain =
    tail === undefined ? address : address.slice(0, -tail.length) + `${hex(a, b)}:${hex(c, d)}`
  const groups = (part: string | undefined) =>
    part === undefined || part === "" ? [] : part.split(":")
  const [head, rest] = plain.split("::")
  const left = groups(head)
  const right = groups(rest)
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0")
  return [...left, ...zeros, ...right].flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}

const loopback = ["127.0.0.0/8", "::1/128", "::ffff:127.0.0.0/104"].map(block)

/** IPv4 addresses written as IPv6 ones: mapped (RFC 4291), and by the well-known NAT64 prefix (RFC 6052). */
const wrappers = ["::ffff:0:0/96", "64:ff9b::/96"].map(block)

const specialIpv4 = [
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
].map(block)

/** All that is assigned as global unicast so far; everything outside is special or nobody's. */
const globalUnicast = block("2000::/3")

/** Blocks within global unicast. Tunnels that carry an IPv4 address are refused whole: no server lives there. */
const specialIpv6 = [
  "2001::/23", // protocol assignments: Teredo, benchmarking, ORCHID and others (RFC 2928)
  "2001:db8::/32", // documentation (RFC 3849)
  "2002::/16", // 6to4 (RFC 3056)
  "2620:4f:8000::/48", // AS112 (RFC 7534)
  "3fff::/20" // documentation (RFC 9637)
].map(block)
