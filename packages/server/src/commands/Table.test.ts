import { assert, describe, it } from "@effect/vitest"
import type { Column } from "./Table.ts"
import { record, table } from "./Table.ts"

interface Row {
  readonly id: string
  readonly name?: string
  readonly amount: string
}

const columns: ReadonlyArray<Column<Row>> = [
  { title: "ID", of: ({ id }) => id },
  { title: "AMOUNT", of: ({ amount }) => amount, isNumber: true },
  { title: "NAME", of: ({ name }) => name }
]
const rows: ReadonlyArray<Row> = [
  { id: "0199", amount: "R$ 1,00", name: "Ana" },
  { id: "0200", amount: "R$ 1.234,56" }
]

describe("a table", () => {
  it("has a line a row, numbers at the right, and - for what is not there", () => {
    assert.strictEqual(
      table(columns, rows),
      ["ID         AMOUNT  NAME", "0199      R$ 1,00  Ana", "0200  R$ 1.234,56  -", ""].join("\n")
    )
  })

  it("becomes a block a row where it is too wide, and cuts nothing", () => {
    assert.strictEqual(
      table(columns, rows, { width: 20 }),
      [
        "ID      0199",
        "AMOUNT  R$ 1,00",
        "NAME    Ana",
        "",
        "ID      0200",
        "AMOUNT  R$ 1.234,56",
        ""
      ].join("\n")
    )
    assert.notInclude(table(columns, rows, { width: 23 }), "\n\n")
    assert.include(table(columns, rows, { width: 22 }), "\n\n")
  })

  it("aligns wide characters by what a terminal shows", () => {
    const wide = [
      { id: "店", amount: "1", name: "a" },
      { id: "xy", amount: "1", name: "b" }
    ]
    const [, first = "", second = ""] = table(columns, wide).split("\n")
    assert.strictEqual(first, "店       1  a")
    assert.strictEqual(second, "xy       1  b")
  })

  it("shows what a terminal would obey: escapes, line feeds, marks that reorder", () => {
    const hostile = { id: "a\u001b[2Jb\r\n\u202ec\u009b0m", amount: "1" }
    assert.strictEqual(
      table(columns, [hostile]).split("\n")[1],
      "a\\u001b[2Jb\\u000d\\u000a\\u202ec\\u009b0m       1  -"
    )
  })

  it("sets off titles when it is told how", () => {
    const title = (text: string) => `<${text}>`
    assert.isTrue(table(columns, rows, { title }).startsWith("<ID         AMOUNT  NAME>\n"))
    assert.strictEqual(record([["A", "1"]], { title }), "<A>  1\n")
  })

  it("leaves the fields out of a record that have no value", () => {
    const fields = [
      ["Name", "Ana"],
      ["Document", undefined],
      ["Id", "7"]
    ] as const
    assert.strictEqual(record(fields), "Name  Ana\nId    7\n")
  })
})
