import { assert, describe, it } from "@effect/vitest"
import { isIP } from "node:net"
import { isWithin, parseIp, parseNetwork, spell } from "./IpAddress.ts"

describe("parseIp", () => {
  const same: ReadonlyArray<readonly [string, string]> = [
    ["192.0.2.1", "::ffff:192.0.2.1"],
    ["192.0.2.1", "::FFFF:c000:201"],
    ["192.0.2.1", "0:0:0:0:0:ffff:192.0.2.1"],
    ["2001:db8::1", "2001:DB8:0:0:0:0:0:1"],
    ["2001:db8::", "2001:0db8:0000:0000:0000:0000:0000:0000"],
    ["::", "0:0:0:0:0:0:0:0"],
    ["64:ff9b::192.0.2.1", "64:ff9b::c000:201"]
  ]
  it.each(same)("reads %s and %s as one address", (one, other) => {
    assert.isDefined(parseIp(one))
    assert.deepStrictEqual(parseIp(one), parseIp(other))
  })

  const refused = [
    "",
    " 192.0.2.1",
    "192.0.2.1 ",
    "192.0.2",
    "192.0.2.1.1",
    "192.0.2.256",
    "192.0.2.01",
    "0x7f.0.0.1",
    "2130706433",
    "192.0.2.1:80",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7::8",
    "1::2::3",
    ":1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:",
    ":::",
    "12345::",
    "g::",
    "fe80::1%eth0",
    "[::1]",
    "192.0.2.1::",
    "::192.0.2.1:1",
    "::ffff:192.0.2.1.1",
    "unknown",
    "١.1.1.1"
  ]
  it.each(refused)("refuses %j", (text) => assert.isUndefined(parseIp(text)))

  it("agrees with Node on what an address is", () => {
    const pieces = ["0", "1", "255", "ffff", "", "12345", "01", "1.2.3.4", "::", "a", "256"]
    let found = 0
    for (let n = 0; n < 20_000; n++) {
      const parts = Array.from(
        { length: 1 + (n % 9) },
        (_, index) => pieces[(n * 7 + index * (n >> 3)) % pieces.length]
      )
      const text = parts.join(n % 3 === 0 ? "." : ":")
      if (isIP(text) !== 0) found++
      assert.strictEqual(parseIp(text) !== undefined, isIP(text) !== 0, text)
    }
    assert.isAbove(found, 10)
  })
})

describe("parseNetwork", () => {
  const within: ReadonlyArray<readonly [string, string, boolean]> = [
    ["192.0.2.1", "192.0.2.1", true],
    ["192.0.2.2", "192.0.2.1", false],
    ["192.0.2.200", "192.0.2.0/24", true],
    ["192.0.3.0", "192.0.2.0/24", false],
    ["192.0.2.127", "192.0.2.0/25", true],
    ["192.0.2.128", "192.0.2.0/25", false],
    ["10.255.255.255", "10.0.0.0/8", true],
    ["203.0.113.9", "0.0.0.0/0", true],
    ["::ffff:192.0.2.9", "192.0.2.0/24", true],
    ["192.0.2.9", "::ffff:192.0.2.0/120", true],
    ["2001:db8::1", "0.0.0.0/0", false],
    ["192.0.2.1", "::/0", false],
    ["2001:db8:1::1", "2001:db8::/32", true],
    ["2001:db9::1", "2001:db8::/32", false],
    ["2001:db8::1", "2001:db8::1/128", true]
  ]
  it.each(within)("%s in %s: %s", (address, network, expected) => {
    const bytes = parseIp(address)
    const block = parseNetwork(network)
    assert.isDefined(bytes)
    assert.isDefined(block)
    assert.strictEqual(isWithin(bytes ?? [], block ?? { bytes: [], bits: 0 }), expected)
  })

  const refused = [
    "192.0.2.0/33",
    "192.0.2.0/-1",
    "192.0.2.0/",
    "192.0.2.0/24/24",
    "192.0.2.0/024",
    "192.0.2.0/2a",
    "192.0.2.1/24",
    "2001:db8::/129",
    "2001:db8::1/32",
    "::ffff:192.0.2.0/24",
    "/24",
    "localhost",
    "*"
  ]
  it.each(refused)("refuses %j", (text) => assert.isUndefined(parseNetwork(text)))
})

describe("an address that is spelled", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["::", "::"],
    ["::1", "::1"],
    ["fe80::", "fe80::"],
    // The first of the longest runs of zeros, and no run of one (RFC 5952, 4.2).
    ["2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
    ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"]
  ])("%s is %s", (text, spelled) => assert.strictEqual(spell(parseIp(text) ?? []), spelled))
})
