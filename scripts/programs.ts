// Bundles the packages for the processes that tests and documents start. One that runs the sources loads 700 files, and
// for a third of its start Node does nothing but find and link them (decision 0118).
import { createHash } from "node:crypto"
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { rolldown } from "rolldown"

const root = join(import.meta.dirname, "..")
/** What stays outside of the bundle is found from here: all of it is installed for the server. */
const home = join(root, "packages/server/node_modules/.programs")
const packages = [
  "core",
  "express",
  "fake-bank",
  "koa",
  "postgres",
  "psp-bacen",
  "psp-woovi",
  "server"
]
/** What of Effect the programs import themselves. A second copy would not know the services of the first. */
const ofEffect = ["effect", "effect/http", "effect/testing", "@effect/vitest"]
/** They are found by their files, or belong to whoever mounts the service. */
const apart = [
  /^node:/,
  "@electric-sql/pglite",
  "@pagora/testkit",
  "vitest",
  /^@pagora\/testkit\//,
  "express",
  "koa"
]
const keptMillis = 24 * 60 * 60 * 1000

interface Entry {
  /** How a program imports it; undefined for what only the command does. */
  readonly name?: string
  /** Its place in the bundle, without an ending. */
  readonly place: string
  readonly source: string
}

/** Makes the bundle where these sources have none yet. Answers what Node is to import (`--import`) before a program. */
export const bundlePrograms = async (): Promise<string> => {
  const folder = join(home, fingerprint())
  const hook = join(folder, "hook.mjs")
  // One that is still used is not forgotten.
  if (existsSync(hook)) utimesSync(folder, new Date(), new Date())
  else await bundleInto(folder)
  return pathToFileURL(hook).href
}

/** Whole, or not there: several may make it at once. */
const bundleInto = async (folder: string): Promise<void> => {
  forgetOld()
  const draft = `${folder}.${process.pid}`
  const entries = entriesOf()
  const bundled = await rolldown({
    input: Object.fromEntries(entries.map(({ place, source }) => [place, source])),
    cwd: root,
    platform: "node",
    resolve: { conditionNames: ["@pagora/source", "import", "module", "node"] },
    external: apart,
    // It tells of what is imported both at the start and later on: here all of it lies in the same files.
    onLog: () => undefined
  })
  await bundled.write({
    dir: draft,
    format: "esm",
    keepNames: true,
    entryFileNames: "[name].mjs",
    chunkFileNames: "shared/[name].mjs"
  })
  await bundled.close()
  writeFileSync(join(draft, "hook.mjs"), hookOf(entries))
  try {
    renameSync(draft, folder)
  } catch {
    // Another one was faster.
    rmSync(draft, { recursive: true, force: true })
  }
}

const forgetOld = (): void => {
  mkdirSync(home, { recursive: true })
  for (const name of readdirSync(home)) {
    const path = join(home, name)
    if (statSync(path).mtimeMs < Date.now() - keptMillis) rmSync(path, { recursive: true })
  }
}

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, { readonly "@pagora/source"?: string }>>
}

const entriesOf = (): ReadonlyArray<Entry> => {
  const { resolve } = createRequire(join(root, "packages/testkit/package.json"))
  const ours = packages.flatMap((folder) => {
    const path = join(root, "packages", folder, "package.json")
    const { exports, name } = JSON.parse(readFileSync(path, "utf8")) as Manifest
    return Object.entries(exports).flatMap(([part, { "@pagora/source": source }]) =>
      source === undefined
        ? []
        : {
            name: `${name}${part.slice(1)}`,
            place: join(folder, source.replace(/^\.\/src\/|\.ts$/g, "")),
            source: join(root, "packages", folder, source)
          }
    )
  })
  const effect = ofEffect.map((name) => ({
    name,
    place: join(name, "index"),
    source: resolve(name)
  }))
  // The command finds it beside the index of its package.
  const main = { place: "server/main", source: join(root, "packages/server/src/main.ts") }
  return [...ours, ...effect, main]
}

/** What sends whoever imports a package to the bundle. It runs before anything of ours does. */
const hookOf = (entries: ReadonlyArray<Entry>): string => {
  const files = Object.fromEntries(
    entries.flatMap(({ name, place }) => (name === undefined ? [] : [[name, `./${place}.mjs`]]))
  )
  return `import { registerHooks } from "node:module"

const files = ${JSON.stringify(files, undefined, 2)}

registerHooks({
  resolve: (name, context, next) => {
    if (Object.hasOwn(files, name))
      return { url: new URL(files[name], import.meta.url).href, format: "module", shortCircuit: true }
    if (/^@?effect(\\/|$)/.test(name))
      throw new Error(\`\${context.parentURL} imports \${name}: add it to scripts/programs.ts.\`)
    return next(name, context)
  }
})
`
}

/** Another bundle for other sources. */
const fingerprint = (): string => {
  const hash = createHash("sha256")
  const sources = globSync(`packages/{${packages.join(",")}}/{package.json,src/**/*.{ts,json}}`, {
    cwd: root
  })
  for (const file of [...sources.toSorted(), "pnpm-lock.yaml", "scripts/programs.ts"])
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0")
  return hash.digest("hex").slice(0, 16)
}
