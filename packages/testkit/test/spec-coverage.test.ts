import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

// The table says of every rule of the specification whether it is built and which test proves it. A proof
// that no longer exists is a promise that nobody keeps, so the table is checked like code.

const root = fileURLToPath(new URL("../../..", import.meta.url))
const table = "docs/reference/spec-coverage.md"

/** `done`: built and proved. `open`: built, not proved yet. `later`: not built yet. */
const statuses = ["done", "open", "later"]

/** One file's text, or undefined where there is none. */
type Read = (path: string) => string | undefined

const readFromDisk: Read = (path) =>
  existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined

const cells = (row: string): ReadonlyArray<string> =>
  row
    .replace(/^\|/, "")
    .replace(/\|\s*$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"))

const isTestFile = (path: string): boolean =>
  /^packages\/[\w./-]+\.test\.ts$/.test(path) ||
  /^packages\/testkit\/src\/(?:contracts|conformance\/checks)\/\w+\.ts$/.test(path)

/**
 * What a title stands behind: the call of a test that runs, of a table of tests, a law of a contract suite, or a
 * check of the conformance kit.
 */
const opening = /(?:(?<![\w.])(?:it|test)(?:\.(?!skip|todo|fails)\w+)*\(|\)\(|\btitle:)\s*$/

const hasTest = (text: string, title: string): boolean =>
  ['"', "'", "`"].some((quote) => {
    const heads = text.split(`${quote}${title}${quote}`).slice(0, -1)
    return heads.some((head) => opening.test(head))
  })

const proofFaults = (proof: string, read: Read): ReadonlyArray<string> => {
  const [, path = "", title = ""] = /^`([^`]+)` › "(.+)"$/.exec(proof) ?? []
  if (path === "") return [`is not of the form \`path\` › "title": ${proof}`]
  if (!isTestFile(path)) return [`${path} is not a test file`]
  const text = read(path)
  if (text === undefined) return [`${path} does not exist`]
  return hasTest(text, title) ? [] : [`${path} has no test "${title}"`]
}

const rowFaults = (status: string, proofs: ReadonlyArray<string>, read: Read) => {
  if (!statuses.includes(status)) return [`has the status ${status}`]
  if (status !== "done") return proofs.length === 0 ? [] : [`is ${status} and names a proof`]
  return proofs.length === 0
    ? ["is done without a proof"]
    : proofs.flatMap((proof) => proofFaults(proof, read))
}

/** Everything that is wrong with a table, each with the id of its row. */
const coverageFaults = (markdown: string, read: Read): ReadonlyArray<string> => {
  const rows = markdown.split("\n").filter((line) => /^\|\s*S-/.test(line))
  if (rows.length === 0) return ["there are no rows"]
  return rows.flatMap((row, index) => {
    const [id = "", rule = "", status = "", proof = "", ...more] = cells(row)
    const expected = `S-${String(index + 1).padStart(3, "0")}`
    const proofs = proof === "—" ? [] : proof.split("<br>").map((one) => one.trim())
    return [
      ...(id === expected ? [] : [`has an id that is not ${expected}`]),
      ...(rule === "" ? ["says no rule"] : []),
      ...(more.length > 0 ? ["has more than four cells"] : []),
      ...rowFaults(status, proofs, read)
    ].map((fault) => `${id} ${fault}`)
  })
}

describe("the checker of the coverage table", () => {
  const file = "packages/core/src/charges/Charges.test.ts"
  const text = [
    `it("opens a charge", () => {})`,
    `it.effect("expires \`it\`", () => {})`,
    `it.each([1])("counts %s", () => {})`,
    `it.effect(`,
    `  "wraps", () => {})`,
    `describe("a group", () => {})`,
    `it.effect.skip("a sleeper", () => {}) // too slow`,
    `// it was "a remark"`,
    `  title: "a law",`
  ].join("\n")
  const read: Read = (path) =>
    path === file || path === "packages/testkit/src/contracts/Laws.ts" ? text : undefined

  const faults = (...rows: ReadonlyArray<string>) => coverageFaults(rows.join("\n"), read)
  const row = (id: string, status: string, proof: string) =>
    `| ${id} | a rule | ${status} | ${proof} |`

  it("takes a table in order", () => {
    assert.deepStrictEqual(
      faults(
        "| id | rule | status | proof |",
        "| --- | --- | --- | --- |",
        row("S-001", "done", `\`${file}\` › "opens a charge"`),
        row("S-002", "done", `\`${file}\` › "expires \`it\`"<br>\`${file}\` › "counts %s"`),
        row("S-003", "done", `\`${file}\` › "wraps"`),
        row("S-004", "done", `\`packages/testkit/src/contracts/Laws.ts\` › "a law"`),
        row("S-005", "open", "—"),
        row("S-006", "later", "—")
      ),
      []
    )
  })

  it("refuses every planted fault by the id of its row", () => {
    const plants: ReadonlyArray<readonly [row: string, says: string]> = [
      [row("S-001", "done", `\`${file}\` › "opens a door"`), 'has no test "opens a door"'],
      [row("S-001", "done", `\`${file}\` › "opens a"`), 'has no test "opens a"'],
      [row("S-001", "done", `\`${file}\` › "a group"`), 'has no test "a group"'],
      [row("S-001", "done", `\`${file}\` › "a remark"`), 'has no test "a remark"'],
      [row("S-001", "done", `\`${file}\` › "a sleeper"`), 'has no test "a sleeper"'],
      [row("S-001", "done", '`packages/core/src/Gone.test.ts` › "x"'), "does not exist"],
      [row("S-001", "done", '`packages/core/src/Charges.ts` › "x"'), "is not a test file"],
      [row("S-001", "done", "somewhere"), "is not of the form"],
      [row("S-001", "done", "—"), "is done without a proof"],
      [row("S-001", "open", `\`${file}\` › "opens a charge"`), "is open and names a proof"],
      [row("S-001", "later", `\`${file}\` › "opens a charge"`), "is later and names a proof"],
      [row("S-001", "almost", "—"), "has the status almost"],
      [row("S-002", "later", "—"), "has an id that is not S-001"],
      ["| S-001 |  | later | — |", "says no rule"],
      ["| S-001 | a | b | later | — |", "has more than four cells"]
    ]
    for (const [planted, says] of plants) {
      const found = faults(planted)
      assert.isTrue(
        found.some((fault) => fault.includes(says)),
        `${planted} → ${found.join("; ")}`
      )
    }
  })

  it("refuses ids that repeat or leave a gap", () => {
    assert.deepStrictEqual(faults(row("S-001", "later", "—"), row("S-001", "later", "—")), [
      "S-001 has an id that is not S-002"
    ])
    assert.deepStrictEqual(faults(row("S-001", "later", "—"), row("S-003", "later", "—")), [
      "S-003 has an id that is not S-002"
    ])
  })

  it("refuses a table without rows", () => {
    assert.deepStrictEqual(faults("# Coverage"), ["there are no rows"])
  })
})

describe("the coverage table", () => {
  it("names a proof that exists for every rule that it calls done", () => {
    assert.deepStrictEqual(coverageFaults(readFromDisk(table) ?? "", readFromDisk), [])
  })

  it("covers the whole specification", () => {
    const rows = (readFromDisk(table) ?? "").match(/^\| S-\d{3} /gm) ?? []
    assert.isAtLeast(rows.length, 320)
  })
})
