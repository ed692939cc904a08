import type { Option } from "effect"
import { Effect } from "effect"
import { Flag } from "effect/cli"
import type { CommandFailed } from "./CommandFailed.ts"
import { given } from "./Given.ts"
import { jsonFlag } from "./OperatorConnection.ts"
import { print, printJson, printTable, remark } from "./Printer.ts"
import type { Column } from "./Table.ts"

export interface Page<Row> {
  readonly data: ReadonlyArray<Row>
  readonly nextCursor?: string | null
}

const rowsMax = 100

/** What every command that lists something takes. */
export const pageFlags = {
  cursor: Flag.String("cursor").pipe(
    Flag.withDescription("Where the page begins: the nextCursor of the page before"),
    Flag.optional
  ),
  all: Flag.Boolean("all").pipe(
    Flag.withDescription("All pages; with --json a line of JSON for each row"),
    Flag.withDefault(false)
  ),
  json: jsonFlag,
  limit: Flag.Int("limit").pipe(
    Flag.filter(
      (limit) => limit >= 1 && limit <= rowsMax,
      () => `a number from 1 to ${rowsMax}`
    ),
    Flag.withDescription("Rows of a page, at most 100"),
    Flag.optional
  )
}

interface PageOptions {
  readonly cursor: Option.Option<string>
  readonly limit: Option.Option<number>
  readonly all: boolean
  readonly json: boolean
}

interface PageQuery {
  readonly cursor?: string
  readonly limit?: number
}

type FetchPage<Row> = (query: PageQuery) => Effect.Effect<Page<Row>, CommandFailed>

/** Prints one page, or page after page as they come in. */
export const printPages = Effect.fnUntraced(function* <Row>(
  options: PageOptions,
  columns: ReadonlyArray<Column<Row>>,
  fetch: FetchPage<Row>
) {
  const { cursor, limit } = options
  const query: PageQuery = given({ cursor, limit })
  if (options.all) return yield* printAll(options, columns, { fetch, query })
  const page = yield* fetch(query)
  if (options.json) return void (yield* printJson(page))
  yield* printRows(columns, page.data)
  const { nextCursor: next = null } = page
  if (next !== null) yield* remark(`There are more: add --cursor ${next}, or --all.`)
})

interface Walk<Row> {
  readonly fetch: FetchPage<Row>
  readonly query: PageQuery
}

const printAll = Effect.fnUntraced(function* <Row>(
  { json: isJson }: PageOptions,
  columns: ReadonlyArray<Column<Row>>,
  { fetch, query }: Walk<Row>
) {
  for (let at = query; ;) {
    const { data, nextCursor: next = null } = yield* fetch(at)
    const isRead = yield* isJson
      ? print(data.map((row) => `${JSON.stringify(row)}\n`).join(""))
      : printRows(columns, data)
    if (next === null || !isRead) return
    at = { ...query, cursor: next }
  }
})

const printRows = <Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>) =>
  rows.length === 0 ? Effect.as(remark("There are none."), true) : printTable(columns, rows)
