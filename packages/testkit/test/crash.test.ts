import { assert, describe, it } from "@effect/vitest"
import type { Scenario } from "../src/crash/CrashReport.ts"
import { spread } from "../src/crash/CrashReport.ts"
import { cuts } from "../src/crash/Cuts.ts"
import { pgliteKills } from "../src/crash/PgliteKills.ts"
import { postgresKills } from "../src/crash/PostgresKills.ts"
import { serviceKills } from "../src/crash/ServiceKills.ts"
import { storedAbout } from "../src/crash/StoredStory.ts"
import { execute, freshDatabase } from "../src/postgres/index.ts"

const idLike = (digit: string) => `01a20da4-0000-7000-8000-00000000000${digit}`

// The short form of what `npm run crash` does for hours: how often each is to strike, and how often it has to have struck.
const short: ReadonlyArray<readonly [scenario: Scenario, count: number, least: number]> = [
  [serviceKills, 1, 1],
  [postgresKills, 3, 2],
  [cuts, 12, 12],
  [pgliteKills, 2, 1]
]

describe("real parts that fail under load", { timeout: 180_000 }, () => {
  it.each(
    short.map(([scenario, count, least]) => [scenario.does, scenario, count, least] as const)
  )(
    "lose nothing that was acknowledged, and do nothing twice: %s",
    async (_, scenario, count, least) => {
      // An even seed: the bank minds references, so nothing waits for it to be sure that it has nothing.
      const report = await scenario.run({
        seed: 20_261_124,
        count,
        progress: () => undefined,
        isHurried: true
      })
      assert.deepStrictEqual(report.violations, [])
      assert.isAbove(report.acknowledged, 0)
      assert.isAtLeast(report.faults, least)
    }
  )
})

describe("what is stored of a violation", () => {
  it("is every row that names what it is about", async () => {
    const { drop, url } = await freshDatabase()
    try {
      const [subject, other] = [idLike("1"), idLike("2")]
      await execute(url, "create schema pagora")
      await execute(url, "create table pagora.job (queue text, id uuid)")
      await execute(url, "create table pagora.operation (id uuid, document text)")
      await execute(
        url,
        `insert into pagora.job values ('payout', '${subject}'), ('payout', '${other}')`
      )
      await execute(url, `insert into pagora.operation values ('${other}', 'source ${subject}')`)
      assert.deepStrictEqual(
        await storedAbout(url, [`audit: ${subject} is unattended`, `audit: ${subject} again`]),
        [
          `${subject} in job: {"id": "${subject}", "queue": "payout"}`,
          `${subject} in operation: {"id": "${other}", "document": "source ${subject}"}`
        ]
      )
      assert.deepStrictEqual(await storedAbout(url, ["nothing was acknowledged"]), [])
    } finally {
      await drop()
    }
  })
})

describe("the recovery times of a report", () => {
  it("are their middle and the longest", () => {
    assert.strictEqual(spread([]), "none")
    assert.strictEqual(spread([3_000, 1_000, 2_000]), "p50 2.00 s, max 3.00 s")
  })
})
