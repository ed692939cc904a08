import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import type { CommandFailed } from "./CommandFailed.ts"
import { jsonFlag } from "./OperatorConnection.ts"
import { print, printJson, printTable, remark } from "./Printer.ts"
import type { Column } from "./Table.ts"

export interface Page<Row> {
  readonly data: ReadonlyArray<Row>
  readonly nextCursor?: string | null
}

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
  json: jsonFlag
}

interface PageOptions {
  readonly cursor: Option.Option<string>
  readonly all: boolean
  readonly json: boolean
}

type FetchPage<Row> = (query: {
  readonly cursor?: string
}) => Effect.Effect<Page<Row>, CommandFailed>

const after = (cursor: string | undefined) => (cursor === undefined ? {} : { cursor })

/** Prints one page, or page after page as they come in. */
export const printPages = Effect.fnUntraced(function* <Row>(
  options: PageOptions,
  columns: ReadonlyArray<Column<Row>>,
  fetch: FetchPage<Row>
) {
  const first = Option.getOrUndefined(options.cursor)
  if (options.all) return yield* printAll(options, columns, { fetch, first })
  const page = yield* fetch(after(first))
  if (options.json) return void (yield* printJson(page))
  yield* printRows(columns, page.data)
  const { nextCursor: next = null } = page
  if (next !== null) yield* remark(`There are more: add --cursor ${next}, or --all.`)
})

interface Walk<Row> {
  readonly fetch: FetchPage<Row>
  readonly first: string | undefined
}

const printAll = Effect.fnUntraced(function* <Row>(
  { json: isJson }: PageOptions,
  columns: ReadonlyArray<Column<Row>>,
  { fetch, first }: Walk<Row>
) {
  for (let cursor = first, count = 0; ;) {
    const { data, nextCursor: next = null } = yield* fetch(after(cursor))
    count += data.length
    const isRead = isJson
      ? yield* print(data.map((row) => `${JSON.stringify(row)}\n`).join(""))
      : yield* count === 0 || data.length > 0
          ? printRows(columns, data)
          : Effect.succeed(true)
    if (next === null || !isRead) return
    cursor = next
  }
})

const printRows = <Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>) =>
  rows.length === 0 ? Effect.as(remark("There are none."), true) : printTable(columns, rows)
