import { posix } from "node:path"
import { withoutComments } from "./SourceFile.ts"
import type { SourceFile } from "./SourceFile.ts"
import type { Remark } from "./Tidy.ts"

const core = "packages/core/src/"
const page = "docs/ARCHITECTURE.md"
/** Stands in no room: it only hands on what is public. */
const barrel = `${core}index.ts`

interface Room {
  readonly name: string
  readonly line: number
}

/** The rooms of core as the code map numbers them, lowest first. */
const roomsOf = (text: string): ReadonlyArray<Room> => {
  const lines = text.split("\n")
  const start = lines.indexOf("## Code map")
  const end = lines.findIndex((line, index) => index > start && line.startsWith("##"))
  return lines.flatMap((line, index) => {
    const name = /^\d+\. \*\*`([\w-]+)\/`\*\*/.exec(line)?.[1]
    return name === undefined || index < start || index > end ? [] : [{ name, line: index + 1 }]
  })
}

/** The folder of a file of core; undefined for one that lies in none. */
const folderOf = (path: string): string | undefined => {
  const [folder, file] = path.slice(core.length).split("/")
  return file === undefined ? undefined : folder
}

const isInside = (path: string) =>
  path.startsWith(core) && path !== barrel && /(?<!\.(test|test-data))\.ts$/.test(path)

/** What a file imports, types included, as paths of the workspace. */
const importsOf = (path: string, code: string) =>
  Array.from(code.matchAll(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g)).flatMap((statement) => {
    const [, name = ""] = statement
    const line = code.slice(0, statement.index).split("\n").length
    // By our own name, too, only through the barrel or that of a room at the top.
    if (/^@pagora\/core(\/|$)/.test(name)) return [{ line, target: barrel }]
    return name.startsWith(".") ? [{ line, target: posix.join(posix.dirname(path), name) }] : []
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
