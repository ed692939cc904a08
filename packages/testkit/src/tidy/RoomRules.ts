import { posix } from "node:path"
import { withoutComments } from "./SourceFile.ts"
import type { SourceFile } from "./SourceFile.ts"
import type { Remark } from "./Tidy.ts"

export const core = "packages/core/src/"
export const page = "docs/ARCHITECTURE.md"
/** Stands in no room: it only hands on what is public. */
const barrel = `${core}index.ts`

export interface Room {
  readonly name: string
  readonly line: number
  /** What the code map says of it, on one line. */
  readonly said: string
}

/** The rooms of core as the code map numbers them, lowest first. */
export const roomsOf = (text: string): ReadonlyArray<Room> => {
  const lines = text.split("\n")
  const start = lines.indexOf("## Code map")
  const end = lines.findIndex((line, index) => index > start && line.startsWith("##"))
  const map = lines.slice(0, Math.max(end, 0))
  return map.flatMap((line, index) => {
    const name = /^\d+\. \*\*`([\w-]+)\/`\*\*/.exec(line)?.[1]
    if (name === undefined || index < start) return []
    const next = map.findIndex((other, at) => at > index && /^[\w*]/.test(other))
    const said = map
      .slice(index, next < 0 ? undefined : next)
      .join(" ")
      .replace(/\s+/g, " ")
    return [{ name, line: index + 1, said }]
  })
}

/** The folder of a file of core; undefined for one that lies in none. */
export const folderOf = (path: string): string | undefined => {
  const [folder, file] = path.slice(core.length).split("/")
  return file === undefined ? undefined : folder
}

export const isInside = (path: string) =>
  path.startsWith(core) && path !== barrel && /(?<!\.(test|test-data))\.ts$/.test(path)

/** What a file imports, types included, as paths of the workspace. */
export const importsOf = (path: string, code: string) =>
  Array.from(code.matchAll(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g)).flatMap((statement) => {
    const [, name = ""] = statement
    const before = code.slice(0, statement.index)
    const line = before.split("\n").length
    const begun = Math.max(before.lastIndexOf("import"), before.lastIndexOf("export"))
    const isType = /^(im|ex)port\s+type\b/.test(code.slice(Math.max(begun, 0)))
    // By our own name, too, only through the barrel or that of a room at the top.
    if (/^@pagora\/core(\/|$)/.test(name)) return [{ line, isType, target: barrel }]
    return name.startsWith(".")
      ? [{ line, isType, target: posix.join(posix.dirname(path), name) }]
      : []
  })

/**
 * A room imports itself and rooms that the code map lists before it, types included: so there is an order to read them
 * in, and no circle between them.
 */
export const roomsInOrder = (files: ReadonlyArray<SourceFile>) => {
  const rooms = roomsOf(files.find(({ path }) => path === page)?.text ?? "")
  const places = new Map(rooms.map(({ name }, place) => [name, place]))
  const folders = new Set(
    files.filter(({ path }) => isInside(path)).map(({ path }) => folderOf(path))
  )

  const wrongInPage = (): Array<Remark> =>
    rooms.flatMap(({ line, name }, index) => {
      if (!folders.has(name)) return [{ line, message: `${core}${name}/ is not there` }]
      return rooms.findIndex((other) => other.name === name) === index
        ? []
        : [{ line, message: `${name}/ is listed twice` }]
    })

  return (file: SourceFile): Array<Remark> => {
    if (file.path === page) return wrongInPage()
    if (!isInside(file.path)) return []
    const room = folderOf(file.path)
    if (room === undefined) return [{ line: 1, message: "it lies in no room: index.ts alone does" }]
    const place = places.get(room)
    if (place === undefined) {
      return [{ line: 1, message: `${room}/ has no place in the code map of ${page}` }]
    }
    return importsOf(file.path, withoutComments(file.text)).flatMap(({ line, target }) => {
      const other = target.startsWith(core) ? folderOf(target) : undefined
      const isAbove = target === barrel || (other !== undefined && (places.get(other) ?? 0) > place)
      const message = `${room}/ stands below ${other === undefined ? "index.ts" : `${other}/`}: what both need belongs below both`
      return isAbove ? [{ line, message }] : []
    })
  }
}
