import { assert, describe, it } from "@effect/vitest"
import { Effect, References } from "effect"
import { chanceOf } from "../src/fuzz/Chance.ts"
import { expectedCells } from "../src/simulation/programs/Cells.ts"
import type { Program } from "../src/simulation/programs/Operation.ts"
import { makeProgram } from "../src/simulation/programs/Program.ts"
import { run } from "./ProgramWorld.test-data.ts"

const size = 220
// `PAGORA_PROGRAMS=200 PAGORA_PROGRAM_FROM=0` runs more of them, from another seed on.
const programs = Number(process.env["PAGORA_PROGRAMS"] ?? 4)
const from = Number(process.env["PAGORA_PROGRAM_FROM"] ?? 1)

const programOf = (seed: number): Program => makeProgram(chanceOf(seed, 0), size)
const ran = (program: Program, seed: number, losses?: number) =>
  run(program, seed, losses).pipe(Effect.provideService(References.MinimumLogLevel, "None"))

describe("a program", () => {
  it("is the same for the same chance, plain data, and another one for another", () => {
    assert.deepStrictEqual(programOf(7), programOf(7))
    assert.deepStrictEqual(JSON.parse(JSON.stringify(programOf(7))), programOf(7))
    assert.notDeepEqual(programOf(7), programOf(8))
  })

  it("has a shop for which nobody acts", () => {
    for (let seed = 0; seed < 50; seed++) {
      const { operations, shops } = programOf(seed)
      const quiet = shops.flatMap(({ isSpectator }, index) => (isSpectator ? index : []))
      assert.lengthOf(quiet, 1)
      assert.isFalse(operations.some(({ shop }) => quiet.includes(shop)))
    }
  })
})

describe("with a service that is well, what clients are told is so", { timeout: 60_000 }, () => {
  const reached = new Map<string, number>()

  it.effect.each(Array.from({ length: programs }, (_, index) => from + index))(
    "after program %i",
    (seed) =>
      Effect.map(ran(programOf(seed), seed), ({ cells, violations }) => {
        for (const [cell, times] of cells) reached.set(cell, (reached.get(cell) ?? 0) + times)
        assert.deepStrictEqual(violations, [])
      })
  )

  it.effect.each(Array.from({ length: Math.ceil(programs / 2) }, (_, index) => from + index))(
    "after program %i, where every fifth answer is lost",
    (seed) =>
      Effect.map(ran(programOf(seed), seed, 0.2), ({ cells, violations }) => {
        for (const [cell, times] of cells) reached.set(cell, (reached.get(cell) ?? 0) + times)
        assert.deepStrictEqual(violations, [])
      })
  )

  it.effect("whatever operations are left out", () =>
    Effect.gen(function* () {
      for (const part of [2, 3, 7]) {
        const { operations, shops } = programOf(part)
        const left = operations.filter(({ id }) => id % part !== 0)
        const { violations } = yield* ran({ shops, operations: left }, part)
        assert.deepStrictEqual(violations, [])
      }
    })
  )

  it("and the cells of a world without faults are reached", () => {
    if (programs < 100) return
    const missing = expectedCells.calm.filter((cell) => !reached.has(cell))
    assert.deepStrictEqual(missing, [])
  })
})
