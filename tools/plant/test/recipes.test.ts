import { spawnSync } from "node:child_process"
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { copyWorkspace } from "../src/Copy.ts"
import { follow, recipeOf } from "../src/Recipe.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

const read = (path: string): string => readFileSync(join(root, path), "utf8")
const recipe = (name: string) => recipeOf(read(`docs/recipes/${name}.md`))

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "")

const isTest = (file: string): boolean => file.endsWith(".test.ts")

/** The recipes that change sources, and how many files of code each may touch, beside its test. */
const recipes = [
  ["add-an-endpoint", 6],
  ["add-an-event", 4],
  // What it changes is written for people; what stays as it is, its test shows.
  ["add-a-payment-method", 0]
] as const

/** Runs a program of the installed packages in a copy. */
const run = (folder: string, program: string, ...args: ReadonlyArray<string>) => {
  const path = join(root, "node_modules", program)
  const { status, stderr, stdout } = spawnSync(process.execPath, [path, ...args], {
    cwd: folder,
    encoding: "utf8"
  })
  assert.strictEqual(status, 0, `${stdout}${stderr}`)
}

describe("a recipe", () => {
  it.each(recipes)("%s touches at most %i files of code, and one test", (name, most) => {
    const { created, edits } = recipe(name)
    const files = [...edits, ...created].map(({ file }) => file)
    const code = new Set(files.filter((file) => !isTest(file)))
    assert.isAtMost(code.size, most, [...code].join(", "))
    assert.strictEqual(files.filter(isTest).length, 1)
  })

  it("that does not fit the sources any more is not followed in part", () => {
    const page = read("docs/recipes/add-an-event.md").replace("defend(current.value", "defend(gone")
    const folder = copyWorkspace(root)
    try {
      assert.throws(() => follow(folder, recipeOf(page)), /stands 0 times in .*Blocks\.ts/)
      const events = "packages/core/src/blocks/BlockEvents.ts"
      assert.strictEqual(readFileSync(join(folder, events), "utf8"), read(events))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("add-a-psp is one folder: what it imports of the workspace has a public name", () => {
    const folder = "examples/custom-psp/src/aurora"
    const files = globSync("*.ts", { cwd: join(root, folder) })
    assert.isAbove(files.length, 1)
    const imported = files.flatMap((file) =>
      Array.from(
        read(`${folder}/${file}`).matchAll(/\bfrom "([^"]+)"/g),
        ([, name = ""]) => `${file}: ${name}`
      )
    )
    const isApart = /: (effect(\/.*)?|node:\w+|@pagora\/\w+(\/\w+)?|\.\/\w+\.ts)$/
    assert.deepStrictEqual(
      imported.filter((name) => !isApart.test(name)),
      []
    )
  })

  it("add-a-payment-method leaves alone what moves, keeps and tells of money: none of it names one", () => {
    for (const room of [
      "ledger",
      "units",
      "storage",
      "jobs",
      "reconciliation",
      "returns",
      "webhooks"
    ])
      for (const file of globSync(`packages/core/src/${room}/**/*.ts`, { cwd: root }))
        if (!isTest(file) && !file.endsWith("/EventSchemas.ts"))
          assert.notMatch(withoutComments(read(file)), /pix|boleto/i, file)
  })
})

describe("all recipes, followed in a copy of the sources", { timeout: 300_000 }, () => {
  let folder: string

  beforeAll(() => {
    folder = copyWorkspace(root)
    for (const [name] of recipes) follow(folder, recipe(name))
    const settings = globSync("packages/*/tsconfig.json", { cwd: root })
    for (const file of [...settings, "tsconfig.json", "vitest.config.ts", "scripts/programs.ts"])
      cpSync(join(root, file), join(folder, file))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("have the right types", () => {
    const { compilerOptions, ...rest } = JSON.parse(read("tsconfig.check.json"))
    const include = ["packages/core/src", "packages/core/test", "packages/server/src"]
    const config = { ...rest, compilerOptions, include }
    writeFileSync(join(folder, "tsconfig.recipes.json"), JSON.stringify(config))
    run(folder, "typescript/bin/tsc", "-p", "tsconfig.recipes.json")
  })

  it("answer and are delivered, as their tests say, with every word that the contract needs", () => {
    const own = recipes.flatMap(([name]) => recipe(name).created.map(({ file }) => file))
    // What asks for the words of each endpoint and event, with what it stands on.
    cpSync(join(root, "packages/core/test"), join(folder, "packages/core/test"), {
      recursive: true
    })
    const gates = globSync("packages/core/test/contract/{document,events}.test.ts", { cwd: folder })
    assert.strictEqual(gates.length, 2)
    run(folder, "vitest/vitest.mjs", "run", "--maxWorkers=1", ...own, ...gates)
  })
})
