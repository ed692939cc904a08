import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import type { Outcome } from "./DeliveryPolicy.ts"
import { attemptsMax, judge } from "./DeliveryPolicy.ts"

const answered = (status: number): Outcome => ({ _tag: "Answered", status })
const delay = (attempt: number, random: number): number => {
  const verdict = judge({ _tag: "Failed" }, { attempt, random })
  return verdict._tag === "Retry" ? Duration.toMillis(verdict.after) : -1
}

describe("DeliveryPolicy", () => {
  it("confirms by 2xx and by nothing else", () => {
    for (let status = 100; status < 600; status++) {
      const isConfirmed = judge(answered(status), { attempt: 1, random: 0 })._tag === "Delivered"
      assert.strictEqual(isConfirmed, status >= 200 && status <= 299, String(status))
    }
  })

  it("confirms on the last attempt too", () => {
    assert.deepStrictEqual(judge(answered(204), { attempt: 5, random: 0 }), { _tag: "Delivered" })
  })

  it("waits 2, 4, 8 and 16 seconds", () => {
    assert.deepStrictEqual(
      [1, 2, 3, 4].map((attempt) => delay(attempt, 0)),
      [2_000, 4_000, 8_000, 16_000]
    )
  })

  it("makes each wait longer by a fifth at most, none shorter, and never past 30 seconds", () => {
    const almostOne = 1 - Number.EPSILON
    assert.deepStrictEqual(
      [1, 2, 3, 4].map((attempt) => delay(attempt, almostOne)),
      [2_400, 4_800, 9_600, 19_200]
    )
  })

  it("is exhausted after five attempts, whatever went wrong", () => {
    for (const outcome of [
      answered(500),
      answered(302),
      answered(429),
      { _tag: "Failed" } as const
    ]) {
      assert.strictEqual(judge(outcome, { attempt: attemptsMax - 1, random: 0 })._tag, "Retry")
      assert.strictEqual(judge(outcome, { attempt: attemptsMax, random: 0 })._tag, "Exhausted")
      // A resend on request comes after those five.
      assert.strictEqual(judge(outcome, { attempt: attemptsMax + 3, random: 0 })._tag, "Exhausted")
    }
  })

  it("is exhausted at once where trying again cannot help", () => {
    assert.deepStrictEqual(judge({ _tag: "Blocked" }, { attempt: 1, random: 0 }), {
      _tag: "Exhausted"
    })
    assert.deepStrictEqual(judge(answered(410), { attempt: 1, random: 0 }), { _tag: "Gone" })
  })
})
