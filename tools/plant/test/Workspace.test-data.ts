import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../../..", import.meta.url))

/** A file of the workspace. */
export const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** Whether a file of tests is there, and names one so. */
export const hasTitle = (file: string, title: string): boolean =>
  existsSync(join(root, file)) &&
  ['"', "`"].some((quote) => read(file).includes(`${quote}${title}${quote}`))
