import { createHash } from "node:crypto"
import { existsSync, globSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join, relative, resolve } from "node:path"

const root = join(import.meta.dirname, "../../..")

/** Where a simulated world begins: what asks for seeds, and what runs them in a thread of its own. */
const entries = ["main.ts", "Worker.ts"].map((name) => join(import.meta.dirname, name))

/** A file beside it or a package of ours, as an import or a `new URL` names it. */
const named = /["']((?:\.{1,2}\/)?[\w./-]+\.ts|@pagora\/[\w./-]+)["']/g

/**
 * The files that decide how a seed goes, from the root: what the simulation loads of our own, whoever names whom, and what the
 * packages among them read besides, and what is installed. What only a server or a mount loads is none of them.
 */
export const sourcesOfSeeds = (): ReadonlyArray<string> => {
  const found = new Set<string>()
  const queue = [...entries]
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (found.has(file)) continue
    found.add(file)
    queue.push(...namedIn(file))
  }
  const files = [...found].map((file) => relative(root, file).replaceAll("\\", "/"))
  const packages = new Set(files.flatMap((file) => /^packages\/[^/]+/.exec(file) ?? []))
  const read = globSync(
    [...packages].map((folder) => `${folder}/src/**/*.{json,sql}`),
    { cwd: root }
  )
  return [...files, ...read.map((file) => file.replaceAll("\\", "/")), "pnpm-lock.yaml"].toSorted()
}

const namedIn = (file: string): ReadonlyArray<string> => {
  const { resolve: resolved } = createRequire(file)
  return [...readFileSync(file, "utf8").matchAll(named)].flatMap(([, name = ""]) => {
    if (!name.startsWith("@pagora/")) {
      const beside = resolve(file, "..", name)
      return existsSync(beside) ? [beside] : []
    }
    try {
      return [resolved(name)]
    } catch {
      // A word that only looks like the name of a package.
      return []
    }
  })
}

/** One hash of all of them. */
export const hashOfSources = (): string => {
  const hash = createHash("sha256")
  for (const file of sourcesOfSeeds())
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0")
  return hash.digest("hex").slice(0, 16)
}
