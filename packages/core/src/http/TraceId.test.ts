import { assert, describe, it } from "vitest"
import type { Uuid } from "../kernel/Ids.ts"
import { tracesOf } from "./TraceId.ts"

const drawn = (count: number, id: string): ReadonlyArray<string> => {
  const next = tracesOf(id as Uuid)
  return Array.from({ length: count }, next)
}

const one = "0190163d-8694-739b-aea5-966c26f8ad91"
const other = "0190163d-8694-739b-aea5-966c26f8ad92"

describe("trace ids that are made here", () => {
  it("are well-formed, and each is there once, also beside those of another start", () => {
    const all = [...drawn(50_000, one), ...drawn(50_000, other)]
    assert.strictEqual(new Set(all).size, all.length)
    for (const id of all) assert.match(id, /^[0-9a-f]{32}$/)
  })

  it("have the chance in their last seven bytes, by which others sample", () => {
    for (const start of [one, other]) {
      const all = drawn(8_192, start)
      assert.strictEqual(new Set(all.map((id) => id.slice(-14))).size, all.length)
      // Of each bit half are ones, give or take six times what chance would do.
      for (let bit = 0; bit < 56; bit++) {
        const ones = all.filter((id) => (BigInt(`0x${id.slice(-14)}`) >> BigInt(bit)) & 1n).length
        assert.isAtMost(Math.abs(ones - 4_096), 6 * 45, `bit ${bit}`)
      }
      // One in a hundred is taken by the least of them, and not by runs of the count.
      const taken = all.filter((id) => Number.parseInt(id.slice(-14, -6), 16) < 2 ** 32 / 100)
      assert.isAtLeast(taken.length, 40)
      assert.isAtMost(taken.length, 140)
    }
  })
})
