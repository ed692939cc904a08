import { assert, describe, it } from "@effect/vitest"
import { isGlobal, isLoopback, readTarget } from "./AddressGuard.ts"
import { acceptedUrls, global, refusedUrls, special } from "./AddressVectors.test-data.ts"

const strict = { allowLoopbackHttp: false, ports: [443] }
const dev = { allowLoopbackHttp: true, ports: [443] }

const verdict = (url: string, rules = strict) => {
  const target = readTarget(url, rules)
  return typeof target === "string" ? target : { host: target.host }
}

describe("addresses", () => {
  it("there are enough vectors, and none twice", () => {
    assert.isAtLeast(special.length + refusedUrls.length, 350)
    for (const all of [
      special.map(([address]) => address),
      refusedUrls.map(([url]) => url),
      [...global]
    ]) {
      assert.strictEqual(new Set(all).size, all.length)
    }
  })

  it.each(special)("%s is not public: %s", (address) => {
    assert.isFalse(isGlobal(address))
  })

  it.each(global)("%s is public", (address) => {
    assert.isTrue(isGlobal(address))
  })

  it("every IPv4 address stands and falls with its mapped and its NAT64 form", () => {
    for (const [address] of special.filter(
      ([text]) => /^\d+\.\d+\.\d+\.\d+$/.test(text) && text !== "256.1.1.1" && text !== "08.8.8.8"
    )) {
      assert.isFalse(isGlobal(`::ffff:${address}`), address)
      assert.isFalse(isGlobal(`64:ff9b::${address}`), address)
    }
    for (const address of global.filter((text) => /^\d/.test(text) && !text.includes(":"))) {
      assert.isTrue(isGlobal(`::ffff:${address}`), address)
      assert.isTrue(isGlobal(`64:ff9b::${address}`), address)
    }
  })

  it("knows loopback in every form", () => {
    for (const address of [
      "127.0.0.1",
      "127.255.0.9",
      "::1",
      "0:0:0:0:0:0:0:1",
      "::ffff:127.0.0.1",
      "::ffff:7f00:1"
    ]) {
      assert.isTrue(isLoopback(address), address)
    }
    for (const address of [
      "126.255.255.255",
      "128.0.0.1",
      "::",
      "::2",
      "::ffff:128.0.0.1",
      "::127.0.0.1",
      "localhost",
      ""
    ]) {
      assert.isFalse(isLoopback(address), address)
    }
  })
})

describe("URLs", () => {
  it.each(refusedUrls)("%j is refused for its %s", (url, refusal) => {
    assert.strictEqual(verdict(url), refusal)
  })

  it.each(acceptedUrls)("%s may be tried, at %s", (url, host) => {
    assert.deepStrictEqual(verdict(url), { host })
  })

  it("development differs by http to this machine, and by nothing else", () => {
    const own = [
      "http://localhost:3000/hooks",
      "http://127.0.0.1:3000/",
      "http://127.9.9.9/",
      "http://[::1]:8080/",
      "http://0x7f.1/",
      "http://[::ffff:127.0.0.1]/"
    ]
    for (const url of own) {
      assert.strictEqual(verdict(url), "scheme", url)
      assert.notTypeOf(verdict(url, dev), "string", url)
    }
    const notOwn = [
      "http://hooks.shop.com.br/",
      "http://8.8.8.8/",
      "http://10.0.0.1/",
      "http://169.254.169.254/",
      "http://0.0.0.0:3000/",
      "http://localhost.shop.com.br/",
      "http://localhost./",
      "http://shop.localhost/",
      "http://[::]/",
      "http://[::2]/"
    ]
    for (const url of notOwn) assert.strictEqual(verdict(url, dev), "scheme", url)
    for (const url of ["http://user@localhost:3000/", "http://localhost:3000/#x"]) {
      assert.strictEqual(verdict(url, dev), "url", url)
    }
    const others = refusedUrls.filter(
      ([url]) => !own.includes(url) && !/^http:\/\/(localhost|127)/.test(url)
    )
    for (const [url, refusal] of others) assert.strictEqual(verdict(url, dev), refusal, url)
  })

  it("what may be connected to follows from what was asked for", () => {
    const outside = readTarget("https://hooks.shop.com.br/", dev)
    const inside = readTarget("http://localhost:3000/", dev)
    assert.isTrue(typeof outside !== "string" && typeof inside !== "string")
    if (typeof outside === "string" || typeof inside === "string") return
    assert.deepStrictEqual(
      [outside.isAllowed("8.8.8.8"), outside.isAllowed("127.0.0.1")],
      [true, false]
    )
    assert.deepStrictEqual(
      [inside.isAllowed("8.8.8.8"), inside.isAllowed("127.0.0.1")],
      [false, true]
    )
  })

  it("other ports have to be named", () => {
    const rules = { allowLoopbackHttp: false, ports: [443, 8443] }
    assert.deepStrictEqual(verdict("https://hooks.shop.com.br:8443/", rules), {
      host: "hooks.shop.com.br"
    })
    assert.strictEqual(verdict("https://hooks.shop.com.br:8444/", rules), "port")
    assert.strictEqual(verdict("https://hooks.shop.com.br/", { ...rules, ports: [8443] }), "port")
  })
})
