import { assert, describe, it } from "@effect/vitest"
import type { Scenario } from "../src/crash/CrashReport.ts"
import { spread } from "../src/crash/CrashReport.ts"
import { cuts } from "../src/crash/Cuts.ts"
import { pgliteKills } from "../src/crash/PgliteKills.ts"
import { postgresKills } from "../src/crash/PostgresKills.ts"
import { serviceKills } from "../src/crash/ServiceKills.ts"

// The short form of what `npm run crash` does for hours.
const short: ReadonlyArray<readonly [Scenario, number]> = [
  [serviceKills, 1],
  [postgresKills, 3],
  [cuts, 12],
  [pgliteKills, 2]
]

describe("real parts that fail under load", { timeout: 180_000 }, () => {
  it.each(short.map(([scenario, count]) => [scenario.does, scenario, count] as const))(
    "lose nothing that was acknowledged, and do nothing twice: %s",
    async (_, scenario, count) => {
      // An even seed: the bank minds references, so nothing waits for it to be sure that it has nothing.
      const report = await scenario.run({
        seed: 20_261_124,
        count,
        progress: () => undefined,
        isHurried: true
      })
      assert.deepStrictEqual(report.violations, [])
      assert.isAbove(report.acknowledged, 0)
      assert.isAtLeast(report.faults, count / 2)
    }
  )
})

describe("the recovery times of a report", () => {
  it("are their middle and the longest", () => {
    assert.strictEqual(spread([]), "none")
    assert.strictEqual(spread([3_000, 1_000, 2_000]), "p50 2.00 s, max 3.00 s")
  })
})
