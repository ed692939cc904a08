import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { guards, plants } from "../src/Catalogue.ts"
import type { Plant } from "../src/Plant.ts"
import { isProved, plantIn } from "../src/Plant.ts"
import { hasTitle, read, root } from "./Workspace.test-data.ts"

/** A folder with copies of these files of the workspace. */
const copyOf = (paths: ReadonlyArray<string>): string => {
  const folder = mkdtempSync(join(tmpdir(), "pagora-plants-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), read(path))
  }
  return folder
}

const filesOf = ({ edits }: Pick<Plant, "edits">): ReadonlyArray<string> => [
  ...new Set(edits.map(({ file }) => file))
]

/** Everything that can be planted, by its name. */
const planted: ReadonlyArray<readonly [string, Pick<Plant, "edits">]> = [
  ...plants.map((plant) => [plant.name, plant] as const),
  ...guards.filter(isProved).map((guard) => [guard.what, guard] as const)
]

describe("a bug of the catalogue", () => {
  it("is one of at least fifty, each of a name of its own that can be typed", () => {
    assert.isAtLeast(plants.length, 50)
    const names = plants.map(({ name }) => name)
    assert.deepStrictEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      []
    )
    for (const name of names) assert.match(name, /^[a-z]+(?:-[a-z]+)*$/)
    for (const { name, what } of plants) assert.match(what, /^[A-Z].{30,}\.$/s, name)
  })

  it.each(planted)("%s can be planted, and taken out to the byte", (_, plant) => {
    const files = filesOf(plant)
    assert.isAbove(plant.edits.length, 0)
    const folder = copyOf(files)
    const takeOut = plantIn(folder, plant)
    for (const file of files) {
      const planted = readFileSync(join(folder, file), "utf8")
      assert.notStrictEqual(planted, read(file), file)
      // What Node.js cannot run would be a broken service, and no bug.
      stripTypeScriptTypes(planted)
    }
    takeOut()
    for (const file of files)
      assert.isTrue(readFileSync(join(folder, file)).equals(readFileSync(join(root, file))), file)
  })

  // A name that nobody has is no bug that anybody could write: it breaks the service at once, or where nobody looks.
  it("uses no name that is not there", () => {
    const folder = copyOf([])
    for (const [index, [, plant]] of planted.entries()) {
      const place = join(folder, String(index))
      for (const file of filesOf(plant)) {
        mkdirSync(dirname(join(place, file)), { recursive: true })
        writeFileSync(join(place, file), read(file))
      }
      plantIn(place, plant)
    }
    const known = join(folder, "names.json")
    writeFileSync(known, JSON.stringify({ env: { builtin: true, node: true } }))
    const lint = join(root, "node_modules/oxlint/bin/oxlint")
    const rule = ["-A", "all", "-D", "no-undef", "-c", known, folder]
    const { status, stdout } = spawnSync(process.execPath, [lint, ...rule], { encoding: "utf8" })
    assert.strictEqual(status, 0, stdout)
  })

  it("that does not fit the sources any more changes nothing, and says where", () => {
    const [known] = plants
    assert(known !== undefined)
    const [{ file, find, replace } = { file: "", find: "", replace: "" }] = known.edits
    const folder = copyOf([file])
    const plantTwo = (second: string) => () =>
      plantIn(folder, {
        ...known,
        edits: [
          { file, find, replace },
          { file, find: second, replace }
        ]
      })
    assert.throws(plantTwo("no such text"), `stands 0 times in ${file}`)
    assert.throws(plantTwo("\n"), /stands \d{2,} times/)
    assert.strictEqual(readFileSync(join(folder, file), "utf8"), read(file))
  })
})

describe("an item of what was found", () => {
  it("has its mend taken out by a bug, or is guarded by a test that is there", () => {
    const items = [...plants.map(({ since }) => since), ...guards.map(({ item }) => item)]
    for (let item = 1; item <= 24; item++) assert.include(items, item)
    for (const item of items)
      if (item !== undefined) assert.isTrue(item >= 1 && item <= 24, String(item))
    for (const { file, title } of guards)
      assert.isTrue(hasTitle(file, title), `${file} has no "${title}"`)
  })
})
