import { assert, describe, it } from "@effect/vitest"
import { numbersText, optionsOf, parseNumbers } from "./Plan.ts"
import { shrink } from "./Shrink.ts"

describe("a plan", () => {
  it("is said so that it can be repeated", () => {
    for (const numbers of [[], [0], [1, 2, 3], [0, 2, 3, 4, 9, 11, 12]])
      assert.deepStrictEqual(parseNumbers(numbersText(numbers)), numbers)
    assert.strictEqual(numbersText([0, 2, 3, 4, 9]), "0,2-4,9")
    assert.strictEqual(parseNumbers("3;4"), undefined)
    assert.strictEqual(
      optionsOf({ seed: 7, operations: [1, 2], faults: [], calm: ["storage"] }),
      "--seed 7 --operations 1-2 --faults none --calm storage"
    )
  })
})

describe("shrinking", () => {
  /** Fails where the two operations and the fault that it takes are there. */
  const needing = (runs: { count: number }) => async (plan: Parameters<typeof optionsOf>[0]) => {
    runs.count++
    const { faults = [0, 1, 2, 3, 4, 5], operations = Array.from({ length: 200 }, (_, n) => n) } =
      plan
    const isFailing =
      operations.includes(17) &&
      operations.includes(140) &&
      faults.includes(4) &&
      !plan.calm.includes("storage")
    return {
      violation: isFailing ? "audit" : undefined,
      operations: operations.length,
      faults: faults.length
    }
  }

  it("leaves what the failure takes, and nothing else", async () => {
    const runs = { count: 0 }
    const small = await shrink({ seed: 1, calm: [] }, needing(runs), 400)
    assert.deepStrictEqual(small.operations, [17, 140])
    assert.deepStrictEqual(small.faults, [4])
    assert.deepStrictEqual(
      [...small.calm].toSorted(),
      ["banks", "clocks", "order", "receivers"].toSorted()
    )
  })

  it("ends after so many runs with a plan that fails", async () => {
    const runs = { count: 0 }
    const small = await shrink({ seed: 1, calm: [] }, needing(runs), 20)
    assert.strictEqual(runs.count, 20)
    assert.isTrue(small.operations?.includes(17) === true && small.operations.includes(140))
  })
})
