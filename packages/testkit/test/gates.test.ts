import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"
import { core, imports, layers } from "./LayerPlants.test-data.ts"
import type { Plant } from "./LayerPlants.test-data.ts"

// A gate that checks nothing is green too. So each one is shown a violation here, beside the same file
// done right: the dirty one must be refused by the rule's name, the clean one must pass.

const root = fileURLToPath(new URL("../../..", import.meta.url))

type Files = Readonly<Record<string, string>>

/** A workspace of its own with the real configuration and these files. */
const workspace = (files: Files, configuration: ReadonlyArray<string>) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "pagora-gates-")))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const place = (path: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    return join(folder, path)
  }
  for (const path of configuration) copyFileSync(join(root, path), place(path))
  for (const [path, text] of Object.entries(files)) writeFileSync(place(path), text)
  return folder
}

const run = (folder: string, script: string, ...args: ReadonlyArray<string>) =>
  new Promise<{ readonly code: number; readonly output: string }>((resolve) => {
    const path = join(root, "node_modules", script)
    const child = execFile(process.execPath, [path, ...args], { cwd: folder }, (_, out, error) =>
      resolve({ code: child.exitCode ?? -1, output: out + error })
    )
  })

const global = (name: string, use: string, instead: string): Plant => ({
  gate: `core does without ${name}`,
  path: `${core}/charges/Global${name}s.ts`,
  dirty: `export const value = () => ${use}\n`,
  clean: `export const value = (${name}: () => unknown) => ${name}\n`,
  says: ["no-restricted-globals", `'${name}'`, instead]
})

const property = (object: string, name: string, clean: string, instead: string): Plant => ({
  gate: `core does without ${object}.${name}`,
  path: `${core}/charges/Property${name}s.ts`,
  dirty:
    (object === "Effect" ? `import { Effect } from "effect"\n` : "") +
    `export const value = ${object}.${name}\n`,
  clean,
  says: ["no-restricted-properties", `'${object}.${name}'`, instead]
})

const rule = (name: string, dirty: string, clean: string): Plant => ({
  gate: name,
  path: `packages/postgres/src/${name}.ts`,
  dirty: `${dirty}\n`,
  clean: `${clean}\n`,
  says: [`(${name})`]
})

const effectful = `import { Effect } from "effect"\nexport const value = Effect.void\n`
const lines = (count: number) => `export const list = [\n${"  1,\n".repeat(count - 2)}]\n`
const longFunction = (count: number) => {
  const body = "  value += 1\n".repeat(count - 4)
  return `export const sum = () => {\n  let value = 0\n${body}  return value\n}\n`
}

