import { core, folderOf, importsOf, isInside, page, roomsOf } from "./RoomRules.ts"
import type { Room } from "./RoomRules.ts"
import { withoutComments } from "./SourceFile.ts"
import type { SourceFile } from "./SourceFile.ts"
import type { Remark } from "./Tidy.ts"

const roomNames = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/`([\w-]+)\/`/g), ([, name = ""]) => name)

/** By whom a room may be imported; undefined where the code map says nothing of it. */
const importersOf = ({ said }: Room): ReadonlyArray<string> | undefined => {
  if (/\bNo room imports it\b/.test(said)) return []
  const [, only] = /\bOnly ((?:`[\w-]+\/`(?:, | and )?)+) imports? it\b/.exec(said) ?? []
  return only === undefined ? undefined : roomNames(only)
}

/** Which rooms a room may import, and of which of them only types; undefined where nothing is said. */
const importedBy = ({ said }: Room) => {
  const [, list] = /\bIt imports nothing but ([^.]+)\./.exec(said) ?? []
  return list === undefined
    ? undefined
    : { all: roomNames(list), types: roomNames(list.replace(/(?<!types of )`[\w-]+\/`/g, "")) }
}

/**
 * What the code map says of who imports a room, and what a room imports, is so: "Only `a/` and `b/` import it", "No room
 * imports it", "It imports nothing but `a/` and types of `b/`".
 */
export const boundaries = (files: ReadonlyArray<SourceFile>) => {
  const rooms = roomsOf(files.find(({ path }) => path === page)?.text ?? "")
  const imports = (file: SourceFile) => {
    const own = folderOf(file.path)
    return importsOf(file.path, withoutComments(file.text)).flatMap(({ isType, line, target }) => {
      const room = target.startsWith(core) ? folderOf(target) : undefined
      return room === undefined || room === own ? [] : [{ isType, line, room }]
    })
  }
  const used = new Set(
    files
      .filter(({ path }) => isInside(path))
      .flatMap((file) => imports(file).map(({ room }) => `${folderOf(file.path)} ${room}`))
  )

  const wrongInPage = (): Array<Remark> =>
    rooms.flatMap((room) => {
      const stale = [
        ...(importersOf(room) ?? []).map((from) => [from, room.name] as const),
        ...(importedBy(room)?.all ?? []).map((to) => [room.name, to] as const)
      ].filter(([from, to]) => !used.has(`${from} ${to}`))
      return stale.map(([from, to]) => ({
        line: room.line,
        message: `${from}/ does not import ${to}/ any more: say so`
      }))
    })

  return (file: SourceFile): Array<Remark> => {
    if (file.path === page) return wrongInPage()
    const own = isInside(file.path) ? folderOf(file.path) : undefined
    const mine = rooms.find(({ name }) => name === own)
    if (mine === undefined) return []
    const may = importedBy(mine)
    return imports(file).flatMap(({ isType, line, room }) => {
      const known = rooms.find(({ name }) => name === room)
      const importers = known && importersOf(known)
      const remark = (message: string) => [{ line, message: `${message}, says ${page}` }]
      if (importers?.includes(mine.name) === false)
        return remark(`${mine.name}/ is not to import ${room}/`)
      if (may?.all.includes(room) === false)
        return remark(`${mine.name}/ is to import nothing of ${room}/`)
      return may?.types.includes(room) === true && !isType
        ? remark(`${mine.name}/ is to import only types of ${room}/`)
        : []
    })
  }
}
