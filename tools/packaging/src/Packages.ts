import { readFileSync, readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/**
 * By this condition the workspace runs from sources. It has our name, because bundlers of users set conditions of their own, and
 * `source` is one that several do.
 */
export const sourceCondition = "@pagora/source"

/** The parts of a package.json that are looked at here. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly exports: Readonly<Record<string, string | { readonly [sourceCondition]: string }>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** A package that is published. */
export interface PublishedPackage {
  readonly folder: string
  readonly manifest: Manifest
}

export const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))

export const readJson = <A>(path: string): A => JSON.parse(readFileSync(path, "utf8")) as A

export const publishedPackages = (): ReadonlyArray<PublishedPackage> =>
  readdirSync(join(root, "packages")).map((name) => {
    const folder = join(root, "packages", name)
    return { folder, manifest: readJson<Manifest>(join(folder, "package.json")) }
  })

/** What can be imported of a package, with the source of each: `@pagora/core/client` and `…/src/client/index.ts`. */
export const entriesOf = ({ folder, manifest }: PublishedPackage) =>
  Object.entries(manifest.exports).flatMap(([path, target]) =>
    typeof target === "string"
      ? []
      : [
          {
            name: `${manifest.name}${path.slice(1)}`,
            source: join(folder, target[sourceCondition])
          }
        ]
  )
