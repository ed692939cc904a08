import { sectionOf } from "./Prose.ts"
import { core, page } from "./RoomRules.ts"
import type { SourceFile } from "./SourceFile.ts"
import type { Remark } from "./Tidy.ts"

/** Whoever follows a walk opens so many files at most. */
const stationsMax = 15

interface Station {
  readonly line: number
  readonly path: string
  readonly name: string
}

const stationOf = (line: number, text: string): Station | undefined => {
  const [, path, name] = /^\d+\. `([^`]+)`, `(\w+)`: \S/.exec(text) ?? []
  if (path === undefined || name === undefined) return undefined
  return { line, path: path.startsWith("packages/") ? path : `${core}${path}`, name }
}

/**
 * The walks of the page: under a heading each, files in the order in which they are entered, with what is entered there. A
 * file is entered once.
 */
export const walks = (files: ReadonlyArray<SourceFile>) => {
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  const wrongWith = ({ line, name, path }: Station, before: ReadonlyArray<Station>) => {
    const text = texts.get(path)
    const remark = (message: string): Array<Remark> => [{ line, message }]
    if (text === undefined) return remark(`there is no ${path}`)
    if (before.some((other) => other.path === path)) return remark(`${path} is entered twice`)
    const declared = new RegExp(String.raw`^export (?:const|function|class) ${name}\b`, "m")
    return declared.test(text) ? [] : remark(`${path} exports no ${name}`)
  }

  return (file: SourceFile): Array<Remark> => {
    if (file.path !== page) return []
    let walk: Array<Station> = []
    const lines = sectionOf(file, "Walks")
    return lines.flatMap(({ line, text }, index) => {
      if (text.startsWith("### ")) {
        walk = []
        const next = lines.slice(index + 1).find((other) => /^(### |\d+\. )/.test(other.text))
        if (next?.text.startsWith("### ") !== false) return [{ line, message: "it leads nowhere" }]
      }
      if (!/^\d+\. /.test(text)) return []
      const station = stationOf(line, text)
      if (station === undefined)
        return [{ line, message: "a station is written: 1. `path`, `export`: what happens there" }]
      const wrong = wrongWith(station, walk)
      walk.push(station)
      return walk.length === stationsMax + 1
        ? [...wrong, { line, message: `a walk has ${stationsMax} files at most` }]
        : wrong
    })
  }
}
