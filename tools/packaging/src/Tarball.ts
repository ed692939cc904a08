import { createPackageFromTarballData } from "@arethetypeswrong/core"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { PublishedPackage } from "./Packages.ts"
import { succeed } from "./Run.ts"

/** What `npm pack` made of a package, as npm would hand it to a user. */
export interface Tarball {
  readonly name: string
  readonly path: string
  readonly bytes: Uint8Array
  /** Its files, by their path below the package. */
  readonly files: ReadonlyMap<string, string>
}

/** Packs a package whose build is up to date. */
export const pack = async ({ folder }: Pick<PublishedPackage, "folder">, into: string) => {
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", into]
  return readTarball(join(into, packedName(await succeed("npm", args, { folder }))))
}

/** npm 11 answers a list, npm 12 an object with a property for each package. */
const packedName = (answer: string): string => {
  const packed = JSON.parse(answer) as Record<string, { readonly filename: string }>
  const [first] = Object.values(packed)
  if (first === undefined) throw new Error(`npm pack says nothing of a tarball: ${answer}`)
  return first.filename
}

const readTarball = (path: string): Tarball => {
  const bytes = readFileSync(path)
  const contents = createPackageFromTarballData(bytes)
  const prefix = `/node_modules/${contents.packageName}/`
  const files = contents
    .listFiles()
    .map((file) => [file.slice(prefix.length), contents.readFile(file)] as const)
  return { name: contents.packageName, path, bytes, files: new Map(files) }
}
