import { assert, describe, it } from "@effect/vitest"
import { memory, StorageDriver } from "@pagora/core"
import { Context, Effect, Layer } from "effect"
import type { Plan } from "../src/simulation/index.ts"
import { simulate } from "../src/simulation/index.ts"

/** Long forms are `npm run simulate`. */
const seeds = Number(process.env["PAGORA_SIMULATIONS"] ?? "12")

const run = (plan: Plan, isTraced = false) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(Layer.build(Layer.fresh(memory())), (context) =>
        Effect.promise(() =>
          simulate(plan, { driver: Context.get(context, StorageDriver), isTraced })
        )
      )
    )
  )

describe("a simulated deployment", { timeout: 600_000 }, () => {
  it("loses nothing, and does nothing twice, whatever goes wrong around it", async () => {
    const reached = new Set<string>()
    for (let seed = 1; seed <= seeds; seed++) {
      const { coverage, faults, operations, violations } = await run({ seed, calm: [] })
      assert.deepStrictEqual(violations, [], `npm run simulate -- --seed ${seed} --count 1`)
      assert.isAtLeast(operations, 200)
      assert.isAtLeast(faults, 5)
      for (const cell of coverage.keys()) reached.add(cell)
    }
    for (const cell of ["fault: crash", "fault: storage unanswered write", "operation: withdraw"])
      assert.isTrue(reached.has(cell), `${cell} was not reached`)
  })

  it("goes the same way again with the same seed, and another with another", async () => {
    const [first, again, other] = [
      await run({ seed: 77, calm: [] }, true),
      await run({ seed: 77, calm: [] }),
      await run({ seed: 78, calm: [] })
    ]
    assert.strictEqual(again.hash, first.hash)
    assert.notStrictEqual(other.hash, first.hash)
    assert.isAbove(first.lines.length, 500)
  })

  it("can be run with less of what goes wrong", async () => {
    const calm = ["storage", "banks", "receivers", "clocks", "order"] as const
    const { coverage, violations } = await run({ seed: 5, faults: [], calm, operations: [] })
    assert.deepStrictEqual(violations, [])
    assert.deepStrictEqual(
      [...coverage.keys()].filter((cell) => /^(fault: (bank|storage|receiver)|lie)/.test(cell)),
      []
    )
  })
})
