import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readJson, root } from "./Packages.ts"
import type { Ran } from "./Run.ts"
import { run } from "./Run.ts"

/** A folder with nothing in it, as a user begins. */
export const emptyFolder = (folder: string) => {
  mkdirSync(folder)
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n')
  return {
    folder,
    /** `npm install` of these. */
    install: async (packages: ReadonlyArray<string>) => {
      check(await run("npm", ["install", "--prefer-offline", "--no-save", ...packages], { folder }))
      return installedIn(folder, "node_modules/.package-lock.json")
    },
    /** What `npm install` of these would bring. */
    plan: async (packages: ReadonlyArray<string>) => {
      const args = ["install", "--prefer-offline", "--package-lock-only", ...packages]
      check(await run("npm", args, { folder }))
      return installedIn(folder, "package-lock.json")
    }
  }
}

const networkTrouble =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ENOTCACHED/

const check = ({ code, stderr }: Ran) => {
  if (code === 0) return
  const why = networkTrouble.test(stderr)
    ? "npm does not reach its registry, so nothing was checked"
    : `npm install ended with ${code}`
  throw new Error(`${why}:\n${stderr}`)
}

/** The names of all installed packages, one for each copy. */
const installedIn = (folder: string, lock: string): ReadonlyArray<string> => {
  const { packages } = JSON.parse(readFileSync(join(folder, lock), "utf8")) as {
    readonly packages: Readonly<Record<string, unknown>>
  }
  return Object.keys(packages).map((path) => path.slice(path.lastIndexOf("node_modules/") + 13))
}

const places = ["", "packages/core", "packages/express", "packages/koa", "packages/postgres"]

/** With the version that the workspace is tested with: today's newest would be another test. */
export const pinned = (name: string): string => {
  const manifest = [...places, "examples/hono"]
    .map((place) => join(root, place, "node_modules", name, "package.json"))
    .find((path) => existsSync(path))
  if (manifest === undefined) throw new Error(`${name} is not installed in the workspace.`)
  return `${name}@${readJson<{ readonly version: string }>(manifest).version}`
}
