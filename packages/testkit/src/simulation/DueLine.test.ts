import { assert, describe, it } from "@effect/vitest"
import { chanceOf } from "../fuzz/Chance.ts"
import { DueLine } from "./DueLine.ts"

describe("a line of what is due", () => {
  it("gives the next first, and of one instant what was said first", () => {
    for (let seed = 0; seed < 50; seed++) {
      const chance = chanceOf(seed, 0)
      const line = new DueLine()
      const said = Array.from({ length: 40 }, (_, order) => ({ at: chance.below(10), order }))
      const happened: Array<{ readonly at: number; readonly order: number }> = []
      for (const one of said) line.add(one.at, () => void happened.push(one))
      for (let due = line.take(); due !== undefined; due = line.take()) due.what()
      assert.deepStrictEqual(
        happened,
        said.toSorted((one, other) => one.at - other.at || one.order - other.order)
      )
    }
  })

  it("takes what is said while it is worked off", () => {
    const line = new DueLine()
    const happened: Array<string> = []
    line.add(5, () => void happened.push("later"))
    line.add(1, () => {
      happened.push("first")
      line.add(3, () => void happened.push("between"))
    })
    for (let due = line.take(); due !== undefined; due = line.take()) due.what()
    assert.deepStrictEqual(happened, ["first", "between", "later"])
  })
})