const bans: ReadonlyArray<Plant> = [
  global("Date", "new Date()", "Use DateTime"),
  { ...global("Date", "Date.now()", "Use DateTime"), path: `${core}/storage/Now.ts` },
  global("setTimeout", "setTimeout(() => {}, 1)", "Use Effect.sleep"),
  global("setInterval", "setInterval(() => {}, 1)", "Use Effect.repeat"),
  global("fetch", "fetch('x')", "Use a port"),
  global("process", "process.env.HOME", "Config"),
  global("console", "console.log(1)", "Use Effect.log"),
  {
    ...global("globalThis", "globalThis.setTimeout", "Name the global itself"),
    clean: "export const value = Number.isNaN\n"
  },
  property("Math", "random", "export const value = Math.floor(1.5)\n", "Use Random"),
  property("crypto", "randomUUID", "export const value = crypto.subtle\n", "Ids service"),
  property("Effect", "runPromise", effectful, "Return the Effect"),
  property("Effect", "runSync", effectful, "Return the Effect"),
  property("Effect", "runFork", effectful, "Effect.forkScoped"),
  {
    gate: "core does without Node.js",
    path: `${core}/app/Files.ts`,
    dirty: `import type { Stats } from "node:fs"\nexport type B = Stats\n`,
    clean: imports("effect"),
    says: ["no-nodejs-modules", "node:fs"]
  },
  {
    gate: "@effect/platform-node is imported deep, also in core's Node.js folder",
    path: `${core}/node/Listener.ts`,
    dirty: imports("@effect/platform-node"),
    clean:
      imports("@effect/platform-node/NodeHttpServer") +
      `import { readFileSync } from "node:fs"\nexport const now = () => [Date.now(), readFileSync]\n`,
    says: ["no-restricted-imports", "import deep"]
  },
  {
    gate: "@effect/platform-node is imported deep everywhere",
    path: "packages/server/src/Serve.ts",
    dirty: imports("@effect/platform-node"),
    clean: imports("@effect/platform-node/NodeHttpServer"),
    says: ["no-restricted-imports", "import deep"]
  },
  {
    gate: "ports/ makes nothing",
    path: `${core}/ports/Made.ts`,
    dirty: `import { Layer } from "effect"\nexport const value = Layer.empty\n`,
    clean: `import { Context } from "effect"\nexport const value = Context.empty\n`,
    says: ["no-restricted-imports", "interfaces only"]
  },
  rule("no-explicit-any", "export type A = any", "export type A = unknown"),
  rule("ban-ts-comment", "// @ts-ignore\nexport const a = 1", "export const a = 1"),
  rule("eqeqeq", "export const a = (b: 1) => b == 1", "export const a = (b: 1) => b === 1"),
  rule("no-var", "export var a = 1", "export const a = 1"),
  rule("prefer-const", "let a = 1\nexport { a }", "const a = 1\nexport { a }"),
  rule("no-unused-vars", "export const a = (b: 1) => 1", "export const a = (_: 1) => 1"),
  rule("use-isnan", "export const a = (b: 1) => b === NaN", "export const a = Number.isNaN"),
  {
    gate: "modules form no circle",
    path: "packages/postgres/src/Circle.ts",
    dirty: `import { radius } from "./Radius.ts"\nexport const area = () => radius\n`,
    clean: "export const area = () => 1\n",
    says: ["no-cycle"]
  },
  {
    gate: "a file has at most 300 lines of code",
    path: "packages/postgres/src/Long.ts",
    dirty: lines(301),
    clean: lines(300) + "// and comments\n",
    says: ["(max-lines)"]
  },
  {
    gate: "a test file has at most 500 lines of code",
    path: "packages/postgres/src/Long.test.ts",
    dirty: lines(501),
    clean: lines(500),
    says: ["(max-lines)"]
  },
  {
    gate: "a function has at most 70 lines of code",
    path: "packages/postgres/src/LongFunction.ts",
    dirty: longFunction(71),
    clean: longFunction(70),
    says: ["max-lines-per-function"]
  }
]

/** Free in both versions: what the bans of core leave alone. */
const bystanders: Files = {
  "packages/postgres/src/Vectors.test-data.ts": lines(600),
  "packages/postgres/src/Radius.ts": `import { area } from "./Circle.ts"\nexport const radius = area\n`,
  [`${core}/app/Pagora.ts`]: `import { Effect } from "effect"\nexport const run = Effect.runPromise\n`,
  [`${core}/charges/Charges.test.ts`]: `export const now = Date.now()\n${longFunction(90)}`
}

interface Diagnostic {
  readonly code: string
  readonly severity: string
  readonly message: string
  readonly help?: string
  readonly filename: string
}

const lint = async (plants: ReadonlyArray<Plant>, version: "dirty" | "clean") => {
  const files = Object.fromEntries(plants.map((plant) => [plant.path, plant[version]]))
  const folder = workspace({ ...bystanders, ...files }, [".oxlintrc.json"])
  const { output } = await run(folder, "oxlint/bin/oxlint", "-f", "json")
  const { diagnostics } = JSON.parse(output) as { diagnostics: ReadonlyArray<Diagnostic> }
  return diagnostics.map(({ code, severity, message, help = "", filename }) => ({
    filename,
    text: `${severity} ${code}: ${message} ${help}`
  }))
}

describe("lint", async () => {
  const plants = [...layers, ...bans]

  it("refuses every plant by the name of its rule", async () => {
    const diagnostics = await lint(plants, "dirty")
    const missed = plants.filter(
      ({ path, says }) =>
        !diagnostics.some(
          ({ filename, text }) =>
            filename === path && ["error", ...says].every((word) => text.includes(word))
        )
    )
    assert.deepStrictEqual(
      missed.map(({ gate }) => gate),
      []
    )
  })

  it("passes every plant done right", async () => {
    assert.strictEqual(new Set(plants.map(({ path }) => path)).size, plants.length)
    assert.deepStrictEqual(await lint(plants, "clean"), [])
  })
})

const packages = readdirSync(join(root, "packages"))
const projects = [...packages.map((name) => `packages/${name}`), "bench"].filter((folder) =>
  existsSync(join(root, folder, "tsconfig.json"))
)
const typescript = [
  "tsconfig.json",
  "tsconfig.check.json",
  ...projects.flatMap((folder) => [`${folder}/tsconfig.json`, `${folder}/package.json`])
]
const empty = Object.fromEntries(
  projects.map((folder) => [`${folder}/src/index.ts`, "export {}\n"])
)
const typedWorkspace = (files: Files) => {
  const folder = workspace({ ...empty, ...files }, typescript)
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  return folder
}

