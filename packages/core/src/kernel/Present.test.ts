import { assert, describe, it } from "@effect/vitest"
import { present } from "./Present.ts"

describe("fields that are present", () => {
  it("have a value; others are not there, and the order stays", () => {
    const fields = present({ b: 1, a: undefined, c: null, d: "", e: 0, f: false })
    assert.deepStrictEqual(Object.entries(fields), [
      ["b", 1],
      ["c", null],
      ["d", ""],
      ["e", 0],
      ["f", false]
    ])
    assert.isFalse("a" in fields)
  })

  it("are optional where they may be absent, and only there", () => {
    const noted = (note: string | undefined): { readonly id: number; readonly note?: string } =>
      present({ id: 1, note })
    assert.deepStrictEqual(noted("x"), { id: 1, note: "x" })
    assert.deepStrictEqual(noted(undefined), { id: 1 })
  })
})
