// Builds the packages into their `dist`, which is what they publish. What is left there of sources that are
// gone is removed first, because a package packs all of it.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundle } from "./bundle.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
/** The others have a few files, or start their own files as programs. */
const bundled = ["core", "postgres", "psp-bacen", "server"]
const extensions = /(\.d\.ts|\.js)(\.map)?$/

for (const name of readdirSync(join(root, "packages"))) {
  const folder = join(root, "packages", name)
  const built = join(folder, "dist/src")
  const files = existsSync(built)
    ? readdirSync(built, { recursive: true }).filter((file) => extensions.test(file))
    : []
  for (const file of files) {
    const source = join(folder, "src", file.replace(extensions, ".ts"))
    if (!existsSync(source)) rmSync(join(built, file))
  }
}

const compiler = join(root, "node_modules/typescript/bin/tsc")
const { status } = spawnSync(process.execPath, [compiler, "-b", root], { stdio: "inherit" })
if (status !== 0) process.exit(status ?? 1)
for (const name of bundled) await bundle(join(root, "packages", name))
