import { Effect } from "effect"
import { Client } from "pg"

/** The bench's own connection to the database of a server that is measured. */
export interface BenchDatabase {
  readonly rows: (
    text: string,
    values?: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>>
}

export const openDatabase = Effect.fnUntraced(function* (url: string) {
  const client = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const opened = new Client({ connectionString: url })
      await opened.connect()
      return opened
    }),
    (opened) => Effect.promise(() => opened.end())
  )
  const database: BenchDatabase = {
    rows: (text, values = []) =>
      Effect.promise(
        async () => (await client.query<Record<string, unknown>>(text, [...values])).rows
      )
  }
  return database
})
