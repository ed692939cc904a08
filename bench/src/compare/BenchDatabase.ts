import { Effect } from "effect"
import { Client } from "pg"

/** The bench's own connection to the database of a server that is measured. */
export interface BenchDatabase {
  readonly rows: (
    text: string,
    values?: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>>
  /** Statements that others have sent to this database so far; not a number where the server does not count them. */
  readonly statements: Effect.Effect<number>
}

/** Without the texts, which would be read from a file. */
const counted = `select coalesce(sum(calls), 0)::float8 as calls
  from pg_stat_statements(false) join pg_database on oid = dbid where datname = current_database()`

export const openDatabase = Effect.fnUntraced(function* (url: string) {
  const client = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const opened = new Client({ connectionString: url })
      await opened.connect()
      return opened
    }),
    (opened) => Effect.promise(() => opened.end())
  )
  let own = 0
  const query = async (text: string, values: ReadonlyArray<unknown> = []) => {
    own++
    return (await client.query<Record<string, unknown>>(text, [...values])).rows
  }
  const isCounting = yield* Effect.promise(() =>
    query("create extension pg_stat_statements")
      .then(() => query(counted))
      .then(
        () => true,
        () => false
      )
  )
  const database: BenchDatabase = {
    rows: (text, values) => Effect.promise(() => query(text, values)),
    statements: Effect.promise(async () => {
      if (!isCounting) return Number.NaN
      const before = own
      const [row] = await query(counted)
      return Number(row?.["calls"]) - before
    })
  }
  return database
})