describe("types", () => {
  const tsc = "typescript/bin/tsc"
  const test = `${core}/Amount.test.ts`
  const good = `import { Schema } from "effect"\nexport const Amount = Schema.Int\n`
  const wrong = `import { Schema } from "effect"\nexport const amount: Schema.Int = 1\n`

  it("refuses a type error in a test, which the build leaves out", async () => {
    const folder = typedWorkspace({ [`${core}/Amount.ts`]: good, [test]: wrong })
    const [check, build] = await Promise.all([
      run(folder, tsc, "-p", "tsconfig.check.json"),
      run(folder, tsc, "-b")
    ])
    assert.include(check.output, "Amount.test.ts(2,14): error TS2322")
    assert.notStrictEqual(check.code, 0)
    assert.deepStrictEqual(build, { code: 0, output: "" })
    // Declarations are what it writes of every package: what runs is bundled of some (decision 0088). The bench is never built.
    const published = projects.filter((project) => project !== "bench")
    for (const built of published.map((project) => `${project}/dist/src/index.d.ts`)) {
      assert.isTrue(existsSync(join(folder, built)), built)
    }
    assert.isFalse(existsSync(join(folder, "packages/core/dist/src/Amount.test.d.ts")))
  })

  it("refuses a type error in a source, in the check and in the build", async () => {
    const folder = typedWorkspace({ [`${core}/Amount.ts`]: wrong, [test]: good })
    for (const args of [["-p", "tsconfig.check.json"], ["-b"]]) {
      const { code, output } = await run(folder, tsc, ...args)
      assert.include(output, "Amount.ts(2,14): error TS2322")
      assert.notStrictEqual(code, 0)
    }
  })

  it("passes a sound workspace", async () => {
    const folder = typedWorkspace({ [`${core}/Amount.ts`]: good, [test]: good })
    const check = await run(folder, tsc, "-p", "tsconfig.check.json")
    assert.deepStrictEqual(check, { code: 0, output: "" })
  })
})

describe("format", () => {
  const word = `"${"a".repeat(60)}"`
  const list = `export const a = [\n  ${word},\n  ${word}\n]\n`
  const wide = (columns: number) => `export const a = ["b", "${"c".repeat(columns - 26)}"]\n`

  it.each([
    ["semicolons", "export const a = 1;\n", "export const a = 1\n"],
    ["single quotes", "export const a = 'b'\n", `export const a = "b"\n`],
    ["trailing commas", `${list.replace(/\n]/, ",$&")}`, list],
    ["lines over 100 columns", wide(101), wide(100)]
  ])("refuses %s", async (_, dirty, clean) => {
    const file = `${core}/A.ts`
    const [refused, passed] = await Promise.all(
      [dirty, clean].map((text) =>
        run(workspace({ [file]: text }, [".oxfmtrc.json"]), "oxfmt/bin/oxfmt", "--check")
      )
    )
    assert.include(refused?.output, file)
    assert.strictEqual(refused?.code, 1)
    assert.strictEqual(passed?.code, 0)
  })
})

describe("dead code", () => {
  const knip = (index: string, more: Files = {}) => {
    const files = {
      "package.json": `{ "name": "planted", "private": true, "type": "module" }`,
      "pnpm-workspace.yaml": "packages: [packages/*]\n",
      "packages/core/package.json": `{ "name": "a", "exports": "./src/index.ts", "type": "module" }`,
      "packages/core/src/index.ts": index,
      "packages/core/src/Money.ts": "export const zero = 0\nexport const one = 1\n",
      ...more
    }
    const folder = workspace(files, ["knip.json", "tsconfig.json"])
    return run(folder, "knip/bin/knip.js", "--no-config-hints")
  }

  it("refuses an export and a file that nobody uses", async () => {
    const lost = { "packages/core/src/Lost.ts": "export const lost = 1\n" }
    const { code, output } = await knip(`export { zero } from "./Money.ts"\n`, lost)
    assert.match(output, /Unused files \(1\)\s+packages\/core\/src\/Lost\.ts/)
    assert.match(output, /Unused exports \(1\)\s+one /)
    assert.strictEqual(code, 1)
  })

  it("passes what is used", async () => {
    const { code, output } = await knip(`export { one, zero } from "./Money.ts"\n`)
    assert.strictEqual(code, 0, output)
  })
})
