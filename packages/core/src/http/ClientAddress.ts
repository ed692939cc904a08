import { Context } from "effect"
import type { IpBytes, IpNetwork } from "../kernel/IpAddress.ts"
import { isWithin, parseIp, parseNetwork } from "../kernel/IpAddress.ts"

/**
 * The proxies in front of the service whose X-Forwarded-For is believed: addresses and networks in the notation of
 * CIDR. None unless configured: a client could write anything there (decision 0018).
 */
export const TrustedProxies = Context.Reference<ReadonlyArray<string>>(
  "@pagora/core/http/TrustedProxies",
  { defaultValue: () => [] }
)

/** Reads the configured proxies. A typing error must not quietly change who is believed: it throws. */
export const proxiesOf = (texts: ReadonlyArray<string>): ReadonlyArray<IpNetwork> =>
  texts.map((text) => {
    const network = parseNetwork(text)
    if (network === undefined)
      throw new Error(`${text} is not an IP address or network; it was given as a trusted proxy.`)
    return network
  })

/**
 * The address that a request came from: the socket's, or, where that is a trusted proxy, the last one in
 * X-Forwarded-For that is not. Each proxy adds on the right what it saw, so what stands left of the first stranger was
 * written by that stranger. Undefined when it cannot be told.
 */
export const clientAddress = (
  socket: string | undefined,
  forwardedFor: string | undefined,
  proxies: ReadonlyArray<IpNetwork>
): IpBytes | undefined => {
  const isTrusted = (address: IpBytes) => proxies.some((proxy) => isWithin(address, proxy))
  let address = socket === undefined ? undefined : parseIp(socket)
  const hops = forwardedFor === undefined ? [] : forwardedFor.split(",")
  while (address !== undefined && isTrusted(address)) {
    const hop = hops.pop()
    if (hop === undefined) return address
    address = parseIp(withoutPort(hop.trim()))
  }
  return address
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (hop: string): string =>
  /^\[([^\]]*)\](?::\d{1,5})?$/.exec(hop)?.[1] ?? /^([^:]+):\d{1,5}$/.exec(hop)?.[1] ?? hop

/** Whether an address may, by a credential's list. One that cannot be told may not. */
export const isListed = (address: IpBytes | undefined, allowed: ReadonlyArray<string>): boolean =>
  address !== undefined &&
  allowed.some((text) => {
    const network = parseNetwork(text)
    return network !== undefined && isWithin(address, network)
  })
