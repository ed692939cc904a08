import { CliOutput } from "effect/cli"

/** One column: its title, and what it shows of a row. */
export interface Column<Row> {
  readonly title: string
  readonly of: (row: Row) => string | undefined
  /** Amounts and counts stand at the right. */
  readonly isNumber?: boolean
}

export interface TableStyle {
  /** Columns of the terminal; absent where nobody looks at it in one. */
  readonly width?: number
  /** How titles are set off. */
  readonly title?: (text: string) => string
}

const gap = "  "

/** What a terminal would obey instead of showing: control characters, and marks that reorder what is read. */
const unprintable =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** Text of strangers, made harmless for a terminal. */
export const printable = (text: string): string =>
  text.replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

const width = CliOutput.displayWidth

const padded = (text: string, to: number, isNumber: boolean): string => {
  const space = " ".repeat(Math.max(0, to - width(text)))
  return isNumber ? space + text : text + space
}

const cells = <Row>(columns: ReadonlyArray<Column<Row>>, row: Row): ReadonlyArray<string> =>
  columns.map((column) => printable(column.of(row) ?? "-"))

/**
 * Rows under their titles, each line ending in a line feed. What is too wide for the terminal is written as one block
 * of lines a row instead: no text is ever cut, since ids are there to be copied.
 */
export const table = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  style: TableStyle = {}
): string => {
  const { title = (text) => text, width: widthMax = Number.POSITIVE_INFINITY } = style
  const shown = rows.map((row) => cells(columns, row))
  const widths = columns.map((column, index) =>
    Math.max(width(column.title), ...shown.map((row) => width(row[index] ?? "")))
  )
  const total = widths.reduce((sum, one) => sum + one, 0) + gap.length * (columns.length - 1)
  if (total > widthMax) {
    const nameWidth = Math.max(...columns.map((column) => width(column.title)))
    return rows.map((row) => record(fieldsOf(columns, row), { ...style, nameWidth })).join("\n")
  }
  const line = (texts: ReadonlyArray<string>) =>
    texts
      .map((text, index) => padded(text, widths[index] ?? 0, columns[index]?.isNumber === true))
      .join(gap)
      .trimEnd()
  const titles = line(columns.map((column) => column.title))
  return [title(titles), ...shown.map(line)].map((text) => `${text}\n`).join("")
}

const fieldsOf = <Row>(columns: ReadonlyArray<Column<Row>>, row: Row): ReadonlyArray<Field> =>
  columns.map((column) => [column.title, column.of(row)])

/** A name and its value; one without a value is left out. */
export type Field = readonly [name: string, value: string | undefined]

/** One thing, a line for each of its fields. */
export const record = (
  fields: ReadonlyArray<Field>,
  { nameWidth = 0, title = (text) => text }: TableStyle & { readonly nameWidth?: number } = {}
): string => {
  const there = fields.filter(([, value]) => value !== undefined)
  const widest = Math.max(nameWidth, ...there.map(([name]) => width(name)))
  return there
    .map(([name, value = ""]) => `${title(padded(name, widest, false))}${gap}${printable(value)}\n`)
    .join("")
}
