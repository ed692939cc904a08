import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { everything, unreached } from "./Coverage.ts"
import { expectedCells } from "./programs/Cells.ts"

const errors = new URL("../../../../docs/reference/errors.md", import.meta.url)
/** What `POST /auth` refuses has no code. */
const withoutCode = new Set(["mistake wrongSecret: 401"])

describe("what simulations must reach", () => {
  it("is missed where one cell of it was not reached", () => {
    const all = new Map(everything.map((cell) => [cell, 1]))
    assert.deepStrictEqual(unreached(all), [])
    assert.isAbove(everything.length, 400)
    for (const cell of [
      "fault: crash",
      "fault: storage late write",
      "fault: bank lie of findPayout"
    ]) {
      const without = new Map(all)
      assert.isTrue(without.delete(cell), cell)
      assert.deepStrictEqual(unreached(without), [cell])
    }
  })

  it("has no answer that the service does not give", () => {
    const listed = readFileSync(errors, "utf8")
    const answers = expectedCells.troubled.filter((cell) => !/ [×→] /.test(cell))
    const strange = answers.filter((cell) => {
      const answer = cell.slice(cell.indexOf(": ") + 2)
      const isKnown = answer === "lost" || /^2\d\d$/.test(answer) || withoutCode.has(cell)
      return !isKnown && !listed.includes(`| \`${answer}\` |`)
    })
    assert.isAbove(answers.length, 200)
    assert.deepStrictEqual(strange, [])
  })
})
