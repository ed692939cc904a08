import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import { delayAfter } from "./Subscription.ts"

const seconds = (attempt: number, random = 0.5) => Duration.toSeconds(delayAfter(attempt, random))

describe("the waits of a subscriber", () => {
  it("double from 2 seconds up to 5 minutes, and never end", () => {
    assert.deepStrictEqual(
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1_000_000].map((attempt) => seconds(attempt)),
      [2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]
    )
  })

  it("differ by up to a fifth", () => {
    assert.deepStrictEqual([seconds(1, 0), seconds(1, 0.999_999)], [1.6, 2.4])
    assert.deepStrictEqual([seconds(20, 0), seconds(20, 0.999_999_9)], [240, 360])
  })
})
