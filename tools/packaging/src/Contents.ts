import { posix } from "node:path"
import type { Manifest } from "./Packages.ts"
import { sourceCondition } from "./Packages.ts"
import type { Tarball } from "./Tarball.ts"

const expected = /^(package\.json|README\.md|LICENSE|bin\/[\w.-]+\.mjs|(dist\/src|src)\/.+)$/
const unwanted = /\.test\.|\.test-data\.|(^|\/)tidy\//
const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----/
const needed = ["package.json", "README.md", "LICENSE"]
/** Far above what there is; a folder that slips in by mistake is larger. */
const kilobytesMax = 2_000

/** What is wrong with the files of a tarball, a sentence each. */
export const contentFaults = ({ bytes, files, name }: Tarball): ReadonlyArray<string> => {
  const paths = [...files.keys()]
  const manifest = JSON.parse(files.get("package.json") ?? "{}") as Manifest
  const kilobytes = Math.round(bytes.length / 1024)
  return [
    ...needed.filter((path) => !files.has(path)).map((path) => `${path} is missing.`),
    ...paths
      .filter((path) => !expected.test(path) || unwanted.test(path))
      .map((path) => `${path} is not meant for users: see "files" in its package.json.`),
    ...paths
      .filter((path) => privateKey.test(files.get(path) ?? ""))
      .map((path) => `${path} has a private key in it.`),
    ...paths.filter((path) => path.endsWith(".map")).flatMap((path) => mapFaults(files, path)),
    ...copyFaults(files),
    ...manifestFaults(manifest),
    ...conditionFaults(manifest),
    ...(kilobytes > kilobytesMax ? [`It has ${kilobytes} kB; ${kilobytesMax} are allowed.`] : [])
  ].map((fault) => `${name}: ${fault}`)
}

/** A map leads to a source that is packed too: debuggers and editors show it. */
const mapFaults = (files: Tarball["files"], path: string): ReadonlyArray<string> =>
  sourcesOf(files, path)
    .filter((source) => !files.has(source))
    .map((source) => `${path} leads to ${source}, which is not packed.`)

const sourcesOf = (files: Tarball["files"], path: string): ReadonlyArray<string> => {
  const { sources } = JSON.parse(files.get(path) ?? "{}") as { sources?: ReadonlyArray<string> }
  return (sources ?? []).map((source) => posix.join(posix.dirname(path), source))
}

/** A source that is built into two files is two classes of one name, which do not know each other. */
const copyFaults = (files: Tarball["files"]): ReadonlyArray<string> => {
  const built = [...files.keys()]
    .filter((path) => path.endsWith(".js.map"))
    .flatMap((path) => sourcesOf(files, path).map((source) => [source, path] as const))
  const places = Map.groupBy(built, ([source]) => source)
  return [...places]
    .filter(([, all]) => all.length > 1)
    .map(([source, all]) => `${source} is built into ${all.map(([, path]) => path).join(" and ")}.`)
}

const conditions: ReadonlyArray<string> = [sourceCondition, "types", "default"]

/** A condition that a user's bundler may set leads him to sources, which nothing compiles for him. */
const conditionFaults = ({ exports: all = {} }: Manifest): ReadonlyArray<string> =>
  Object.entries(all).flatMap(([path, target]) =>
    typeof target === "string"
      ? []
      : Object.keys(target)
          .filter((name) => !conditions.includes(name))
          .map(
            (name) =>
              `package.json leads ${path} elsewhere by the condition ${name}, which is not ours: use ${conditions.join(", ")}.`
          )
  )

/** npm installs what stands here as it stands here. */
const manifestFaults = (manifest: Manifest): ReadonlyArray<string> =>
  Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies })
    .filter(([, range]) => /^(workspace|catalog|file|link):/.test(range))
    .map(
      ([dependency, range]) =>
        `package.json asks for ${dependency} ${range}, which npm cannot install: write a version range.`
    )
