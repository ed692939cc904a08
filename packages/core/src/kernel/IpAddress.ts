/** The bytes of an IP address, 4 or 16. */
export type IpBytes = ReadonlyArray<number>

/** A block of addresses: those whose first bits are the same. */
export interface IpNetwork {
  readonly bytes: IpBytes
  readonly bits: number
}

/**
 * Reads an address as RFC 4291 and the dotted form write it. An IPv4 address written as an IPv6 one
 * (`::ffff:192.0.2.1`) is that IPv4 address, however the socket names it. A zone (`%eth0`) is refused: it is an address
 * of one link, which nobody can list.
 */
export const parseIp = (text: string): IpBytes | undefined => {
  if (text.length > addressLengthMax) return undefined
  const bytes = ipv4(text) ?? ipv6(text)
  return bytes !== undefined && isMapped(bytes) ? bytes.slice(12) : bytes
}

/** Reads an address, or a block of them in the notation of CIDR (RFC 4632). Bits beyond the prefix must be zero. */
export const parseNetwork = (text: string): IpNetwork | undefined => {
  const [address = "", prefix, ...more] = text.split("/")
  const bytes = parseIp(address)
  if (bytes === undefined || more.length > 0) return undefined
  if (prefix === undefined) return { bytes, bits: bytes.length * 8 }
  // The prefix of a mapped address counts the 96 bits before it.
  const isIpv4 = bytes.length === 4
  const offset = isIpv4 && address.includes(":") ? 96 : 0
  if (!/^(?:0|[1-9]\d{0,2})$/.test(prefix)) return undefined
  const bits = Number(prefix) - offset
  if (bits < 0 || bits > bytes.length * 8) return undefined
  return bytes.every((byte, index) => (byte & ~maskOf(bits, index)) === 0)
    ? { bytes, bits }
    : undefined
}

/** Whether an address is in a block. An IPv4 address is in no block of IPv6 ones, and the other way round. */
export const isWithin = (address: IpBytes, network: IpNetwork): boolean =>
  address.length === network.bytes.length &&
  address.every((byte, index) => {
    const mask = maskOf(network.bits, index)
    return (byte & mask) === ((network.bytes[index] ?? 0) & mask)
  })

/** An address in the form of RFC 5952: four decimal numbers, or groups of small hexadecimal digits as short as can be. */
export const spell = (address: IpBytes): string => {
  if (address.length === 4) return address.join(".")
  const all = Array.from({ length: 8 }, (_, index) =>
    (((address[index * 2] ?? 0) << 8) | (address[index * 2 + 1] ?? 0)).toString(16)
  )
  const [from, length] = longestZeros(all)
  if (length < 2) return all.join(":")
  return `${all.slice(0, from).join(":")}::${all.slice(from + length).join(":")}`
}

/** Where the longest run of zeros begins, the first of several, and how long it is. */
const longestZeros = (all: ReadonlyArray<string>): readonly [from: number, length: number] => {
  let best: readonly [number, number] = [0, 0]
  for (let from = 0; from < all.length; from++) {
    let length = 0
    while (all[from + length] === "0") length++
    if (length > best[1]) best = [from, length]
  }
  return best
}

const addressLengthMax = 45

/** What of the byte at an index belongs to a prefix of so many bits. */
const maskOf = (bits: number, index: number): number => {
  const left = Math.min(8, Math.max(0, bits - index * 8))
  return (0xff << (8 - left)) & 0xff
}

const isMapped = (bytes: IpBytes): boolean =>
  bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && ffff(bytes)
const ffff = (bytes: IpBytes): boolean => bytes[10] === 0xff && bytes[11] === 0xff

/** Four decimal numbers. A leading zero is refused: some readers take what follows it for octal. */
const ipv4 = (text: string): IpBytes | undefined => {
  const parts = text.split(".")
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part))
    ? inRange(parts.map(Number))
    : undefined
}

const inRange = (bytes: IpBytes): IpBytes | undefined =>
  bytes.every((byte) => byte <= 255) ? bytes : undefined

const ipv6 = (text: string): IpBytes | undefined => {
  const halves = text.split("::")
  if (halves.length > 2) return undefined
  const [left = "", right] = halves
  const head = groups(left, right === undefined)
  const tail = right === undefined ? [] : groups(right, true)
  if (head === undefined || tail === undefined) return undefined
  const missing = 16 - head.length - tail.length
  // The double colon stands for one group of zeros at least.
  if (right === undefined ? missing !== 0 : missing < 2) return undefined
  return [...head, ...Array.from({ length: missing }, () => 0), ...tail]
}

/** The bytes of groups between colons; the last of all may be an IPv4 address. */
const groups = (text: string, isLast: boolean): IpBytes | undefined => {
  if (text === "") return []
  const parts = text.split(":")
  const bytes = parts.map((part, index) => {
    if (/^[0-9a-fA-F]{1,4}$/.test(part)) {
      const value = Number.parseInt(part, 16)
      return [value >> 8, value & 0xff]
    }
    return isLast && index === parts.length - 1 ? ipv4(part) : undefined
  })
  return bytes.some((part) => part === undefined) ? undefined : bytes.flatMap((part) => part ?? [])
}
