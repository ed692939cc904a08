import { assert, describe, it } from "@effect/vitest"
import { doubtOf, learn } from "./ClockEstimate.ts"

/** A look that took so long, at a clock that is so far ahead and told its time at the end of the way there. */
const look = (at: number, ahead: number, way: { there: number; back: number }) => ({
  asked: at - way.there - way.back,
  told: at - way.back + ahead,
  answered: at
})
const quick = { there: 1, back: 1 }

describe("what is known of another clock", () => {
  it("is wrong by half the round trip at most, however uneven the two ways are", () => {
    for (const way of [quick, { there: 0, back: 40 }, { there: 40, back: 0 }]) {
      const { estimate } = learn(undefined, look(1_000, 5_000, way))
      assert.isAtMost(Math.abs(estimate.offset - 5_000), estimate.bound)
      assert.isAtMost(estimate.bound, (way.there + way.back) / 2 + 1)
    }
  })

  it("stays the best of several looks, until that is older than it was better", () => {
    const { estimate: best } = learn(undefined, look(1_000, 5_000, quick))
    const slow = learn(best, look(2_000, 5_000, { there: 0, back: 40 }))
    assert.deepStrictEqual(slow, { estimate: best, wasSet: false })
    assert.strictEqual(doubtOf(best, 11_000), 12)
    const late = learn(best, look(31_000, 5_000, { there: 0, back: 40 }))
    assert.strictEqual(late.estimate.at, 31_000)
    const sharp = learn(best, look(2_000, 5_001, quick))
    assert.deepStrictEqual(sharp, {
      estimate: { offset: 5_001, bound: 2, at: 2_000 },
      wasSet: false
    })
  })

  it.each([60_000, -60_000, 100, -100])(
    "follows at once where that clock was set by %i ms",
    (by) => {
      const { estimate: before } = learn(undefined, look(1_000, 5_000, quick))
      const { estimate, wasSet } = learn(before, look(2_000, 5_000 + by, { there: 20, back: 20 }))
      assert.isTrue(wasSet)
      assert.strictEqual(estimate.offset, 5_000 + by)
    }
  )
})
