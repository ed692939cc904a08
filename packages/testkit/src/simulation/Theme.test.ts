import { assert, describe, it } from "@effect/vitest"
import { chanceOf } from "../fuzz/Chance.ts"
import { makeProgram } from "./programs/Program.ts"
import { calmed, drawSetting } from "./Setting.ts"
import type { Theme } from "./Theme.ts"
import { drawTheme, themed } from "./Theme.ts"

const drawn = Array.from({ length: 1_000 }, (_, seed) => drawTheme(chanceOf(seed, 0)))

const settingOf = (seed: number, theme: Theme | undefined) =>
  themed(drawSetting(chanceOf(seed, 1)), theme)

describe("a world's theme", () => {
  it("is there in a fifth of the worlds, and each in several of them", () => {
    const counts = new Map<Theme | undefined, number>()
    for (const theme of drawn) counts.set(theme, (counts.get(theme) ?? 0) + 1)
    assert.isAbove(counts.get(undefined) ?? 0, 700)
    assert.strictEqual(counts.size, 10)
    for (const count of counts.values()) assert.isAbove(count, 5)
  })

  it("leaves a world as it is that has none", () => {
    assert.deepStrictEqual(settingOf(3, undefined), drawSetting(chanceOf(3, 1)))
    const program = () => makeProgram(chanceOf(3, 2), 220)
    assert.deepStrictEqual(program(), makeProgram(chanceOf(3, 2), 220, undefined))
  })

  it("is played again and again, in a program of the usual size", () => {
    const kinds = {
      parts: "refund",
      refunds: "refund",
      payouts: "withdraw",
      judged: "review",
      closings: "changeSubAccount"
    } as const
    for (const [scene, kind] of Object.entries(kinds)) {
      const { operations } = makeProgram(chanceOf(5, 2), 240, scene as keyof typeof kinds)
      assert.isAtLeast(operations.length, 240)
      assert.isBelow(operations.length, 280)
      assert.isAbove(operations.filter((one) => one.kind === kind).length, 15, scene)
    }
  })

  it("raises the limit of a day with each flood, so that each can pass it", () => {
    const { operations } = makeProgram(chanceOf(5, 2), 240, "floods")
    const sizes = new Map<number, Array<number>>()
    for (const one of operations)
      if (one.kind === "changeAccount" && one.change === "limits" && one.wallet === "principal")
        sizes.set(one.shop, [...(sizes.get(one.shop) ?? []), one.size])
    assert.isAbove(Math.max(...[...sizes.values()].map((raised) => raised.length)), 3)
  })

  it("is calm where banks and storages are", () => {
    for (const [seed, theme] of drawn.entries()) {
      const calm = calmed(settingOf(seed, theme), ["banks", "storage"])
      assert.deepStrictEqual(calm.banks, {})
      assert.isFalse(calm.isLyingWorld)
      assert.isTrue(calm.machines.every(({ troubles }) => troubles.slow === 0))
    }
  })
})
