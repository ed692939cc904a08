import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  symlinkSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"

/** What is copied: all packages, and the command that runs simulations of them. */
const copied = ["packages/*", "tools/simulate"]

/** What is copied as well where tests are to run. */
const forTests = ["scripts", "vitest.config.ts"]

/**
 * A copy of the sources of a workspace in a temporary folder, where its packages find each other: of what is installed,
 * packages of the workspace are those of the copy, and all others are the installed ones.
 */
export const copyWorkspace = (root: string, { withTests = false } = {}): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "pagora-plant-")))
  for (const part of ["package.json", ...(withTests ? forTests : [])])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  const places = globSync(
    copied.map((place) => `${place}/package.json`),
    { cwd: root }
  ).map(dirname)
  for (const place of places) copyPackage(root, folder, place, withTests)
  link(join(root, "node_modules"), join(folder, "node_modules"))
  return folder
}

const copyPackage = (root: string, folder: string, place: string, withTests: boolean): void => {
  for (const part of ["package.json", "src", ...(withTests ? ["test"] : [])]) {
    if (!existsSync(join(root, place, part))) continue
    cpSync(join(root, place, part), join(folder, place, part), {
      recursive: true,
      filter: (path) => withTests || !path.endsWith(".test.ts")
    })
  }
  const modules = join(root, place, "node_modules")
  for (const name of installedIn(modules)) {
    const target = realpathSync(join(modules, name))
    const own = relative(realpathSync(root), target)
    const isOwn = /^packages[\\/][^\\/]+$/.test(own)
    link(isOwn ? join(folder, own) : target, join(folder, place, "node_modules", name))
  }
}

/** The names of what is installed in a folder of modules, with their scopes. */
const installedIn = (modules: string): ReadonlyArray<string> =>
  (existsSync(modules) ? readdirSync(modules) : [])
    .filter((name) => !name.startsWith("."))
    .flatMap((name) =>
      name.startsWith("@")
        ? readdirSync(join(modules, name)).map((inScope) => `${name}/${inScope}`)
        : [name]
    )

const link = (target: string, path: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path, "junction")
}
