import { expect, it } from "vitest"
import { makeFaults } from "./Faults.ts"

const kinds = (faults: ReadonlyArray<{ kind: string }>) => faults.map(({ kind }) => kind)

it("strikes as often as told, after those that are let through, where it is told", () => {
  const faults = makeFaults(() => 0.5)
  faults.set([{ kind: "cut", operation: "createCharge", skip: 1, times: 2 }])
  expect(kinds(faults.strike("findCharge", "/v2/cob/1"))).toEqual([])
  const strikes = [1, 2, 3, 4].map(() => kinds(faults.strike("createCharge", "/v2/cob/1")))
  expect(strikes).toEqual([[], ["cut"], ["cut"], []])
  expect(faults.struck("cut")).toBe(2)
  expect(faults.list()).toEqual([])
})

it("keeps requests and callbacks apart, looks at what they are about, and draws chances", () => {
  const faults = makeFaults(() => 0.5)
  faults.set([{ kind: "duplicate" }, { kind: "html" }, { kind: "slow", probability: 0.4 }])
  faults.add({ kind: "loseAnswer", probability: 0.6 })
  expect(kinds(faults.strike("callback", "/v2/cob/1"))).toEqual(["duplicate", "loseAnswer"])
  expect(kinds(faults.strike("findCharge", "/v2/cob/1"))).toEqual(["html", "loseAnswer"])
  faults.set([
    { kind: "cut", about: "/cob/2" },
    { kind: "html", about: "/cob/1" }
  ])
  expect(kinds(faults.strike("findCharge", "/v2/cob/1"))).toEqual(["html"])
  faults.clear()
  expect(faults.strike("findCharge", "/v2/cob/1")).toEqual([])
})
