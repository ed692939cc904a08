import { assert, beforeAll, describe, expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { pagora } from "../src/main.ts"
import { CommandFailed } from "../src/commands/CommandFailed.ts"
import type { Leaf } from "./CommandLinePage.test-data.ts"
import { failureOf, leavesOf, pageOf } from "./CommandLinePage.test-data.ts"

const page = fileURLToPath(new URL("../../../docs/reference/command-line.md", import.meta.url))
const title = "## Commands\n\n"

let leaves: ReadonlyArray<Leaf>

beforeAll(async () => {
  leaves = await leavesOf(pagora)
})

describe("the command line", () => {
  it("is what docs/reference/command-line.md says; `vitest run -u` writes it anew", async () => {
    const [intro = ""] = readFileSync(page, "utf8").split(title)
    await expect(`${intro}${title}${pageOf(leaves)}`).toMatchFileSnapshot(page)
  })

  it("has a meaning, two examples that begin with its own words or end in them, for every command", () => {
    assert.isAbove(leaves.length, 20)
    for (const { help, path } of leaves) {
      const name = `pagora ${path.join(" ")}`
      const examples = help.examples ?? []
      assert.isAtLeast(examples.length, 2, name)
      for (const { command } of examples) assert.include(command, name)
      assert.notMatch(help.description, /\.$/, name)
      assert.notStrictEqual(help.description, "", name)
    }
  })

  it("understands every example: what fails is only that nothing answers, or nobody says yes", async () => {
    let understood = 0
    for (const { help } of leaves) {
      const isOperator = help.flags.some(({ name }) => name === "operator-url")
      for (const { command } of isOperator ? (help.examples ?? []) : []) {
        const failure = await failureOf(pagora, command)
        assert.instanceOf(failure, CommandFailed, `${command}: ${String(failure)}`)
        understood++
      }
    }
    assert.isAbove(understood, 50)
    assert.isFalse((await failureOf(pagora, "pagora audit --jsno")) instanceof CommandFailed)
  })

  it("has in the examples of the others only flags that are there", () => {
    for (const { help } of leaves) {
      const names = help.flags.map(({ name }) => `--${name}`)
      for (const { command } of help.examples ?? []) {
        const [first = ""] = command.split(" | ")
        for (const flag of first.match(/(?<= )--[\w-]+/g) ?? [])
          assert.include(names, flag, command)
      }
    }
  })

  it("can answer every command of the operator's as JSON, and takes no key as an argument", () => {
    for (const { help, path } of leaves) {
      const names = help.flags.map(({ name }) => name)
      if (!names.includes("operator-url")) continue
      assert.includeMembers(names, ["json", "operator-key-file"], path.join(" "))
      assert.notInclude(names, "operator-key", path.join(" "))
      for (const { description, name } of help.flags) {
        assert.strictEqual(description._tag, "Some", `${path.join(" ")} --${name}`)
      }
    }
  })
})
