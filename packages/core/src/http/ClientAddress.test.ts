import { assert, describe, it } from "@effect/vitest"
import { parseIp } from "../kernel/IpAddress.ts"
import { clientAddress, isListed, proxiesOf } from "./ClientAddress.ts"

const proxies = ["10.0.0.0/8", "2001:db8:1::/48"]

const client = (
  socket: string | undefined,
  forwardedFor?: string,
  trusted: ReadonlyArray<string> = proxies
) => clientAddress(socket, forwardedFor, proxiesOf(trusted))

describe("clientAddress", () => {
  const rows: ReadonlyArray<
    readonly [name: string, socket: string, forwardedFor: string | undefined, client: string]
  > = [
    ["is the socket's", "203.0.113.7", undefined, "203.0.113.7"],
    ["is the socket's, whatever a stranger claims", "203.0.113.7", "198.51.100.1", "203.0.113.7"],
    ["is what the proxy saw", "10.0.0.1", "203.0.113.7", "203.0.113.7"],
    ["is what the proxy saw, over IPv6", "2001:db8:1::1", "2001:db8:2::1", "2001:db8:2::1"],
    ["is what the first proxy saw", "10.0.0.1", "203.0.113.7, 10.0.0.2", "203.0.113.7"],
    ["is not what the client wrote", "10.0.0.1", "192.0.2.1, 203.0.113.7", "203.0.113.7"],
    ["is not a proxy's that the client named", "10.0.0.1", "10.0.0.3, 203.0.113.7", "203.0.113.7"],
    ["is the mapped IPv4 address", "::ffff:10.0.0.1", "::ffff:203.0.113.7", "203.0.113.7"],
    ["has no port", "10.0.0.1", "203.0.113.7:4711", "203.0.113.7"],
    ["has no port and no brackets", "10.0.0.1", "[2001:db8:2::1]:4711", "2001:db8:2::1"],
    ["has no brackets", "10.0.0.1", "[2001:db8:2::1]", "2001:db8:2::1"],
    ["minds no white space", "10.0.0.1", " 203.0.113.7 ,\t10.0.0.2 ", "203.0.113.7"],
    ["is the proxy's own without the header", "10.0.0.1", undefined, "10.0.0.1"],
    ["is the first inside when all are ours", "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
    ["garbage left of the client is not read", "10.0.0.1", "nonsense, 203.0.113.7", "203.0.113.7"]
  ]
  it.each(rows)("%s", (_, socket, forwardedFor, expected) => {
    assert.deepStrictEqual(client(socket, forwardedFor), parseIp(expected))
  })

  const nobody: ReadonlyArray<readonly [string, string | undefined, string | undefined]> = [
    ["without a socket", undefined, "203.0.113.7"],
    ["where the socket's address is none", "@pagora", "203.0.113.7"],
    ["where the nearest hop is garbage", "10.0.0.1", "203.0.113.7, unknown"],
    ["where the nearest hop is empty", "10.0.0.1", "203.0.113.7,"],
    ["where the header is empty", "10.0.0.1", ""],
    ["where the hop has a port alone", "10.0.0.1", ":4711"],
    ["where the hop has a zone", "10.0.0.1", "fe80::1%eth0"]
  ]
  it.each(nobody)("is nobody's %s", (_, socket, forwardedFor) => {
    assert.isUndefined(client(socket, forwardedFor))
  })

  it("believes no header where no proxy is trusted", () => {
    assert.deepStrictEqual(client("10.0.0.1", "203.0.113.7", []), parseIp("10.0.0.1"))
  })

  it("does not start with a proxy that is not an address", () => {
    assert.throws(() => proxiesOf(["10.0.0.0/8", "load-balancer"]), "load-balancer")
  })
})

describe("isListed", () => {
  it("takes addresses and networks, and nobody without an address", () => {
    const list = ["203.0.113.7", "2001:db8::/32", "not an address"]
    assert.isTrue(isListed(parseIp("203.0.113.7"), list))
    assert.isTrue(isListed(parseIp("::ffff:203.0.113.7"), list))
    assert.isTrue(isListed(parseIp("2001:db8::9"), list))
    assert.isFalse(isListed(parseIp("203.0.113.8"), list))
    assert.isFalse(isListed(undefined, list))
    assert.isFalse(isListed(parseIp("203.0.113.7"), []))
  })
})
