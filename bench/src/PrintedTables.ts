import type { Figures } from "./Sides.ts"

/**
 * Reads the tables that a benchmark prints, into figures by their row and column. Every revision prints them, whatever else it
 * can do. Columns begin where the names in the head of a table do; a row without a name is of the row before it.
 */
export const figuresOf = (printed: string): Figures => {
  const figures = new Map<string, number>()
  let columns: ReadonlyArray<Column> | undefined
  let above = ""
  for (const line of printed.split("\n")) {
    const isTable = / {2,}\S/.test(line)
    if (!isTable) columns = undefined
    else if (columns === undefined) columns = columnsOf(line)
    else {
      const cells = columns.map(
        ({ from, name, to }) => [name, line.slice(from, to).trim()] as const
      )
      const named = cells.filter(([, cell]) => cell !== "" && !number.test(cell))
      const name = named.map(([, cell]) => cell).join(", ")
      const isGoingOn = line.startsWith(" ") && cells[0]?.[1] === ""
      const row = isGoingOn ? [above, name].filter((part) => part !== "").join(", ") : name
      if (!isGoingOn) above = cells[0]?.[1] ?? ""
      for (const [column, cell] of cells) {
        const [, first] = number.exec(cell) ?? []
        if (first !== undefined) figures.set(`${row}: ${column}`, Number(first.replaceAll(",", "")))
      }
    }
  }
  return figures
}

/** A figure, which what it spreads between, or another one, may follow. */
const number = /^(\d[\d,]*(?:\.\d+)?)(?![\w-])/

interface Column {
  readonly name: string
  readonly from: number
  readonly to: number | undefined
}

const columnsOf = (head: string): ReadonlyArray<Column> => {
  const names = [...head.matchAll(/\S+(?: \S+)*/g)].map(({ 0: name, index }) => ({ name, index }))
  const all = head.startsWith(" ") ? [{ name: "", index: 0 }, ...names] : names
  return all.map(({ index, name }, nth) => ({ name, from: index, to: all[nth + 1]?.index }))
}
