import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** A text file of the workspace; its path is relative to the root and has forward slashes. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

const places = [".ci", ".github", "bench", "docs", "examples", "packages", "scripts", "tools"]
const skipped = new Set(["node_modules", "dist", "coverage", ".pagora"])
const isText = (path: string) =>
  /(^\.ci\/run|LICENSE|\.(ts|mts|mjs|js|json|md|ya?ml|sh|sql|css|html))$/.test(path)

/** All text files that belong to the project. */
export const readWorkspace = (root: string): ReadonlyArray<SourceFile> => {
  const paths: Array<string> = []
  const walk = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`
      const wanted = folder === "" ? places.includes(entry.name) : !skipped.has(entry.name)
      if (entry.isDirectory() && wanted) walk(path)
      if (entry.isFile() && isText(path) && path !== "pnpm-lock.yaml") paths.push(path)
    }
  }
  walk("")
  return paths.sort().map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))
}

/** The text with its comments blanked out; every line and column stays where it was. */
export const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\/|(?<=^|[\s;,{}()])\/\/[^\n]*/g, (comment) =>
    comment.replace(/[^\n]/g, " ")
  )
