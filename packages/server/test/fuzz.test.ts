import { assert, describe, it } from "@effect/vitest"
import { startPagora } from "@pagora/testkit"
import { fuzz } from "@pagora/testkit/fuzz"

describe("fuzzing from the document", () => {
  it("300 requests of every kind: no 5xx, nothing outside the document, nothing slow, a clean audit", async ({
    onTestFinished
  }) => {
    const pagora = await startPagora()
    onTestFinished(async () => void (await pagora.kill()))
    const report = await fuzz(pagora.facts, { seed: 20_261_121, count: 300 })
    assert.deepStrictEqual(report.failures, [])
    assert.isTrue(report.isAuditClean, JSON.stringify(report.audit))
    assert.isAbove(report.blocks, 0)
    // Requests that never get in would prove little.
    for (const endpoint of ["createToken", "createCharge", "getTransaction", "getAccount"]) {
      const statuses = Object.keys(report.statuses[endpoint] ?? {})
      assert.isTrue(
        statuses.some((status) => status.startsWith("2")),
        endpoint
      )
    }
  }, 90_000)
})
