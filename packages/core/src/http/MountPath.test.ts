import { assert, describe, it } from "@effect/vitest"
import { mountPrefix, pathBelow } from "./MountPath.ts"

describe("mountPrefix", () => {
  it("takes paths, with or without a slash at the end", () => {
    const prefixes = ["/payments/v2", "/payments/v2/", "/v2", "/", "", "//"]
    assert.deepStrictEqual(prefixes.map(mountPrefix), [
      "/payments/v2",
      "/payments/v2",
      "/v2",
      "",
      "",
      ""
    ])
  })

  it("refuses what could never be reached", () => {
    for (const wrong of ["payments", "//payments", "/a//b", "/a?b", "/a#b", "/a b", "http://x/a"]) {
      assert.throws(() => mountPrefix(wrong), /is no path to mount at/, wrong)
    }
  })
})

describe("pathBelow", () => {
  it("takes the prefix off, and only whole segments of it", () => {
    const below = (url: string) => pathBelow(url, "/pay/v2")
    assert.strictEqual(below("/pay/v2/pix?a=/b"), "/pix?a=/b")
    assert.strictEqual(below("/pay/v2"), "/")
    assert.strictEqual(below("/pay/v2/"), "/")
    assert.strictEqual(below("/pay/v2?a=1"), "/?a=1")
    assert.strictEqual(below("/pay/v2//pix"), "//pix")
    assert.strictEqual(below("/pay/v2/../x"), "/../x")
    for (const outside of ["/pay/v22", "/pay", "/", "*", "//pay/v2/pix", "/x/pay/v2", "host:80"]) {
      assert.isUndefined(below(outside), outside)
    }
  })

  it("takes the host off a target that names it", () => {
    assert.strictEqual(pathBelow("http://shop.example.com/pay/pix", "/pay"), "/pix")
    assert.strictEqual(pathBelow("HTTPS://shop.example.com:8443/pay?a=1", "/pay"), "/?a=1")
    assert.strictEqual(pathBelow("http://shop.example.com?a=1", ""), "/?a=1")
    assert.strictEqual(pathBelow("http://shop.example.com", ""), "/")
    assert.isUndefined(pathBelow("ftp://shop.example.com/pay", "/pay"))
  })

  it("leaves everything as it is at the root, but for what is no path", () => {
    assert.strictEqual(pathBelow("/pix?a=1", ""), "/pix?a=1")
    assert.strictEqual(pathBelow("//pix", ""), "//pix")
    assert.isUndefined(pathBelow("*", ""))
  })
})
