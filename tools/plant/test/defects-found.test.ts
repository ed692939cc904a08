import { assert, describe, it } from "vitest"
import { plants } from "../src/Catalogue.ts"
import { hasTitle, read } from "./Workspace.test-data.ts"

// The table says of every defect what would find it again. What is not there any more finds nothing.

const names: ReadonlySet<string> = new Set(plants.map(({ name }) => name))

/** What is wrong with what a row names to find its defect again. */
const proofFaults = (proof: string): ReadonlyArray<string> => {
  const planted = /^planted: (.+)$/.exec(proof)?.[1]
  if (planted !== undefined)
    return planted
      .split(", ")
      .filter((name) => !names.has(name.replaceAll("`", "")))
      .map((name) => `${name} is not in the catalogue`)
  const [, file = "", title = ""] = /^`([^`]+\.test\.ts)` › "(.+)"$/.exec(proof) ?? []
  if (file === "") return [`is neither a test nor a planted bug: ${proof}`]
  return hasTitle(file, title) ? [] : [`${file} has no "${title}"`]
}

/** Everything that is wrong with a table of defects. */
const defectFaults = (markdown: string): ReadonlyArray<string> => {
  const [, , ...rows] = markdown.split("\n").filter((line) => line.startsWith("| "))
  if (rows.length === 0) return ["there are no rows"]
  return rows.flatMap((row) => {
    const cells = row.slice(2, -2).split(" | ")
    const [defect = "", found = "", since = "", held = ""] = cells
    if (cells.length !== 4 || [defect, found, since].includes(""))
      return [`is no row of four cells: ${row}`]
    const proofs = held.split("<br>")
    const isTested = proofs.some((proof) => proof.includes(" › "))
    return [...(isTested ? [] : ["has no test"]), ...proofs.flatMap(proofFaults)].map(
      (fault) => `${defect}: ${fault}`
    )
  })
}

describe("the table of the defects that were found", () => {
  it("names tests and planted bugs that are there", () => {
    assert.deepStrictEqual(defectFaults(read("docs/reference/defects-found.md")), [])
  })

  it.each([
    ["a test that is gone", '`tools/plant/test/plants.test.ts` › "x y z"', 'has no "x y z"'],
    ["a file that is gone", '`packages/core/test/gone.test.ts` › "x"', 'has no "x"'],
    ["a bug that is gone", "planted: `late-look`", "`late-look` is not in the catalogue"],
    ["a bug without a test", "planted: `late-look-at-a-memory`", "has no test"],
    ["neither", "somewhere", "is neither a test nor a planted bug"]
  ])("is refused with %s", (_, held, says) => {
    const head = "| defect | found | since then | held by |\n| --- | --- | --- | --- |\n"
    assert.include(defectFaults(`${head}| a | b | c | ${held} |`).join("; "), says)
  })

  it("is refused without a row, and with one that says too little", () => {
    assert.deepStrictEqual(defectFaults("# Defects"), ["there are no rows"])
    assert.include(defectFaults("| a |\n| - |\n| a | b | c |").join(), "no row of four cells")
  })
})
