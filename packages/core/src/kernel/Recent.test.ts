import { assert, describe, it } from "@effect/vitest"
import { Recent } from "./Recent.ts"

describe("what was set or asked for last", () => {
  it("is remembered: so many at least, and twice as many at most", () => {
    const recent = new Recent<number, string>(10)
    for (let key = 0; key < 100; key++) recent.set(key, `value ${key}`)
    const known = Array.from({ length: 100 }, (_, key) => recent.get(key)).filter(Boolean)
    assert.isAtLeast(known.length, 10)
    assert.isAtMost(known.length, 20)
    assert.strictEqual(known.at(-1), "value 99")
  })

  it("is remembered for as long as it is asked for", () => {
    const recent = new Recent<string, number>(10)
    recent.set("asked for", 1)
    for (let key = 0; key < 100; key++) {
      recent.set(String(key), key)
      assert.strictEqual(recent.get("asked for"), 1)
    }
  })

  it("is forgotten when it is taken, however long ago it was set", () => {
    const recent = new Recent<string, number>(2)
    for (const key of ["first", "second", "third"]) recent.set(key, key.length)
    for (const key of ["first", "third"]) {
      assert.strictEqual(recent.take(key), 5)
      assert.isUndefined(recent.take(key))
      assert.isUndefined(recent.get(key))
    }
    assert.strictEqual(recent.get("second"), 6)
  })

  it("is what was set last under its key", () => {
    const recent = new Recent<string, number>(1)
    for (const value of [1, 2, 3]) recent.set("key", value)
    assert.strictEqual(recent.get("key"), 3)
    recent.set("other", 1)
    recent.set("key", 4)
    assert.strictEqual(recent.get("key"), 4)
  })
})
