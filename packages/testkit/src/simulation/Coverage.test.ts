import { assert, describe, it } from "@effect/vitest"
import { everything, unreached } from "./Coverage.ts"

describe("what simulations must reach", () => {
  it("is missed where one cell of it was not reached", () => {
    const all = new Map(everything.map((cell) => [cell, 1]))
    assert.deepStrictEqual(unreached(all), [])
    assert.isAbove(everything.length, 400)
    for (const cell of [
      "fault: crash",
      "fault: storage late write",
      "fault: bank lie of findPayout"
    ]) {
      const without = new Map(all)
      assert.isTrue(without.delete(cell), cell)
      assert.deepStrictEqual(unreached(without), [cell])
    }
  })
})
