import { expect, test } from "vitest"
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { sourcesOfSeeds } from "../src/Sources.ts"

const root = join(import.meta.dirname, "../../..")

/** What a process loads of our own that loads what a thread of a simulation does. */
const loaded = (): ReadonlyArray<string> => {
  const base = pathToFileURL(`${root}/`).href
  const script = `
    import { registerHooks } from "node:module"
    const seen = []
    registerHooks({ load: (url, context, next) => (seen.push(url), next(url, context)) })
    await import(${JSON.stringify(`${base}tools/simulate/src/Worker.ts`)})
    console.log(JSON.stringify(seen))`
  const told = execFileSync(
    process.execPath,
    ["--conditions=@pagora/source", "--input-type=module", "--eval", script],
    { encoding: "utf8" }
  )
  return (JSON.parse(told) as ReadonlyArray<string>)
    .filter((url) => url.startsWith(base) && !url.includes("/node_modules/"))
    .map((url) => url.slice(base.length))
}

test("What a seed runs counts among its sources", { timeout: 60_000 }, () => {
  const known = new Set(sourcesOfSeeds())
  const ran = loaded()
  expect(ran).toContain("packages/core/src/storage-memory/StorageMemory.ts")
  expect(ran).toContain("packages/testkit/src/simulation/Engine.ts")
  expect(ran.filter((file) => !known.has(file))).toEqual([])
})

test("What is installed counts among them; tests, and what only a server loads, do not", () => {
  const known = sourcesOfSeeds()
  expect(known).toContain("pnpm-lock.yaml")
  expect(known).toContain("tools/simulate/src/main.ts")
  expect(known).toContain("packages/fake-bank/src/openapi/api-pix-2.9.0.json")
  expect(
    known.filter((file) => /\.test(-data)?\.ts$|^packages\/(server|express|koa)\//.test(file))
  ).toEqual([])
})
