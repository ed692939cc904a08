import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { contentFaults } from "../src/Contents.ts"
import { publintFaults, typeFaults } from "../src/Lint.ts"
import { loadFaults, loadOf } from "../src/Loads.ts"
import { publishedPackages, readJson, root } from "../src/Packages.ts"
import { namesOf } from "../src/PublicNames.ts"
import { pack } from "../src/Tarball.ts"

const temporary = (files: Readonly<Record<string, string>>): string => {
  const folder = mkdtempSync(join(tmpdir(), "pagora-packaging-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

const manifest = {
  name: "planted",
  version: "1.0.0",
  license: "MIT",
  type: "module",
  files: ["dist/src"],
  exports: { ".": { types: "./dist/src/index.d.ts", default: "./dist/src/index.js" } }
}
const right = {
  "package.json": JSON.stringify(manifest),
  "README.md": "# planted\n",
  LICENSE: "MIT\n",
  "dist/src/index.js": "export const one = 1\n",
  "dist/src/index.d.ts": "export declare const one: number\n"
}

const faultsOf = async (changes: Readonly<Record<string, string>>) => {
  const folder = temporary({ ...right, ...changes })
  const tarball = await pack({ folder }, folder)
  return {
    contents: contentFaults(tarball),
    publint: await publintFaults(tarball),
    types: await typeFaults(tarball)
  }
}

describe("the checks of tarballs", { timeout: 60_000 }, () => {
  it("find nothing where nothing is wrong", async () => {
    assert.deepStrictEqual(await faultsOf({}), { contents: [], publint: [], types: [] })
  })

  it("find tests, ranges that npm cannot read, and maps that lead nowhere", async () => {
    const { contents } = await faultsOf({
      "package.json": JSON.stringify({ ...manifest, dependencies: { jose: "catalog:" } }),
      "dist/src/index.test.js": "",
      "dist/src/key.js": 'export const key = "-----BEGIN EC PRIVATE KEY-----"\n',
      "dist/src/index.js.map": JSON.stringify({ sources: ["../../src/index.ts"] }),
      LICENSE: ""
    })
    assert.deepStrictEqual([...contents].sort(), [
      "planted: dist/src/index.js.map leads to src/index.ts, which is not packed.",
      'planted: dist/src/index.test.js is not meant for users: see "files" in its package.json.',
      "planted: dist/src/key.js has a private key in it.",
      "planted: package.json asks for jose catalog:, which npm cannot install: write a version range."
    ])
  })

  it("find a condition of exports that bundlers of users set, too", async () => {
    const target = { types: "./dist/src/index.d.ts", default: "./dist/src/index.js" }
    const exportsBy = (condition: string) => ({
      "package.json": JSON.stringify({
        ...manifest,
        exports: { ".": { [condition]: "./dist/src/index.js", ...target } }
      })
    })
    assert.deepStrictEqual((await faultsOf(exportsBy("@pagora/source"))).contents, [])
    assert.deepStrictEqual((await faultsOf(exportsBy("source"))).contents, [
      "planted: package.json leads . elsewhere by the condition source, which is not ours: use @pagora/source, types, default."
    ])
  })

  it("find a source that is built twice", async () => {
    const map = JSON.stringify({ sources: ["../../src/Money.ts"] })
    const { contents } = await faultsOf({
      "package.json": JSON.stringify({ ...manifest, files: ["dist/src", "src"] }),
      "src/Money.ts": "",
      "dist/src/index.js.map": map,
      "dist/src/client.js.map": map
    })
    assert.deepStrictEqual(contents, [
      "planted: src/Money.ts is built into dist/src/client.js.map and dist/src/index.js.map."
    ])
  })

  it("find an entry that loads one module too many, or one of effect", async () => {
    const folder = temporary({
      "node_modules/planted/package.json": JSON.stringify(manifest),
      "node_modules/planted/dist/src/index.js":
        'import "./other.js"\nimport "effect"\nexport const lazy = () => import("./lazy.js")\n',
      "node_modules/planted/dist/src/other.js": "",
      "node_modules/planted/dist/src/lazy.js": "",
      "node_modules/effect/package.json": '{ "name": "effect", "exports": "./index.js" }',
      "node_modules/effect/index.js": ""
    })
    const load = await loadOf("planted", folder)
    const faults = (modulesMax: number, effectMax: number) =>
      loadFaults({ entry: "planted", modulesMax, effectMax }, load)
    assert.deepStrictEqual(faults(3, 1), [])
    assert.deepStrictEqual(faults(2, 0), [
      "planted loads 3 modules; 2 are allowed.",
      "planted loads 1 modules of effect; 0 are allowed."
    ])
  })

  it("find an entry that is not packed", async () => {
    const exports = { ".": { types: "./dist/src/index.d.ts", default: "./dist/src/main.js" } }
    const { publint } = await faultsOf({ "package.json": JSON.stringify({ ...manifest, exports }) })
    assert.match(publint.join("\n"), /main\.js.*does not exist/)
  })

  it("find an entry whose types are not those of its code", async () => {
    const { types } = await faultsOf({
      "dist/src/index.d.ts": 'export { one } from "./missing.js"\n'
    })
    assert.match(types.join("\n"), /missing/)
    const exports = { ".": "./dist/src/index.js" }
    const untyped = await faultsOf({
      "package.json": JSON.stringify({
        ...manifest,
        exports: { ...exports, "./more": "./dist/src/more.js" }
      }),
      "dist/src/more.js": "export const more = 1\n"
    })
    assert.match(untyped.types.join("\n"), /untyped/i)
  })
})

describe("public names", () => {
  it("are found through every form of an export", () => {
    const folder = temporary({
      "index.ts": [
        'export * from "./all.ts"',
        'export * as Space from "./all.ts"',
        'export type { Thing as Renamed } from "./all.ts"',
        'import { made } from "./all.ts"',
        "export { made }",
        "export function work() {}",
        "const own = 1",
        "export { own as given }"
      ].join("\n"),
      "all.ts": [
        "export class Thing {}",
        "export const made = 1",
        "export type made = number",
        "export interface Shape {}",
        "const hidden = 1"
      ].join("\n")
    })
    assert.deepStrictEqual([...namesOf(join(folder, "index.ts"))].sort(), [
      ["Renamed", "class, its type only"],
      ["Shape", "interface"],
      ["Space", "namespace"],
      ["Space.Shape", "interface"],
      ["Space.Thing", "class"],
      ["Space.made", "const + type"],
      ["Thing", "class"],
      ["given", "const"],
      ["made", "const + type"],
      ["work", "function"]
    ])
  })
})

describe("what is published", () => {
  it("has one version", () => {
    const versions = new Set(publishedPackages().map((one) => one.manifest.version))
    assert.strictEqual(versions.size, 1)
  })

  it("asks for the versions that the workspace is tested with", () => {
    for (const { folder, manifest: published } of publishedPackages()) {
      const ranges = { ...published.dependencies, ...published.peerDependencies }
      for (const [name, majors] of Object.entries(ranges)) {
        // Of several majors the last is the one that the workspace has; the package's own tests hold the others.
        const range = majors.split(" || ").at(-1) ?? ""
        const installed = join(folder, "node_modules", name, "package.json")
        const { version } = readJson<{ readonly version: string }>(installed)
        const [, operator, ...wanted] = /^([~^]?)(\d+)\.(\d+)\.(\d+)(.*)$/.exec(range) ?? []
        const [major, minor] = version.split(".")
        const message = `${published.name} asks for ${name} ${range} and is tested with ${version}`
        assert.strictEqual(wanted[0], major, message)
        if (operator === "~" || major === "0") assert.strictEqual(wanted[1], minor, message)
        if (operator === "") assert.strictEqual(range, version, message)
      }
    }
  })
})

/** What documents show as the text of a program, with the program. */
const shown = () =>
  globSync("{*,docs/*/*,packages/*/*,examples/*/*}.md", { cwd: root }).flatMap((document) =>
    [
      ...readFileSync(join(root, document), "utf8").matchAll(
        /^<!-- not run: ((?:examples|tools)\/\S+\.[jt]s), [^\n]*-->\n\n```[jt]s\n(.*?)^```/gms
      )
    ].map(([, file = "", text = ""]) => ({ document, file, text }))
  )

describe("the shops of examples/", () => {
  const programs = ["express", "koa", "hono"].map((host) => `examples/${host}/shop.js`)

  it("have at most 15 lines of the user's own, imports included", () => {
    for (const file of programs) {
      const lines = readFileSync(join(root, file), "utf8").split("\n")
      assert.isAtMost(lines.filter((line) => line.trim() !== "").length, 15, file)
    }
  })

  it("stand in the documents as they run, and so does the app of Next.js", () => {
    const next = [
      "app/payments/v2/[[...path]]/route",
      "instrumentation",
      "lib/pagora",
      "next.config"
    ]
    const files = [...programs, ...next.map((file) => `tools/packaging/next/${file}.ts`)]
    const blocks = shown()
    for (const { document, file, text } of blocks)
      assert.strictEqual(text, readFileSync(join(root, file), "utf8"), `${document}: ${file}`)
    assert.deepStrictEqual([...new Set(blocks.map(({ file }) => file))].sort(), files.sort())
  })
})
