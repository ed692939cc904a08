import { assert, describe, it } from "@effect/vitest"
import type { Centavos } from "../kernel/Money.ts"
import { Percent } from "../kernel/Money.ts"
import type { FeeSchedule } from "./Fees.ts"
import { feeOn } from "./Fees.ts"

const brl = (centavos: number) => BigInt(centavos) as Centavos

describe("feeOn", () => {
  const cases: ReadonlyArray<readonly [string, FeeSchedule | undefined, number, number]> = [
    ["nothing where no schedule is", undefined, 100_00, 0],
    ["nothing where the schedule is empty", {}, 100_00, 0],
    ["the fixed part", { fixed: brl(99) }, 100_00, 99],
    ["the percentage, half up", { percent: Percent.make(12_500) }, 1_00, 1],
    ["the percentage, half a centavo up", { percent: Percent.make(5_000) }, 1_00, 1],
    ["the percentage, below half down", { percent: Percent.make(4_900) }, 1_00, 0],
    ["both parts together", { fixed: brl(50), percent: Percent.make(10_000) }, 200_00, 2_50],
    ["at least the minimum", { percent: Percent.make(10_000), min: brl(1_00) }, 10_00, 1_00],
    ["at most the maximum", { percent: Percent.make(10_000), max: brl(5_00) }, 10_000_00, 5_00],
    ["never more than the amount", { fixed: brl(5_00) }, 3_00, 3_00],
    ["the minimum, yet never more than the amount", { min: brl(5_00) }, 3_00, 3_00]
  ]
  for (const [name, schedule, amount, fee] of cases) {
    it(`charges ${name}`, () => assert.strictEqual(feeOn(schedule, brl(amount)), brl(fee)))
  }
})
