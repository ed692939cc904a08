import { assert, describe, it } from "vitest"
import { waitBeforeNext } from "./Retries.ts"

const answered = (status: number, more: { code?: string; retryAfter?: string } = {}) =>
  ({ _tag: "Answered", status, ...more }) as const

describe("waitBeforeNext", () => {
  it("waits twice as long each time, up to eight seconds, and half of it at least", () => {
    const most = [1, 2, 3, 4, 5, 6, 7].map((tries) => waitBeforeNext({ _tag: "Lost" }, tries, 1))
    assert.deepStrictEqual(most, [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000])
    const least = [1, 2, 7].map((tries) => waitBeforeNext({ _tag: "Lost" }, tries, 0))
    assert.deepStrictEqual(least, [125, 250, 4_000])
  })

  it.each([429, 500, 502, 503, 504])("tries %i again", (status) => {
    assert.strictEqual(waitBeforeNext(answered(status), 1, 1), 250)
  })

  it.each([200, 201, 302, 400, 401, 403, 404, 409, 413, 415, 422])(
    "leaves %i as it is",
    (status) => {
      assert.isUndefined(waitBeforeNext(answered(status), 1, 1))
    }
  )

  it("tries again what another try is still working on, and no other conflict", () => {
    const inUse = answered(409, { code: "IDEMPOTENCY_KEY_IN_USE" })
    assert.strictEqual(waitBeforeNext(inUse, 1, 1), 250)
    assert.isUndefined(waitBeforeNext(answered(409, { code: "PROJECT_NAME_TAKEN" }), 1, 1))
    assert.isUndefined(waitBeforeNext(answered(400, { code: "IDEMPOTENCY_KEY_IN_USE" }), 1, 1))
  })

  it("never comes back before Retry-After, and leaves a long one to the caller", () => {
    assert.strictEqual(waitBeforeNext(answered(429, { retryAfter: "3" }), 1, 1), 3_000)
    assert.strictEqual(waitBeforeNext(answered(503, { retryAfter: "30" }), 1, 1), 30_000)
    assert.strictEqual(waitBeforeNext(answered(429, { retryAfter: "0" }), 3, 1), 1_000)
    assert.isUndefined(waitBeforeNext(answered(429, { retryAfter: "31" }), 1, 1))
    assert.strictEqual(waitBeforeNext(answered(429, { retryAfter: "soon" }), 1, 1), 250)
  })
})
