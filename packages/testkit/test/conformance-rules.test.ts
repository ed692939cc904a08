import { assert, describe, it } from "@effect/vitest"
import { conformanceSections } from "@pagora/testkit"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

// The kit says which rules each check proves, the coverage table which checks prove each rule: one truth in two places.

const root = fileURLToPath(new URL("../../..", import.meta.url))
const kit = "packages/testkit/src/conformance"

const read = (path: string) => readFileSync(join(root, path), "utf8")

const sources = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)

const rows = new Map(
  read("docs/reference/spec-coverage.md")
    .split("\n")
    .filter((line) => line.startsWith("| S-"))
    .map((line) => [line.slice(2, 7), line] as const)
)

const checks = conformanceSections.flatMap((section) => section.checks)

describe("the conformance kit", () => {
  it("has one check of each title, and each proves a rule", () => {
    assert.strictEqual(new Set(checks.map(({ title }) => title)).size, checks.length)
    for (const { rules, title } of checks) {
      assert.isAbove(rules.length, 0, title)
      assert.strictEqual(new Set(rules).size, rules.length, title)
    }
  })

  it("is named as a proof by every rule that it proves", () => {
    const unnamed = checks.flatMap(({ rules, title }) =>
      rules
        .filter((rule) => rows.get(rule)?.includes(`› "${title}"`) !== true)
        .map((rule) => `${rule}: ${title}`)
    )
    assert.deepStrictEqual(unnamed, [])
  })

  it("is named by no rule that it does not prove", () => {
    const claimed = [...rows].flatMap(([rule, row]) =>
      Array.from(
        row.matchAll(/`packages\/testkit\/src\/conformance\/[^`]+` › "(.+?)"(?=<br>| \|)/g)
      ).flatMap(([, title]) =>
        checks.some((check) => check.title === title && check.rules.includes(rule))
          ? []
          : [`${rule}: ${title}`]
      )
    )
    assert.deepStrictEqual(claimed, [])
  })

  it("needs Node.js and nothing else, so that a command can use it", () => {
    for (const path of sources(kit)) {
      for (const [, module = ""] of read(path).matchAll(/\bfrom "([^"]+)"/g)) {
        assert.match(module, /^(?:node:|\.)/, path)
        assert.notMatch(module, /^(?:\.\.\/){2}/, path)
      }
    }
  })
})
